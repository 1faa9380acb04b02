"""The sums over an entry's slices."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from bakeoff.model.engine import BadExchange, RequestSlice, SliceEvent
from bakeoff.model.entry import Errors, Handshakes
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Slice

ERROR_GROUPS = {
    "connect_refused": "connect",
    "connect_timeout": "connect",
    "connect": "connect",
    "address_exhausted": "connect",
    "handshake": "connect",
    "certificate": "connect",
    "alpn": "connect",
    "upgrade": "connect",
    "reset": "read",
    "early_close": "read",
    "doubled": "read",
    "malformed": "read",
    "stream_reset": "read",
    "goaway": "read",
    "chain": "read",
    "write": "write",
    "timeout": "timeout",
    "lost": "timeout",
    "status": "status",
    "mismatch": "mismatch",  # protocol 1 told no mismatches apart
    "mismatch_length": "mismatch",
    "mismatch_body": "mismatch",
    "mismatch_header": "mismatch",
    "grpc_status": "status",
    "late": "mismatch",
}
WRONG_ANSWERS = tuple(k for k, group in ERROR_GROUPS.items() if group in ("status", "mismatch"))


@dataclass(frozen=True)
class Turn:
    """One slice of an entry, the length of its ramp, and how many threads loaded it."""

    slice_: Slice
    ramp_ms: int
    threads: int

    @property
    def span_ns(self) -> int:
        event = self.slice_.event
        return max(0, event.drained_ns - event.start_ns) + self.ramp_ms * 1_000_000

    @property
    def client_cpu_ns(self) -> int:
        """CPU time of the generator in the window, without its polling before it sleeps, which is
        not a cost of a request."""
        event = self.slice_.event
        return min(event.cpu_ns, round(event.busy * event.window_ns * self.threads))


@dataclass(frozen=True)
class Tally:
    """Sums over slices. Windows for throughput; `span` is ramp, window and drain, for CPU.

    `answered` is `requests` by the shares of their time in flight within a window.
    `client_cores_ns` is the time in which each of the generator's cores was at work.
    `span_ns`, `cpu` and `cpu_requests` cover the slices in which the server's CPU could be seen.
    `handshakes_us` is the time of all handshakes. `upstream_ns` is the upstream's CPU time,
    over `upstream_span_ns`.
    """

    slices: int
    silent: int
    requests: int
    answered: float
    attempts: int
    window_ns: int
    client_cores_ns: tuple[float, ...]
    client_cpu_ns: int
    span_ns: int
    cpu: CpuTime | None
    cpu_requests: int
    connects: int
    idle_closed: int
    handshakes: int
    handshakes_us: float
    resumed: int
    error_kinds: Mapping[str, int]
    first_bad: BadExchange | None
    leak_ns: int
    leak_wall_ns: int
    upstream_ns: int
    upstream_span_ns: int

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> "Tally":
        given = list(turns)
        events = [turn.slice_.event for turn in given]
        cpu = [turn.slice_.server_cpu for turn in given if turn.slice_.server_cpu]
        cpu_turns = [turn for turn in given if turn.slice_.server_cpu]
        upstream = [turn.slice_.upstream_cpu for turn in given if turn.slice_.upstream_cpu]
        leaks = [
            (turn.slice_.leak_ns, turn.slice_.leak_wall_ns)
            for turn in given
            if turn.slice_.leak_ns is not None and turn.slice_.leak_wall_ns
        ]
        errors: Counter[str] = Counter()
        for event in events:
            errors.update(event.errors)
        requests_all = sum(event.requests_all for event in events)
        at_work_ns = ([busy * event.window_ns for busy in event.busy_cores] for event in events)
        answered_wrongly = sum(errors[kind] for kind in WRONG_ANSWERS)
        return cls(
            slices=len(events),
            silent=sum(event.requests == 0 for event in events),
            requests=sum(event.requests for event in events),
            answered=sum(event.answered for event in events),
            attempts=requests_all + sum(errors.values()) - answered_wrongly,
            window_ns=sum(event.window_ns for event in events),
            client_cores_ns=tuple(map(sum, zip_longest(*at_work_ns, fillvalue=0.0))),
            client_cpu_ns=sum(turn.client_cpu_ns for turn in given),
            span_ns=sum(turn.span_ns for turn in cpu_turns),
            cpu=CpuTime.summed(cpu) if cpu else None,
            cpu_requests=sum(turn.slice_.event.requests_all for turn in cpu_turns),
            connects=sum(event.connects for event in events),
            idle_closed=sum(event.idle_closed for event in events),
            handshakes=sum(event.handshakes for event in events),
            handshakes_us=sum(
                event.handshakes * (event.handshake_mean_us or 0.0) for event in events
            ),
            resumed=sum(event.resumed for event in events),
            error_kinds={kind: errors[kind] for kind in sorted(errors)},
            first_bad=next((event.first_bad for event in events if event.first_bad), None),
            leak_ns=sum(leak_ns for leak_ns, _ in leaks),
            leak_wall_ns=sum(wall_ns for _, wall_ns in leaks),
            upstream_ns=sum(each.total_ns for each in upstream),
            upstream_span_ns=sum(turn.span_ns for turn in given if turn.slice_.upstream_cpu),
        )

    @property
    def measured_s(self) -> float:
        return self.window_ns * 1e-9

    @property
    def requests_per_s(self) -> float:
        return self.answered / self.measured_s if self.window_ns else 0.0

    @property
    def client_cores(self) -> tuple[float, ...]:
        """Share of the windows in which each of the generator's cores was at work."""
        return tuple(ns / self.window_ns for ns in self.client_cores_ns if self.window_ns)

    @property
    def client_busy(self) -> float:
        """The share of the busiest core: a full one is a limit, whatever the others do."""
        return max(self.client_cores, default=0.0)

    @property
    def upstream_cores(self) -> float | None:
        """How many cores the upstream used; None: there is no upstream."""
        return self.upstream_ns / self.upstream_span_ns if self.upstream_span_ns else None

    @property
    def of_tls(self) -> Handshakes | None:
        if not self.handshakes:
            return None
        mean_us = self.handshakes_us / self.handshakes
        return Handshakes(n=self.handshakes, resumed=self.resumed, mean_us=mean_us)

    @property
    def wrong_answers(self) -> int:
        return sum(self.error_kinds.get(kind, 0) for kind in WRONG_ANSWERS)

    @property
    def errors(self) -> Errors:
        grouped: Counter[str] = Counter()
        for kind, count in self.error_kinds.items():
            grouped[ERROR_GROUPS.get(kind, "read")] += count
        return Errors(**grouped)

    def server_busy(self, cores: int) -> float | None:
        """Share of `cores` that the server used while it was loaded; None: it can't be seen."""
        if self.cpu is None or not self.span_ns:
            return None
        return self.cpu.total_ns / (self.span_ns * cores)


def wrong_answers(event: SliceEvent | RequestSlice) -> int:
    return sum(event.errors.get(kind, 0) for kind in WRONG_ANSWERS)
