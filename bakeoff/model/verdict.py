"""verdict.json: which is faster, by how much, how sure, at what cost. Schema bakeoff.verdict/4."""

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


class Precision(Contract):
    """The precision that was asked for, as ±share of a ratio, and whether it was reached.

    `reached` is the widest half-width, as a share, of the intervals between neighbours in the
    standings; None: there was no pair. `more_s` is the measured time that would probably have been
    needed on top; None: the precision was met, or it can't be estimated.
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
    """What the entries requested: a server, and after which time it answers, or a database, and how
    many rows it has; and on which processors. `busy` is the largest share of the time in which it
    was at work, over all entries; None: it can't be seen."""

    delay_ms: NonNegativeInt | None
    rows: IfGiven[PositiveInt] = None
    cpus: tuple[NonNegativeInt, ...]
    busy: NonNegativeFloat | None


class LoaderFigures(Contract):
    """What one of several load generators did, over all entries.

    `share` is that of all answers which it had. `ceiling_per_s` is what it would have sent at work
    all the time, at the same cost of a request: an extrapolation. `late_us` is by how much it began
    late at worst, `clock_error_us` how far off its clock may have been, the median. `stolen` is the
    share of its cores' time that its host took; None: it can't be known.
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
    """The result of one race. `fairness` says where its entries' work is unequal.

    `workload_summary` says what was requested, in a few words. Of a mix, `requests` has each
    request by itself, and `by_request` those in which two entries differ otherwise than in most.
    `by_cpu` has the pairs on which the second verdict, by server CPU per request, is another one,
    with the cause.

    `protocol` is that of all entries, or, where they differ in it, of the first. `loaders` are the
    load generators, where several loaded together. `earlier_races` are those that predictions of
    the next race may rest on; None: no history was kept.

    `stopping` is what the intervals hold for: a race that was measured for its `planned` time, or
    one that may have ended at `any_time`, as what was measured may have decided when. `within` is
    the margin that was asked for; without one `equivalence_margin` is the usual one. `decided`:
    whether what the race was to go on for was; None: it had a fixed time, or a precision.
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
    unit: Annotated[
        Literal["request", "message"], Field(exclude_if=lambda given: given == "request")
    ] = "request"
    """What is counted: over WebSocket a message, whose echo is its answer."""
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
        """Whether the race was to end as soon as something is known, and it is."""
        return bool(self.decided or (self.precision and self.precision.met))

    @property
    def on_loopback(self) -> bool:
        """Whether nothing lay between generator and servers: no path and no network."""
        return self.path is None and not self.cores.apart

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
