"""samples.jsonl: what was measured, one record a line, each whole before the next begins."""

from collections.abc import Iterable
from statistics import median
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
)

from bakeoff.model.audit import Audit, Conduct, Crew, Written
from bakeoff.model.base import Contract
from bakeoff.model.engine import SliceEvent
from bakeoff.model.receipt import Stopped, Verification


class CpuTime(Contract):
    """CPU time of one process tree since it began, ns. The split may be coarser than the sum."""

    total_ns: NonNegativeInt
    user_ns: NonNegativeInt
    system_ns: NonNegativeInt

    def since(self, earlier: "CpuTime") -> "CpuTime":
        """What was used between `earlier` and this reading; never below zero."""
        return CpuTime(
            total_ns=max(0, self.total_ns - earlier.total_ns),
            user_ns=max(0, self.user_ns - earlier.user_ns),
            system_ns=max(0, self.system_ns - earlier.system_ns),
        )


class CoreTime(Contract):
    """What one processor did since the machine started, s, from /proc/stat (10 ms ticks)."""

    cpu: NonNegativeInt
    user_s: NonNegativeFloat
    system_s: NonNegativeFloat
    softirq_s: NonNegativeFloat
    steal_s: NonNegativeFloat
    idle_s: NonNegativeFloat


def _as_counted_now(event: Any) -> Any:
    """An event of an engine of protocol 1, with what that did not count.

    It had failures of ramp, window and drain together: all of them are taken for the window's. The
    time in flight is that of the requests begun in the window, all of it.
    """
    if not isinstance(event, dict) or "misses" in event:
        return event
    errors, bad = event.get("errors"), event.get("first_bad")
    count, mean_us = event.get("latency_count"), event.get("latency_mean_us")
    if not isinstance(errors, dict) or not isinstance(count, int) or mean_us is None:
        return event
    lost = {kind: count for kind, count in errors.items() if kind not in ("status", "mismatch")}
    return {
        **event,
        "misses": sum(count for count in lost.values() if isinstance(count, int)),
        "unsent": 0,
        "redirects": 0,
        "in_flight_ns": round(count * mean_us * 1e3),
        "service": None,
        "send_lag": None,
        "first_bad": {"request_base64": "", **bad} if isinstance(bad, dict) else bad,
    }


class Slice(Contract):
    """One contender's turn in a block.

    `server_cpu` covers ramp, window and drain, as `event.requests_all` does; None where it can't
    be seen. `leak_ns` is CPU time that the contender used since its last turn ended, while others
    were loaded, over `leak_wall_ns`; None for its first turn. `rate` is what was offered in an open
    loop, requests per second; None: closed loop.
    """

    entry: str
    event: Annotated[SliceEvent, BeforeValidator(_as_counted_now)]
    server_cpu: CpuTime | None
    leak_ns: NonNegativeInt | None
    leak_wall_ns: NonNegativeInt | None
    rate: PositiveFloat | None = None


class Block(Contract):
    """One slice for every contender, in random order. `cores` is read at the block's end."""

    type: Literal["block"] = "block"
    boot: NonNegativeInt
    block: NonNegativeInt
    kind: Literal["short", "long"]
    slices: tuple[Slice, ...]
    at_ns: NonNegativeInt
    cores: tuple[CoreTime, ...]
    pressure_cpu_us: NonNegativeInt | None = None


class Memory(Contract):
    """Sum of Pss over a process tree, MiB."""

    pss_mib: NonNegativeFloat
    processes: PositiveInt


class BootEntry(Contract):
    """One contender of one boot, up and verified; audited in the first boot alone."""

    name: str
    pid: PositiveInt | None
    address: str
    command: tuple[str, ...]
    time_to_ready_ms: NonNegativeFloat | None
    cpu_source: str
    idle: Memory | None
    verification: Verification
    audit: Audit | None = None


class BootStart(Contract):
    """A boot began: the contenders in the order in which they were started.

    `out` has those that could not take part in this boot, with the reason. `engine`, `io` and
    `threads` are the load generator's; engines of protocol 1 had one thread and did not say so.
    """

    type: Literal["boot"] = "boot"
    boot: NonNegativeInt
    started: tuple[BootEntry, ...]
    out: dict[str, str] = {}
    engine: str
    io: str
    threads: PositiveInt = 1
    connections_open: dict[str, NonNegativeInt]


class SliceLengths(Contract):
    """How long one contender's turns are: the windows of short and long slices, and the ramp."""

    short_ms: PositiveInt
    long_ms: PositiveInt
    ramp_ms: NonNegativeInt


Course = Literal["flat", "warm-up", "slowdown", "unsteady"]
"""How a contender came to its steady state: it was there from the start, it got faster, it got
slower, or it never came there."""


WARM_UP_SLICE_MS = 250
"""How long each slice of a warm-up is."""

WARM_UP_SLICES_PER_S = 1000 // WARM_UP_SLICE_MS

WARM_UP_S_MIN = 3.0
"""So long each is warmed up where nothing argues for less."""


class Warmup(Contract):
    """The warm-up of a boot, and each contender's slice lengths, which follow from the first one.

    `requests_per_s` and `cpu_us_per_request` have one figure per warm-up slice (closed loop; a CPU
    time that can't be seen is None). `steady` says whether a steady state was reached, `courses`
    how, and `steady_from` has the slice with which its last segment begins. `rates` is what each is
    offered from then on in an open loop, requests per second.
    """

    type: Literal["warmup"] = "warmup"
    boot: NonNegativeInt
    lengths: dict[str, SliceLengths]
    requests_per_s: dict[str, tuple[NonNegativeFloat, ...]]
    mean_latency_us: dict[str, NonNegativeFloat]
    steady: dict[str, bool]
    cpu_us_per_request: dict[str, tuple[NonNegativeFloat | None, ...]] = {}
    courses: dict[str, Course] = {}
    steady_from: dict[str, NonNegativeInt] = {}
    rates: dict[str, PositiveFloat] = {}

    def level(self, name: str) -> float | None:
        """Requests per second of its last segment, the median; None: it had no slice."""
        last = self.requests_per_s.get(name, ())[self.steady_from.get(name, 0) :]
        return median(last) if last else None

    def peak(self, name: str) -> float | None:
        """Requests per second of its last second, the median; None: it had no slice."""
        last = self.requests_per_s.get(name, ())[-WARM_UP_SLICES_PER_S:]
        return median(last) if last else None


class TcpTrouble(Contract):
    """What went wrong in the kernel's TCP, counted over the whole network namespace: connections
    that met a full listen queue, connections that were dropped before they were accepted (the same
    ones among them), and segments that were sent again."""

    listen_overflows: NonNegativeInt
    listen_drops: NonNegativeInt
    retransmits: NonNegativeInt

    def since(self, earlier: "TcpTrouble") -> "TcpTrouble":
        """What happened between `earlier` and this reading."""
        return TcpTrouble(
            listen_overflows=max(0, self.listen_overflows - earlier.listen_overflows),
            listen_drops=max(0, self.listen_drops - earlier.listen_drops),
            retransmits=max(0, self.retransmits - earlier.retransmits),
        )

    @classmethod
    def summed(cls, each: "Iterable[TcpTrouble]") -> "TcpTrouble":
        """All of them together."""
        given = list(each)
        return cls(
            listen_overflows=sum(one.listen_overflows for one in given),
            listen_drops=sum(one.listen_drops for one in given),
            retransmits=sum(one.retransmits for one in given),
        )


class BootEnd(Contract):
    """A boot ended: memory after load, how each contender stopped, who died during the load.

    `crews`, `written` and `conducts` have what each contender ran, wrote and did with its processes
    while blocks were measured, which took `lasted_s`; `warmed` is its memory when that began, and
    `tcp` what happened meanwhile (None: it can't be seen).
    """

    type: Literal["boot-end"] = "boot-end"
    boot: NonNegativeInt
    loaded: dict[str, Memory]
    stopped: tuple[Stopped, ...]
    died: dict[str, str] = {}
    crews: dict[str, Crew] = {}
    written: dict[str, Written] = {}
    conducts: dict[str, Conduct] = {}
    warmed: dict[str, Memory] = {}
    lasted_s: NonNegativeFloat = 0.0
    tcp: TcpTrouble | None = None


Record = Annotated[BootStart | Warmup | Block | BootEnd, Field(discriminator="type")]
RECORD: TypeAdapter[Record] = TypeAdapter(Record, config=ConfigDict(defer_build=True))
