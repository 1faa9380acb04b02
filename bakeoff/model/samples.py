"""samples.jsonl: what was measured, one record a line, each whole before the next begins."""

from collections.abc import Sequence
from statistics import median
from typing import Annotated, Any, Literal, Self

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
from bakeoff.model.capacity import CostAt
from bakeoff.model.day import Phase
from bakeoff.model.engine import SliceEvent
from bakeoff.model.load import Loader, LoadResult
from bakeoff.model.loaders import LoaderSlice
from bakeoff.model.protocol import Agreed
from bakeoff.model.receipt import Stopped, Verification


class Counters(Contract):
    """Whole numbers that only grow while they are counted."""

    def since(self, earlier: Self) -> Self:
        """What was counted between `earlier` and this reading; never below zero."""
        before = dict(earlier)
        return type(self)(**{key: max(0, value - before[key]) for key, value in self})

    @classmethod
    def summed(cls, counted: Sequence[Self]) -> Self:
        """All of them together."""
        return cls(**{key: sum(getattr(each, key) for each in counted) for key in cls.model_fields})


class CpuTime(Counters):
    """CPU time of one process tree since it began, ns. The split may be coarser than the sum."""

    total_ns: NonNegativeInt
    user_ns: NonNegativeInt
    system_ns: NonNegativeInt


class CoreTime(Contract):
    """What one processor did since the machine started, s, from /proc/stat (10 ms ticks)."""

    cpu: NonNegativeInt
    user_s: NonNegativeFloat
    system_s: NonNegativeFloat
    softirq_s: NonNegativeFloat
    steal_s: NonNegativeFloat
    idle_s: NonNegativeFloat

    @classmethod
    def together(cls, cores: Sequence[Self]) -> Self:
        """Processors of one number on several machines, as one."""
        times = [key for key in cls.model_fields if key != "cpu"]
        summed = {key: sum(getattr(each, key) for each in cores) for key in times}
        return cls(cpu=cores[0].cpu, **summed)

    @property
    def total_s(self) -> float:
        """All time that it has accounted for."""
        return self.user_s + self.system_s + self.softirq_s + self.steal_s + self.idle_s


def stolen_share(
    before: Sequence[CoreTime], after: Sequence[CoreTime], cpus: frozenset[int]
) -> float | None:
    """Share of the time of `cpus` (none: of all) between two readings that the host took; None
    where no time passed for them."""
    began = {core.cpu: core for core in before if core.cpu in cpus or not cpus}
    ended = [core for core in after if core.cpu in began]
    passed_s = sum(core.total_s - began[core.cpu].total_s for core in ended)
    if passed_s <= 0:
        return None
    return max(0.0, sum(core.steal_s - began[core.cpu].steal_s for core in ended) / passed_s)


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
    were loaded, over `leak_wall_ns`; None for its first turn. `upstream_cpu` is that of whom it
    asked meanwhile, where the workload has it ask somebody. `rate` is what was offered in an open
    loop, requests per second; None: closed loop. Of several load generators, `event` is their sum,
    `loaders` has each one's share of it, and `lost` those that were lost since the slice before,
    with what became of them.
    """

    entry: str
    event: Annotated[SliceEvent, BeforeValidator(_as_counted_now)]
    server_cpu: CpuTime | None
    leak_ns: NonNegativeInt | None
    leak_wall_ns: NonNegativeInt | None
    upstream_cpu: CpuTime | None = None
    rate: PositiveFloat | None = None
    loaders: Annotated[tuple[LoaderSlice, ...], Field(exclude_if=lambda given: not given)] = ()
    lost: Annotated[dict[str, str], Field(exclude_if=lambda given: not given)] = {}

    @property
    def server_cpu_us_per_request(self) -> float | None:
        """None where the CPU time wasn't seen, or nothing was answered."""
        if not self.server_cpu or not self.event.requests_all:
            return None
        return self.server_cpu.total_ns / 1000 / self.event.requests_all


class Redrawn(Contract):
    """What is drawn anew of one contender, and how often it is up.

    `what`: `processes` (each draw has a new process and new connections, but for one draw in five,
    which the first process of the boot has: number 0) or `connections` (the `instances` that are
    up take turns, each draw with new connections). `warm_up_ms` is how long it
    is loaded in each draw before blocks count. `why` is the code of the fact that decided it:
    `flat` and `warms_quickly`, or `solo`, where each round starts it anew (processes);
    `starts_slowly`, `warms_slowly` (or with too much noise to tell), `fixed_port`, `attached`,
    `asked` with --instances.
    """

    what: Literal["processes", "connections"]
    instances: PositiveInt
    warm_up_ms: NonNegativeInt
    why: str


class NewProcess(Contract):
    """A new process of a contender beside the first one, which is warm, pair of slices by pair.

    `time_ln` and `cpu_ln` are ln of the time and the CPU time that a request takes, new over warm;
    `cpu_ln` is empty where that can't be seen. For each pair the new one was loaded for `pair_ms`.
    """

    pair_ms: PositiveInt
    time_ln: tuple[float, ...]
    cpu_ln: tuple[float, ...] = ()


class DrawRule(Contract):
    """How a race is cut into draws. Decided once, from the facts of the first boot's start and
    warm-up, never from who was ahead. `draw_s` is what one draw measures, over all contenders;
    `new_processes` has those that were tried beside the first ones, by contender."""

    type: Literal["draw-rule"] = "draw-rule"
    draw_s: PositiveFloat
    redrawn: dict[str, Redrawn]
    new_processes: Annotated[dict[str, NewProcess], Field(exclude_if=lambda given: not given)] = {}


class Draw(Contract):
    """A draw began: new connections to every contender, and for some another process.

    `processes` numbers each contender's processes within the boot: blocks of two draws with the
    same boot and number were answered by one process. `out` has those that sit this draw out, with
    the reason.
    """

    type: Literal["draw"] = "draw"
    boot: NonNegativeInt
    draw: NonNegativeInt
    processes: dict[str, NonNegativeInt]
    connections_open: dict[str, NonNegativeInt]
    out: dict[str, str] = {}


class Block(Contract):
    """One slice for every contender, in random order. `cores` is read at the block's end.

    `draw` is numbered within the boot. In runs of earlier versions each boot was one draw.
    """

    type: Literal["block"] = "block"
    boot: NonNegativeInt
    draw: NonNegativeInt = 0
    block: NonNegativeInt
    kind: Literal["short", "long"]
    slices: tuple[Slice, ...]
    at_ns: NonNegativeInt
    cores: tuple[CoreTime, ...]
    pressure_cpu_us: NonNegativeInt | None = None


class SingleBlock(Contract):
    """One slice for every contender, in random order, with one request under way at a time.

    Of a race of several requests: `by_request` of its slices is what each takes by itself.
    """

    type: Literal["single-block"] = "single-block"
    boot: NonNegativeInt
    draw: NonNegativeInt
    block: NonNegativeInt
    slices: tuple[Slice, ...]
    at_ns: NonNegativeInt


class Memory(Contract):
    """Sum of Pss over a process tree, MiB."""

    pss_mib: NonNegativeFloat
    processes: PositiveInt


class Rested(Contract):
    """Several contenders at rest over the same time: each one's CPU time, where it can be seen, and
    the processors' energy (None: it isn't counted)."""

    lasted_ns: PositiveInt
    cpu: dict[str, CpuTime]
    energy_uj: NonNegativeInt | None


class CostSlice(Contract):
    """A slice of an open loop at a known share of what servers can do, and what it cost.

    `at` half of the contender's own peak (`share`), or at one rate for all (`equal`): half of the
    lowest peak. `energy_uj` is that of the processors over `lasted_ns`; None: it isn't counted.
    """

    at: CostAt
    slice: Slice
    lasted_ns: PositiveInt
    energy_uj: NonNegativeInt | None
    memory: Memory | None


class Costs(Contract):
    """What requests cost in one draw: its contenders at rest, then a slice of each at either load,
    in random order."""

    type: Literal["costs"] = "costs"
    boot: NonNegativeInt
    draw: NonNegativeInt
    rested: Rested
    slices: tuple[CostSlice, ...]


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

    `out` has those that could not take part in this boot, with the reason. `agreed` has what the
    load generator's connections came to, of those of which it says so. `engine`, `io` and
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
    agreed: dict[str, Agreed] = {}


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

WARM_UP_S_MIN = 2.0
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


class TcpTrouble(Counters):
    """What went wrong in the kernel's TCP, counted over the whole network namespace: connections
    that met a full listen queue, connections that were dropped before they were accepted (the same
    ones among them), and segments that were sent again."""

    listen_overflows: NonNegativeInt
    listen_drops: NonNegativeInt
    retransmits: NonNegativeInt


class NetworkUse(Counters):
    """What went over one machine's network, over all its interfaces but the loopback."""

    bytes_in: NonNegativeInt
    bytes_out: NonNegativeInt
    segments_out: NonNegativeInt
    retransmits: NonNegativeInt


class NetworkSeen(Contract):
    """What went over the network of either side while one boot was measured, draws included.

    `ray_cpu_s` is the CPU time of Ray's own processes on the servers' machine meanwhile.
    """

    server: NetworkUse
    load: NetworkUse
    ray_cpu_s: NonNegativeFloat = 0.0

    def since(self, earlier: Self) -> Self:
        """What there was between `earlier` and this reading."""
        return type(self)(
            server=self.server.since(earlier.server),
            load=self.load.since(earlier.load),
            ray_cpu_s=max(0.0, self.ray_cpu_s - earlier.ray_cpu_s),
        )


class BootEnd(Contract):
    """A boot ended: memory after load, how each contender stopped, who died during the load.

    A contender that died is not measured any further. One that lost processes (`lost`: how each
    of them ended, or why it did not come up) went on with others. What has one value for each
    contender is that of its processes together: memory is their mean, in `stopped` the worst
    counts.

    `crews`, `written` and `conducts` have what each contender ran, wrote and did with its processes
    while blocks were measured, which took `lasted_s`; `warmed` is its memory when that began, and
    `tcp` what happened meanwhile (None: it can't be seen). `network` is there where server and
    generator are on two machines.
    """

    type: Literal["boot-end"] = "boot-end"
    boot: NonNegativeInt
    loaded: dict[str, Memory]
    stopped: tuple[Stopped, ...]
    died: dict[str, str] = {}
    lost: dict[str, tuple[str, ...]] = {}
    crews: dict[str, Crew] = {}
    written: dict[str, Written] = {}
    conducts: dict[str, Conduct] = {}
    warmed: dict[str, Memory] = {}
    lasted_s: NonNegativeFloat = 0.0
    tcp: TcpTrouble | None = None
    network: Annotated[NetworkSeen | None, Field(exclude_if=lambda given: given is None)] = None


class ToolRun(Contract):
    """One run of a load tool (or of `volley load`) against one server, as part of a round.

    `of` is the comparison of an article that the run belongs to, and `row` its row; both are empty
    in a crosscheck, which has one server. `kind` is `round` where all took their turns in random
    order, `faithful` where one row's runs came in a row as the article had them. Without `result`
    there is a `failure`, in words. `output` is what the program printed.
    """

    type: Literal["tool-run"] = "tool-run"
    of: str = ""
    row: str = ""
    round: NonNegativeInt
    kind: Literal["round", "faithful"] = "round"
    loader: Loader
    command: tuple[str, ...]
    output: str
    result: LoadResult | None = None
    failure: str = ""


class PlanChange(Contract):
    """What a run had to change of its plan, which is itself never rewritten.

    `out` has the parts of the plan that can't be measured, with the reason: contenders of a race,
    cells of a grid, comparisons of a replay (or `comparison/row`), load tools of a crosscheck.
    `duration_s` replaces the plan's, and so do `connections`: as many as all listen queues have
    room for, or as all servers serve at a time. `places` has the queues that overflowed with more,
    by name, and `served` how many connections those serve that let others wait.
    """

    type: Literal["plan-change"] = "plan-change"
    out: dict[str, str] = {}
    duration_s: PositiveFloat | None = None
    connections: PositiveInt | None = None
    places: dict[str, PositiveInt] = {}
    served: dict[str, PositiveInt] = {}


class DayTurn(Contract):
    """One contender's turn in one phase of one round of a day; see bakeoff.day for the phases.

    `number` counts the turns of a phase that has several. Which of the others there are depends on
    the phase: `ready_ms` and `verification` of a start; `slices` of all loads (slow clients:
    without and with them; recovery: before the crowd came, then those after it had gone at
    `since_ns`); CPU time and the processors' energy over `lasted_ns`; `memory` at its end, of loads
    before the connections close; `tcp` is what went wrong in the kernel's TCP meanwhile. `opened`
    counts the connections that the load could open, with slow clients those that were still held at
    the end. Where it could not have its turn or died in it, `out` says why.
    """

    type: Literal["day-turn"] = "day-turn"
    round: NonNegativeInt
    phase: Phase
    entry: str
    number: NonNegativeInt = 0
    ready_ms: NonNegativeFloat | None = None
    verification: Annotated[Verification | None, Field(exclude_if=lambda given: given is None)] = (
        None
    )
    slices: tuple[Slice, ...] = ()
    since_ns: NonNegativeInt | None = None
    cpu: CpuTime | None = None
    energy_uj: NonNegativeInt | None = None
    lasted_ns: NonNegativeInt | None = None
    memory: Memory | None = None
    tcp: Annotated[TcpTrouble | None, Field(exclude_if=lambda given: given is None)] = None
    opened: NonNegativeInt | None = None
    out: str = ""


class DayEnd(Contract):
    """A round of a day ended, after `lasted_s`, with windows of `window_ms` (None: as planned);
    `stopped` says how each contender did."""

    type: Literal["day-end"] = "day-end"
    round: NonNegativeInt
    lasted_s: NonNegativeFloat
    window_ms: PositiveInt | None = None
    stopped: tuple[Stopped, ...]


Record = Annotated[
    BootStart
    | Warmup
    | DrawRule
    | Draw
    | Block
    | SingleBlock
    | Costs
    | BootEnd
    | ToolRun
    | DayTurn
    | DayEnd
    | PlanChange,
    Field(discriminator="type"),
]
RECORD: TypeAdapter[Record] = TypeAdapter(Record, config=ConfigDict(defer_build=True))
