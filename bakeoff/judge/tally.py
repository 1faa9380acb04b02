"""What one entry did over a race, added up."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bakeoff.judge.history import Turn
from bakeoff.model.engine import BadExchange
from bakeoff.model.samples import CpuTime
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
    "mismatch": "mismatch",  # protocol 1 told no mismatches apart
    "mismatch_length": "mismatch",
    "mismatch_body": "mismatch",
    "mismatch_header": "mismatch",
}
WRONG_ANSWERS = tuple(k for k, group in ERROR_GROUPS.items() if group in ("status", "mismatch"))


@dataclass(frozen=True)
class Tally:
    """Sums over slices. Windows for throughput; `span` is ramp, window and drain, for CPU.

    `busy_ns` is the time in which the generator was at work, the mean of its threads.
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
        """Answers of the wrong status, body or header."""
        return sum(self.error_kinds.get(kind, 0) for kind in WRONG_ANSWERS)

    @property
    def unanswered(self) -> int:
        """Requests that were never answered."""
        return sum(self.error_kinds.values()) - self.wrong_answers

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


def tally(turns: Iterable[Turn]) -> Tally:
    """Adds up the slices of one entry."""
    given = list(turns)
    events = [turn.piece.event for turn in given]
    seen = [turn for turn in given if turn.piece.server_cpu is not None]
    pieces = [turn.piece for turn in given]
    leaks = [piece for piece in pieces if piece.leak_ns is not None and piece.leak_wall_ns]
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
        window_ns=sum(event.window_ns for event in events),
        busy_ns=sum(event.busy * event.window_ns for event in events),
        client_cpu_ns=sum(turn.client_cpu_ns for turn in given),
        span_ns=sum(turn.span_ns for turn in seen),
        cpu=_added([piece.server_cpu for piece in pieces if piece.server_cpu is not None]),
        cpu_requests=sum(turn.piece.event.requests_all for turn in seen),
        connects=sum(event.connects for event in events),
        idle_closed=sum(event.idle_closed for event in events),
        error_kinds={kind: errors[kind] for kind in sorted(errors)},
        first_bad=next((event.first_bad for event in events if event.first_bad), None),
        leak_ns=sum(piece.leak_ns or 0 for piece in leaks),
        leak_wall_ns=sum(piece.leak_wall_ns or 0 for piece in leaks),
    )


def _added(times: list[CpuTime]) -> CpuTime | None:
    if not times:
        return None
    return CpuTime(
        total_ns=sum(time.total_ns for time in times),
        user_ns=sum(time.user_ns for time in times),
        system_ns=sum(time.system_ns for time in times),
    )
