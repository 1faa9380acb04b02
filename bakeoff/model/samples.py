"""samples.jsonl: the measurements, one record a line, each whole before the next begins."""

from typing import Annotated, Literal

from pydantic import (
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
)

from bakeoff.model.audit import Audit, Conduct, Crew, Written
from bakeoff.model.base import Contract, IfAny, IfGiven
from bakeoff.model.capacity import CostAt
from bakeoff.model.cut import Draw, DrawRule, Warmup
from bakeoff.model.day import Phase
from bakeoff.model.engine import SliceEvent
from bakeoff.model.finding import Finding
from bakeoff.model.load import Loader, LoadResult
from bakeoff.model.loaders import LoaderSlice
from bakeoff.model.protocol import Agreed
from bakeoff.model.readings import (
    CoreTime,
    CpuTime,
    Memory,
    NetworkSeen,
    PathSeen,
    Received,
    TcpTrouble,
    Usage,
)
from bakeoff.model.receipt import Stopped, Verification
from bakeoff.model.why import Layer, Wait

LEAK_SHARE_MAX = 0.01
"""The share of a contender's cores: using them in others' turns slows the others."""


class Slice(Contract):
    """One contender's turn in a block.

    `server_cpu` covers ramp, window and drain, as `event.requests_all` does; None where it can't be
    seen. `leak_ns` is CPU time that the contender used since its last turn ended, while others were
    loaded, over `leak_wall_ns`; None for its first turn. `upstream_cpu` is that of the upstream
    meanwhile, if the workload has one. `rate` is the offered rate of an open loop, requests per
    second; None: closed loop. `others_share` is the share of the servers' cores' time that
    processes other than contenders had meanwhile; None: it can't be seen. `beside_ns` is the CPU
    time that other parts of the race had on the generator's cores meanwhile: the path or the
    upstream, if there are no other cores for them. Neither of these two is read in a day, which
    leaves no slice out for its company. With several load generators, `event` is their sum,
    `loaders` has each one's share of it, and `lost` those that were lost since the slice before,
    with the reason.
    """

    entry: str
    event: SliceEvent
    server_cpu: CpuTime | None
    leak_ns: NonNegativeInt | None
    leak_wall_ns: NonNegativeInt | None
    upstream_cpu: CpuTime | None = None
    rate: PositiveFloat | None = None
    others_share: IfGiven[NonNegativeFloat] = None
    beside_ns: IfAny[NonNegativeInt] = 0
    loaders: IfAny[tuple[LoaderSlice, ...]] = ()
    lost: IfAny[dict[str, str]] = {}

    @property
    def server_cpu_us_per_request(self) -> float | None:
        """None: the CPU time wasn't seen, or nothing was answered."""
        if not self.server_cpu or not self.event.requests_all:
            return None
        return self.server_cpu.total_ns / 1000 / self.event.requests_all


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


class SingleBlock(Contract):
    """One slice for every contender, in random order, with one request under way at a time.

    For a race of several requests: `by_request` of its slices has the latency of each by itself.
    """

    type: Literal["single-block"] = "single-block"
    boot: NonNegativeInt
    draw: NonNegativeInt
    block: NonNegativeInt
    slices: tuple[Slice, ...]
    at_ns: NonNegativeInt


class Rested(Contract):
    """Several contenders at rest over the same time: each one's CPU time, if it can be seen, and
    the processors' energy (None: it isn't counted)."""

    lasted_ns: PositiveInt
    cpu: dict[str, CpuTime]
    energy_uj: NonNegativeInt | None


class CostSlice(Contract):
    """A slice of an open loop at a known share of the servers' peaks, and its costs.

    `at` is half of the contender's own peak (`share`), or one rate for all (`equal`): half of the
    lowest peak. `energy_uj` is that of the processors over `lasted_ns`; None: it isn't counted.
    """

    at: CostAt
    slice: Slice
    lasted_ns: PositiveInt
    energy_uj: NonNegativeInt | None
    memory: Memory | None


class Costs(Contract):
    """The costs of requests in one draw: its contenders at rest, then a slice of each at either
    load, in random order."""

    type: Literal["costs"] = "costs"
    boot: NonNegativeInt
    draw: NonNegativeInt
    rested: Rested
    slices: tuple[CostSlice, ...]


class BootEntry(Contract):
    """One contender of one boot, running and verified; it is audited only in the first boot.

    `idle` is its memory before any load, `holding` that with all connections open and at rest, only
    for many connections.
    """

    name: str
    pid: PositiveInt | None
    address: str
    command: tuple[str, ...]
    time_to_ready_ms: NonNegativeFloat | None
    cpu_source: str
    idle: Memory | None
    holding: IfGiven[Memory] = None
    verification: Verification
    audit: Audit | None = None


class BootStart(Contract):
    """A boot began: the contenders in the order in which they were started.

    `out` has those that could not take part in this boot, with the reason. `agreed` has the
    properties of the load generator's connections, if it reports them. `engine`, `io` and `threads`
    are the load generator's; engines of protocol 1 had one thread and did not report it.
    `held_open` has how many held streams were open.
    """

    type: Literal["boot"] = "boot"
    boot: NonNegativeInt
    started: tuple[BootEntry, ...]
    out: dict[str, str] = {}
    engine: str
    io: str
    threads: PositiveInt = 1
    connections_open: dict[str, NonNegativeInt]
    held_open: IfAny[dict[str, NonNegativeInt]] = {}
    agreed: dict[str, Agreed] = {}


class BootEnd(Contract):
    """A boot ended: memory after load, how each contender stopped, and those that died during the
    load.

    A contender that died is not measured any further. A contender that lost processes (`lost`: how
    each of them ended, or why it did not start) went on with others. A single value for each
    contender is that of its processes together: memory is their mean, in `stopped` the worst
    counts.

    `crews`, `written` and `conducts` have what each contender ran, wrote and did with its processes
    while blocks were measured, which took `lasted_s`; `warmed` is its memory when that began, and
    `tcp` has TCP's troubles meanwhile (None: they can't be seen). `dropped` counts the datagrams
    for which the sockets of contenders over HTTP/3 had no room. It has `network` if server and
    generator are on two machines, and `path` if a path was made between them. `held` has those that
    were stopped in others' turns, with the share of their cores that they had used there.
    `cut_short`: an error ended the boot, so most of this is missing; `time_was_up`: it ended with
    the permitted time of the race.
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
    dropped: IfAny[dict[str, NonNegativeInt]] = {}
    network: IfGiven[NetworkSeen] = None
    path: IfGiven[PathSeen] = None
    held: IfAny[dict[str, NonNegativeFloat]] = {}
    cut_short: IfAny[bool] = False
    time_was_up: IfAny[bool] = False


class ToolRun(Contract):
    """One run of a load tool (or of `volley load`) against one server, as part of a round.

    `of` is the run's comparison of an article, and `row` its row; both are empty in a crosscheck,
    which has one server. `kind` is `round` if all took their turns in random order, `faithful` if
    one row's runs came in a row as in the article. Without a `result` it has a `failure`, in words.
    `output` is that of the program. It took `took_s`, its start included, and used the share `busy`
    of its cores' time; `received` has the packets that the machine received meanwhile.
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
    took_s: PositiveFloat | None = None
    busy: NonNegativeFloat | None = None
    received: Received | None = None


class PlanChange(Contract):
    """A necessary change of a run's plan, which is itself never rewritten.

    `out` has the parts of the plan that can't be measured, with the reason: contenders of a race,
    cells of a grid, comparisons of a replay (or `comparison/row`), load tools of a crosscheck.
    `duration_s` replaces the plan's, and so do `connections`: as many as fit in all listen queues,
    or as all servers serve at a time. `places` has the queues that overflowed with more, by name,
    and `served` the limits of servers that let further connections wait. `prepared`: it was known
    before the start, as for contenders that can't be built.
    """

    type: Literal["plan-change"] = "plan-change"
    out: dict[str, str] = {}
    prepared: IfAny[bool] = False
    duration_s: PositiveFloat | None = None
    connections: PositiveInt | None = None
    places: dict[str, PositiveInt] = {}
    served: dict[str, PositiveInt] = {}


class DayTurn(Contract):
    """One contender's turn in one phase of one round of a day; see bakeoff.day for the phases.

    `number` counts the turns of a phase that has several. The other fields depend on the phase:
    `ready_ms` and `verification` of a start; `slices` of all loads (slow clients: without and with
    them; recovery: before the crowd came, then those after it had gone at `since_ns`); CPU time and
    the processors' energy over `lasted_ns`; `memory` at its end, of loads before the connections
    close; `tcp` has the troubles of the kernel's TCP meanwhile. `opened` counts the connections
    that the load could open, with slow clients those that were still held at the end. If it could
    not have its turn or died in it, `out` says why.
    """

    type: Literal["day-turn"] = "day-turn"
    round: NonNegativeInt
    phase: Phase
    entry: str
    number: NonNegativeInt = 0
    ready_ms: NonNegativeFloat | None = None
    verification: IfGiven[Verification] = None
    slices: tuple[Slice, ...] = ()
    since_ns: NonNegativeInt | None = None
    cpu: CpuTime | None = None
    energy_uj: NonNegativeInt | None = None
    lasted_ns: NonNegativeInt | None = None
    memory: Memory | None = None
    tcp: IfGiven[TcpTrouble] = None
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


class WhyBlock(Contract):
    """A slice of each contender at one rate, `plain` or while its stacks were `sampled`; without a
    rate each is at its own peak.

    `usages` has the events of each one's threads meanwhile, if they were seen, and `waits` the time
    of its threads at work by its use, ns.
    """

    type: Literal["why-block"] = "why-block"
    kind: Literal["plain", "sampled"]
    block: NonNegativeInt
    slices: tuple[Slice, ...]
    usages: dict[str, Usage] = {}
    waits: dict[str, dict[Wait, NonNegativeInt]] = {}


class WhyStacks(Contract):
    """How often one contender's threads were seen in a stack, in each of the sampled `blocks`, at
    one rate for all or each `at_peak`.

    A stack is its functions from the outermost on, with semicolons between; those of the kernel end
    with `_[k]`.
    """

    type: Literal["why-stacks"] = "why-stacks"
    entry: str
    blocks: tuple[NonNegativeInt, ...]
    at_peak: bool = False
    stacks: dict[str, tuple[NonNegativeInt, ...]]


class WhyCounts(Contract):
    """One contender's system calls by name, or its cores' counters, in total, while it answered a
    number of requests."""

    type: Literal["why-counts"] = "why-counts"
    layer: Literal["calls", "counters"]
    entry: str
    requests: PositiveInt
    counts: dict[str, NonNegativeInt]


class WhyEnd(Contract):
    """The look for causes ended, after `lasted_s`; `missing` layers were not available here.

    `given_up` says why it ended before its time.
    """

    type: Literal["why-end"] = "why-end"
    lasted_s: NonNegativeFloat
    missing: dict[Layer, Finding] = {}
    given_up: str = ""


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
    | WhyBlock
    | WhyStacks
    | WhyCounts
    | WhyEnd
    | PlanChange,
    Field(discriminator="type"),
]
RECORD: TypeAdapter[Record] = TypeAdapter(Record, config=ConfigDict(defer_build=True))
