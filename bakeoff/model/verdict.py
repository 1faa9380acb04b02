"""verdict.json: which entry is faster, by how much, how surely, at what cost. Schema
bakeoff.verdict/4."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract, IfAny, IfGiven
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.finding import Finding
from bakeoff.model.gate import GateResult
from bakeoff.model.machine import Machine
from bakeoff.model.pairs import MixedRequest, Pair, pair_of
from bakeoff.model.plan import Arrivals, Connection, Cores, PathFigures, RankedBy, Skipped
from bakeoff.model.protocol import Protocol
from bakeoff.model.ratio import Interval
from bakeoff.model.workload import GivenUnit


class Precision(Contract):
    """The requested precision, as ±share of a ratio, and whether it was reached.

    `reached` is the widest half-width, as a share, of the intervals between neighbours in the
    standings; None: there was no pair. `more_s` is the additional measured time that would probably
    have been needed; None: the precision was met, or it can't be estimated.
    """

    asked: PositiveFloat
    reached: NonNegativeFloat | None
    met: bool
    more_s: NonNegativeFloat | None


class NoiseFloor(Interval):
    """The twin's ratio to the reference: two copies of one program."""

    name: str


class MachineRatio(Interval):
    """One contender on a `machine` over itself on another one, by their addresses."""

    contender: str
    machine: str
    over: str


class Upstream(Contract):
    """The server or database that the entries requested: a server with the delay of its answers, or
    a database with its number of rows; and its processors. `busy` is the largest share of the time
    in which it was at work, over all entries; None: it can't be seen."""

    delay_ms: NonNegativeInt | None
    rows: IfGiven[PositiveInt] = None
    cpus: tuple[NonNegativeInt, ...]
    busy: NonNegativeFloat | None


class LoaderFigures(Contract):
    """The work of one of several load generators, over all entries.

    `share` is its share of all answers. `ceiling_per_s` is its rate if it had been at work all the
    time, at the same cost of a request: an extrapolation. `late_us` is the greatest lateness of its
    starts, `clock_error_us` the median of the possible error of its clock. `stolen` is the share of
    its cores' time that its host took; None: it can't be known.
    """

    name: str
    connections: PositiveInt
    slices: PositiveInt
    requests_per_s: NonNegativeFloat
    share: NonNegativeFloat
    ceiling_per_s: NonNegativeFloat | None
    busy: NonNegativeFloat
    cpu_us_per_request: NonNegativeFloat | None
    p50_us: NonNegativeFloat | None
    p99_us: NonNegativeFloat | None
    misses: NonNegativeInt
    late_us: NonNegativeFloat
    clock_error_us: NonNegativeFloat
    stolen: NonNegativeFloat | None


class Verdict(Contract):
    """The result of one race. `fairness` has the inequalities of its entries' work.

    `workload_summary` describes the requests in a few words. For a mix, `requests` has each request
    by itself, and `by_request` those in which two entries differ unusually. `by_cpu` has the pairs
    on which the second verdict, by server CPU per request, differs, with the cause.

    `protocol` is that of all entries or, if they differ in it, of the first. `loaders` are the load
    generators, if several loaded together. `earlier_races` are those on which predictions of the
    next race may rest; None: no history was kept.

    `stopping` is the scope of the intervals: a race that was measured for its `planned` time, or
    one that may have ended at `any_time`, as the measurements may have decided when. `within` is
    the requested margin; `equivalence_margin` is the usual one. `decided`: whether the question for
    which the race went on was decided; None: it had a fixed time, or a precision.
    """

    schema_: Literal["bakeoff.verdict/4"] = Field("bakeoff.verdict/4", alias="schema")
    run: str
    workload: str
    mode: Literal["closed", "open"]
    ranked_by: RankedBy = "requests_per_s"
    rate: PositiveFloat | None = None
    load: PositiveFloat | None = None
    arrivals: Arrivals = "uniform"
    pipeline: PositiveInt = 1
    protocol: Protocol = "h1"
    streams: PositiveInt = 1
    connection: Connection
    connections: PositiveInt
    precision: Precision | None = None
    stopping: Annotated[
        Literal["planned", "any_time"], Field(exclude_if=lambda given: given == "planned")
    ] = "planned"
    within: IfGiven[PositiveFloat] = None
    decided: IfGiven[bool] = None
    solo: bool
    reference: str
    valid: bool
    complete: bool
    warnings: tuple[Finding, ...] = ()
    fairness: tuple[Finding, ...] = ()
    workload_summary: str = ""
    unit: GivenUnit = "request"
    """What is counted: a request or, over WebSocket, a message, whose echo is its answer."""
    streamed: Annotated[
        Literal["event", "message"], Field(exclude_if=lambda given: given == "event")
    ] = "event"
    """What the streams consist of: server-sent events or, in gRPC, messages."""
    requests: tuple[MixedRequest, ...] = ()
    by_request: tuple[Finding, ...] = ()
    by_cpu: IfAny[tuple[Finding, ...]] = ()
    noise_floor: NoiseFloor | None
    equivalence_margin: float
    entries: tuple[VerdictEntry, ...]
    pairs: tuple[Pair, ...] = ()
    gates: tuple[GateResult, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    minimum_detectable_effect: Annotated[float, Field(ge=0)] | None
    boots: NonNegativeInt
    blocks: NonNegativeInt
    disturbed_blocks: NonNegativeInt
    measured_s: NonNegativeFloat
    steal_share: NonNegativeFloat | None
    cores: Cores
    upstream: Upstream | None = None
    path: IfGiven[PathFigures] = None
    machines: IfAny[tuple[MachineRatio, ...]] = ()
    loaders: IfAny[tuple[LoaderFigures, ...]] = ()
    earlier_races: IfGiven[NonNegativeInt] = None
    seed: NonNegativeInt
    machine: Machine

    @property
    def answered(self) -> bool:
        """Whether the race was to end once its question is decided, and it is."""
        return bool(self.decided or (self.precision and self.precision.met))

    @property
    def on_loopback(self) -> bool:
        """Whether neither a path nor a network was between generator and servers."""
        return self.path is None and not self.cores.apart

    @property
    def core_trip_ns(self) -> float | None:
        """The distance of its cores, which all its pairs share; None: it was not measured."""
        return next((pair.core_trip_ns for pair in self.pairs), None)

    @property
    def fixed_work_us(self) -> float | None:
        """The time of the fixed work, which all its pairs share; None: it was not measured."""
        return next((pair.fixed_work_us for pair in self.pairs), None)

    def pair(self, a: str, b: str) -> Pair | None:
        return pair_of(self.pairs, a, b)

    def entry(self, name: str) -> VerdictEntry | None:
        return next((entry for entry in self.entries if entry.name == name), None)

    def trouble(self, name: str) -> Finding | None:
        """Why `name` has no valid figures; None: it has."""
        entry = self.entry(name)
        if entry is not None:
            return None if entry.valid else Finding.of("not_valid", *entry.reasons, name=name)
        skipped = {skipped_.name: skipped_.reason for skipped_ in self.skipped}
        return Finding.of("absent", name=name, reason=skipped.get(name, "it was not measured"))
