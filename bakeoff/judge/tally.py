"""What one entry did over a race, added up."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bakeoff.model.engine import BadExchange
from bakeoff.model.samples import CpuTime, Slice
from bakeoff.model.verdict import Errors

ERROR_GROUPS = {
    "connect_refused": "connect",
    "connect_timeout": "connect",
    "connect": "connect",
    "address_exhausted": "connect",
    "reset": "read",
    "early_close": "read",
    "malformed": "read",
    "write": "write",
    "timeout": "timeout",
    "status": "status",
    "mismatch": "mismatch",
}
WRONG_ANSWERS = ("status", "mismatch")


def misses(errors: Mapping[str, int]) -> int:
    """Requests that were never answered, of errors by kind."""
    return sum(count for kind, count in errors.items() if kind not in WRONG_ANSWERS)


@dataclass(frozen=True)
class Tally:
    """Sums over slices. Windows for throughput; `span` is ramp, window and drain, for CPU.

    `busy_ns` is the time in which the generator was at work.
    `span_ns`, `cpu` and `cpu_requests` cover the slices in which the server's CPU could be seen.
    """

    slices: int
    silent: int
    requests: int
    attempts: int
    window_ns: int
    busy_ns: float
    client_cpu_ns: int
    span_ns: int
    cpu: CpuTime | None
    cpu_requests: int
    connects: int
    idle_closed: int
    error_kinds: Mapping[str, int]
    first_bad: BadExchange | None
    leak_ns: int
    leak_wall_ns: int

    @property
    def measured_s(self) -> float:
        """Length of all windows."""
        return self.window_ns * 1e-9

    @property
    def requests_per_s(self) -> float:
        """Throughput over all windows."""
        return self.requests / self.measured_s if self.window_ns else 0.0

    @property
    def client_busy(self) -> float:
        """Share of the windows in which the generator was at work."""
        return self.busy_ns / self.window_ns if self.window_ns else 0.0

    @property
    def wrong_answers(self) -> int:
        """Answers of the wrong status or body."""
        return sum(self.error_kinds.get(kind, 0) for kind in WRONG_ANSWERS)

    @property
    def misses(self) -> int:
        """Requests that were never answered."""
        return misses(self.error_kinds)

    @property
    def errors(self) -> Errors:
        """By where they happened."""
        grouped: Counter[str] = Counter()
        for kind, count in self.error_kinds.items():
            grouped[ERROR_GROUPS.get(kind, "read")] += count
        return Errors(**grouped)

    def server_busy(self, cores: int) -> float | None:
        """Share of `cores` that the server used while it was loaded; None: it can't be seen."""
        if self.cpu is None or not self.span_ns:
            return None
        return self.cpu.total_ns / (self.span_ns * cores)


def tally(slices: Iterable[tuple[Slice, int]]) -> Tally:
    """Adds up the slices of one entry, each with the length of its ramp in ms."""
    given = list(slices)
    events = [piece.event for piece, _ in given]
    seen = [(piece, ramp_ms) for piece, ramp_ms in given if piece.server_cpu is not None]
    leaks = [piece for piece, _ in given if piece.leak_ns is not None and piece.leak_wall_ns]
    errors: Counter[str] = Counter()
    for event in events:
        errors.update(event.errors)
    requests_all = sum(event.requests_all for event in events)
    answered_wrongly = sum(errors[kind] for kind in WRONG_ANSWERS)
    return Tally(
        slices=len(events),
        silent=sum(event.requests == 0 for event in events),
        requests=sum(event.requests for event in events),
        attempts=requests_all + sum(errors.values()) - answered_wrongly,
        window_ns=sum(_window_ns(piece) for piece, _ in given),
        busy_ns=sum(piece.event.busy * _window_ns(piece) for piece, _ in given),
        # The engine polls before it sleeps: that is CPU time, but none that a request cost.
        client_cpu_ns=sum(
            min(piece.event.cpu_ns, round(piece.event.busy * _window_ns(piece)))
            for piece, _ in given
        ),
        span_ns=sum(_span_ns(piece, ramp_ms) for piece, ramp_ms in seen),
        cpu=_added([piece.server_cpu for piece, _ in seen if piece.server_cpu is not None]),
        cpu_requests=sum(piece.event.requests_all for piece, _ in seen),
        connects=sum(event.connects for event in events),
        idle_closed=sum(event.idle_closed for event in events),
        error_kinds={kind: errors[kind] for kind in sorted(errors)},
        first_bad=next((event.first_bad for event in events if event.first_bad), None),
        leak_ns=sum(piece.leak_ns or 0 for piece in leaks),
        leak_wall_ns=sum(piece.leak_wall_ns or 0 for piece in leaks),
    )


def _window_ns(piece: Slice) -> int:
    return max(0, piece.event.end_ns - piece.event.start_ns)


def _span_ns(piece: Slice, ramp_ms: int) -> int:
    return max(0, piece.event.drained_ns - piece.event.start_ns) + ramp_ms * 1_000_000


def _added(times: list[CpuTime]) -> CpuTime | None:
    if not times:
        return None
    return CpuTime(
        total_ns=sum(time.total_ns for time in times),
        user_ns=sum(time.user_ns for time in times),
        system_ns=sum(time.system_ns for time in times),
    )
