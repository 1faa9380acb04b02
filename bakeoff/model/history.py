"""The history's part of a run: enough for lists, lines over time and the matrix of pairs.

The run's folder is authoritative; all of this can be rebuilt from it.
"""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.audit import Audit
from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Machine
from bakeoff.model.pairs import Pair, pair_of
from bakeoff.model.plan import Skipped
from bakeoff.model.protocol import Protocol
from bakeoff.model.ratio import Interval, Ratio
from bakeoff.model.workload import GivenUnit

Id = Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
"""The first twelve hexadecimal digits of a SHA-256."""
MEMORY_CLASS_MIB = 1024
"""Memory within the same GiB is one class of machine: kernels reserve different amounts."""


def short_hash(*parts: object) -> str:
    """Twelve hexadecimal digits of SHA-256 over `parts`; different lists have different ones."""
    return sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:12]


def machine_class(machine: Machine) -> str:
    """One for all machines that measure alike: processor, cores, threads, memory, quota."""
    memory_gib = round(machine.memory_mib / MEMORY_CLASS_MIB)
    return short_hash(
        machine.cpu_model, machine.cpus, machine.threads_per_core, memory_gib, machine.cpu_quota
    )


def began_at(machine: Machine) -> datetime:
    """When the run began: its machine's facts were taken then."""
    at = datetime.fromisoformat(machine.taken_at)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


class IndexedFigure(Contract):
    """One contender in one race. `series` is its line over time.

    That line's key is contender, workload, protocol, load and class of machine: different things
    are never one line. `source` is the hash of its sources, empty where it isn't known. `ratio` is
    that of the race, to its reference. A figure that was not measured is None.
    """

    name: str
    contender: str
    title: str
    language: str
    version: str
    source: str
    protocol: Protocol
    series: Id
    valid: bool
    reasons: tuple[Finding, ...] = ()
    requests_per_s: NonNegativeFloat | None
    latency_p50_us: NonNegativeFloat | None = None
    latency_p99_us: NonNegativeFloat | None = None
    first_byte_p50_us: IfGiven[NonNegativeFloat] = None
    first_byte_p99_us: IfGiven[NonNegativeFloat] = None
    cpu_us_per_request: NonNegativeFloat | None = None
    memory_mib: NonNegativeFloat | None = None
    ratio: Ratio | None = None
    rank: tuple[PositiveInt, PositiveInt] | None = None
    letters: str = ""


class IndexedRace(Contract):
    """One race: a run's own, or the `part` of it in that sub-folder.

    `measures` is the figure that its ratios compare. `load` is in words, as "closed, 64
    connections".
    """

    part: str
    measures: Literal["requests_per_s", "p99", "capacity"]
    workload: str
    load: str
    reference: str
    unit: GivenUnit = "request"
    figures: tuple[IndexedFigure, ...]
    pairs: tuple[Pair, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def pair(self, a: str, b: str) -> Pair | None:
        return pair_of(self.pairs, a, b)


class IndexedClaim(Contract):
    """A replay's result for one claim of an article."""

    article: str
    number: PositiveInt
    text: str
    finding: Literal["holds", "does not hold", "can't tell"]
    ratio: Ratio | None


class IndexedRun(Contract):
    """One run. `id` is made from its plan.json, or from the result if there is nothing else.

    `path` is its folder, or its result's file. `method` is the schema of the result.
    """

    schema_: Literal["bakeoff.indexed/2"] = Field("bakeoff.indexed/2", alias="schema")
    id: Id
    name: str
    path: str
    kind: str
    began_at: datetime
    headline: str
    valid: bool
    complete: bool
    machine_class: Id
    machine: Machine
    bakeoff: str
    method: str
    command_line: tuple[str, ...]
    races: tuple[IndexedRace, ...] = ()
    claims: tuple[IndexedClaim, ...] = ()


class RunLine(Contract):
    """A run in a list; `contenders` are its contenders' names, `workloads` its workloads'."""

    id: Id
    name: str
    path: str
    kind: str
    began_at: datetime
    headline: str
    valid: bool
    complete: bool
    machine_class: Id
    cpu_model: str
    cpus: PositiveInt
    contenders: tuple[str, ...]
    workloads: tuple[str, ...]


class RunPage(Contract):
    """Some runs, the newest first. `before` requests those that come after; None: that is all."""

    runs: tuple[RunLine, ...]
    before: str | None
    total: NonNegativeInt


class MachineLine(Contract):
    """A class of machine on which runs were made."""

    machine_class: Id
    cpu_model: str
    cpus: PositiveInt


class Choices(Contract):
    """The values by which runs can be filtered, in order."""

    contenders: tuple[str, ...]
    workloads: tuple[str, ...]
    kinds: tuple[str, ...]
    machines: tuple[MachineLine, ...]


class ContenderLine(Contract):
    """A contender of the history: the number of its races, and its last one."""

    contender: str
    title: str
    language: str
    races: PositiveInt
    last_at: datetime


class SeriesKey(Contract):
    """A line over time, in words. `references` were in its races, the most frequent first.

    `only_run` and `only_part` are set if it has one race.
    """

    series: Id
    contender: str
    workload: str
    protocol: Protocol
    load: str
    unit: GivenUnit = "request"
    machine_class: Id
    cpu_model: str
    cpus: PositiveInt
    points: PositiveInt
    last_at: datetime
    references: tuple[str, ...]
    only_run: str = ""
    only_part: str = ""


class Point(Contract):
    """One race's figures of a series. `ratio` is that to the requested reference, as `of` over it.

    None: the two were not compared. The other fields may explain a step: `version`, `source`,
    `kernel`, `cpu_model`, `bakeoff`, `method`.
    """

    run: Id
    run_name: str
    part: str
    began_at: datetime
    valid: bool
    ratio: Ratio | None
    requests_per_s: NonNegativeFloat | None
    latency_p50_us: NonNegativeFloat | None
    latency_p99_us: NonNegativeFloat | None
    cpu_us_per_request: NonNegativeFloat | None
    memory_mib: NonNegativeFloat | None
    version: str
    source: str
    kernel: str
    cpu_model: str
    bakeoff: str
    method: str
    reference_version: str
    reference_source: str


class Series(Contract):
    """A line over time against one reference, the earliest point first."""

    key: SeriesKey
    reference: str
    points: tuple[Point, ...]


class Matrix(Contract):
    """The newest comparison of each pair of contenders, on one workload, protocol, load and class
    of machine. `runs` are the runs that the pairs are from."""

    workload: str
    protocol: Protocol
    load: str
    machine_class: Id
    contenders: tuple[str, ...]
    pairs: tuple[Pair, ...]
    runs: tuple[Id, ...]


class MatrixKey(Contract):
    """A choice of a matrix; `pairs` counts its comparisons."""

    workload: str
    protocol: Protocol
    load: str
    machine_class: Id
    cpu_model: str
    cpus: PositiveInt
    pairs: PositiveInt
    last_at: datetime


class ClaimPoint(Contract):
    """A claim as one replay found it."""

    run: Id
    run_name: str
    began_at: datetime
    cpu_model: str
    claim: IndexedClaim


class LevelOf(Contract):
    """The mean `ratio` of the runs between two steps; its `n` counts the runs.

    `first` and `last` are their places among the line's points. `sd` is the standard deviation of
    ln ratio from run to run; None: there is only one run.
    """

    first: NonNegativeInt
    last: NonNegativeInt
    ratio: Interval
    sd: NonNegativeFloat | None
    since: datetime


class LineStep(Contract):
    """A step: the ratio after it over that before it, and the changes of the first run after it.

    `run` is that run, `at` its place among the line's points. The ratio's `n` counts the runs on
    both sides, to the next steps.
    """

    run: Id
    run_name: str
    began_at: datetime
    at: NonNegativeInt
    ratio: Interval
    causes: tuple[Finding, ...]


class Line(Contract):
    """A series, judged. `compared` counts its points that have a ratio with both ends; the others
    don't belong to levels and steps. There is one more of `levels` than of steps; there are none if
    no point has a ratio."""

    key: SeriesKey
    reference: str
    points: tuple[Point, ...]
    compared: NonNegativeInt
    steps: tuple[LineStep, ...]
    levels: tuple[LevelOf, ...]

    @property
    def now(self) -> LevelOf | None:
        """The level since the last step."""
        return self.levels[-1] if self.levels else None


class Past(Contract):
    """The history of one contender: bakeoff.history/2."""

    schema_: Literal["bakeoff.history/2"] = Field("bakeoff.history/2", alias="schema")
    contender: str
    lines: tuple[Line, ...]


EARLIER_MIN = 4
"""With fewer earlier races there is no prediction: Student's quantile would be above 3."""


class EarlierRatio(Contract):
    """The ratio of `a` over `b` in a `run`, with the standard error of its logarithm.

    Both are builds: servers with the same version, sources and surroundings (kernel, bakeoff) have
    the same id, as far as the history knows these. `core_trip_ns` and `fixed_work_us` are
    those of its `Pair`. `began_at` is when the run began; None, as of earlier versions: unknown.
    """

    run: Id
    a: Id
    b: Id
    ratio: float
    error: Annotated[float, Field(gt=0)]
    core_trip_ns: IfGiven[PositiveFloat] = None
    fixed_work_us: IfGiven[PositiveFloat] = None
    began_at: IfGiven[datetime] = None


class Earlier(Contract):
    """Races of the same workload, load and protocol on the same class of machine.

    `builds` are those of this race, by entry, and `began_at` is when it began.
    """

    schema_: Literal["bakeoff.earlier/1"] = Field("bakeoff.earlier/1", alias="schema")
    builds: dict[str, Id]
    ratios: tuple[EarlierRatio, ...] = ()
    began_at: IfGiven[datetime] = None


class Program(Contract):
    """`audit` is how it treats a connection; `flat`: it had its full speed from its first slice on;
    `warming_ms` is the median time for which a process was loaded before a draw. None: unknown."""

    audit: Audit | None = None
    flat: bool | None = None
    warming_ms: NonNegativeFloat | None = None
