"""A search for capacities: plan.json, and capacity.json with the highest rates that hold."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract, IfAny, IfGiven
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Cluster, Machine
from bakeoff.model.pairs import Line, Sided, pair_of
from bakeoff.model.plan import Arrivals, Connection, Cores, PathFigures, Plan, Skipped
from bakeoff.model.protocol import Protocol
from bakeoff.model.ratio import Interval
from bakeoff.model.receipt import Expectation
from bakeoff.model.workload import GivenUnit

Timed = Literal["latency", "first-byte", "first-event", "gap", "last"]
"""The kinds of time of a quantile: the latency of an answer, the time to its body's first byte; in
a stream of events, the time to the first event or from one to the next; in rooms of WebSocket, the
time until the last listener has heard a message."""


def quantile_name(p: float, of: Timed) -> str:
    """`p99`, `p99.9`, `first-byte-p99`, `gap-p99`."""
    return f"{'' if of == 'latency' else f'{of}-'}p{p * 100:.6g}"


class Bound(Contract):
    """The upper limit of one quantile of a time."""

    p: Annotated[float, Field(gt=0, lt=1)]
    limit_us: PositiveFloat
    of: Timed = "latency"

    @property
    def of_events(self) -> bool:
        return self.of in ("first-event", "gap")

    @property
    def quantile(self) -> str:
        return quantile_name(self.p, self.of)

    @property
    def text(self) -> str:
        """As on the command line: `p99=10ms`."""
        for unit, us in (("s", 1e6), ("ms", 1e3)):
            if self.limit_us >= us:
                return f"{self.quantile}={self.limit_us / us:g}{unit}"
        return f"{self.quantile}={self.limit_us:g}us"


class Objective(Contract):
    """A service level objective: all of its bounds hold, and the conditions of every capacity."""

    bounds: Annotated[tuple[Bound, ...], Field(min_length=1)]

    @property
    def text(self) -> str:
        """`p99=10ms,p99.9=50ms`."""
        return ",".join(bound.text for bound in self.bounds)


class CapacityPlan(Contract):
    """plan.json of a search for capacities: the `race` whose boots climb the ladder, and the
    objectives.

    Unless `duration_asked`, a record of the log may give the race the time that slow servers need.
    """

    schema_: Literal["bakeoff.capacity-plan/2"] = Field("bakeoff.capacity-plan/2", alias="schema")
    run: str
    objectives: Annotated[tuple[Objective, ...], Field(min_length=1)]
    duration_asked: bool = True
    race: Plan

    @property
    def cluster(self) -> Cluster | None:
        return self.race.cluster


Outcome = Literal["found", "at least", "not met", "can't tell"]
"""`at least`: the generator, its connections or the ladder's top was the limit, not the server.
`not met`: not at any offered rate. `can't tell`: no slice had enough answers for its quantile, or
the generator or its connections were the limit already at the lowest rate, or that rate broke the
objective and a higher one held it."""


class Capacity(Contract):
    """The highest rate at which one contender holds one objective, requests per second.

    `low` and `high` are its 95 % interval, None where `finding` is not `found`. `limit` is the
    condition that breaks first: a quantile, `answered`, `errors`, `generator`, `connections` or
    `unsteady`; empty where none does. `best_us` and `best_rate`: for an objective that is not met,
    the lowest value of its first unmet quantile, and the rate at which it was measured.
    """

    objective: str
    finding: Outcome
    requests_per_s: NonNegativeFloat | None
    low: NonNegativeFloat | None = None
    high: NonNegativeFloat | None = None
    limit: str = ""
    best_us: NonNegativeFloat | None = None
    best_rate: NonNegativeFloat | None = None


class Mean(Contract):
    """The geometric mean of the capacities over several objectives, with its 95 % interval."""

    requests_per_s: NonNegativeFloat
    low: NonNegativeFloat
    high: NonNegativeFloat


class CurvePoint(Contract):
    """The figures of a contender at one offered rate, over all of its slices.

    `goodput` counts right answers per second within the windows. A quantile, µs, is None if fewer
    than ten requests lie beyond it, or if it is among requests that were never answered.
    `send_lag_us` is the p99 of the generator's lateness, waiting for a free connection included.
    """

    rate: PositiveFloat
    slices: PositiveInt
    requests: NonNegativeInt
    answered: NonNegativeFloat
    errors: NonNegativeFloat
    goodput: NonNegativeFloat
    quantiles_us: dict[str, float | None]
    cpu_us_per_request: NonNegativeFloat | None
    client_busy: NonNegativeFloat
    send_lag_us: NonNegativeFloat | None


class RequestPoint(Contract):
    """The figures of one request of a mix at one offered rate.

    `requests` of it were due in the windows, and the share `errors` was answered wrongly or not at
    all. A quantile, µs, is None as in `CurvePoint`.
    """

    name: str
    requests: NonNegativeInt
    errors: NonNegativeFloat
    quantiles_us: dict[str, float | None]


class CapacityEntry(Contract):
    """One contender. `peak` is its closed-loop throughput at the end of the warm-up. `held` has
    what its answers had to contain, by request, if the right ones were not given and they vary.

    `curve` has a point for each offered rate, rising. `at_capacity` is the point nearest to its
    first capacity, `beyond` that nearest to 1.5 times that; None: there is none. `requests` has
    each request of a mix at the rate of `at_capacity`.
    """

    name: str
    title: str
    version: str
    valid: bool
    reasons: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    peak: NonNegativeFloat | None
    capacities: tuple[Capacity, ...]
    mean: Mean | None = None
    at_capacity: CurvePoint | None = None
    beyond: CurvePoint | None = None
    requests: IfAny[tuple[RequestPoint, ...]] = ()
    held: IfAny[dict[str, Expectation]] = {}
    curve: tuple[CurvePoint, ...] = ()


CostAt = Literal["share", "equal"]
"""At half of each contender's own peak, or at one rate for all: half of the lowest peak."""

CostFigure = Literal["cpu_us_per_request", "memory_mib", "energy_uj_per_request"]


class CostLine(Line):
    """The cost of a request, or of serving, at one of the two loads; it is made of draws.

    CPU time and the processors' energy are per answer, less the use at rest. `requests_per_s` is
    each one's offered rate, as a geometric mean.
    """

    at: CostAt
    figure: CostFigure
    requests_per_s: dict[str, PositiveFloat]


class CapacityPair(Sided):
    """Capacities compared: `a` over `b`, in intervals simultaneous over the pairs of `objective`.

    The ratio's `n` counts the slices of the one of the two that had fewer. `objective` is empty for
    the geometric means over all objectives.
    """

    objective: str
    ratio: Interval
    finding: Literal["higher", "lower", "can't tell"]


class CapacityReport(Contract):
    """The whole result: bakeoff.capacity/3. `step` is the ratio of neighbouring rungs. In rooms of
    `room` listeners rates count messages that are sent, figures per request what each hears."""

    schema_: Literal["bakeoff.capacity/3"] = Field("bakeoff.capacity/3", alias="schema")
    run: str
    command_line: tuple[str, ...]
    objectives: tuple[Objective, ...]
    workload: str
    unit: GivenUnit = "request"
    room: IfGiven[PositiveInt] = None
    arrivals: Arrivals
    connection: Connection
    connections: PositiveInt
    protocol: Protocol = "h1"
    streams: PositiveInt = 1
    path: IfGiven[PathFigures] = None
    reference: str
    complete: bool
    warnings: tuple[Finding, ...] = ()
    entries: tuple[CapacityEntry, ...]
    pairs: tuple[CapacityPair, ...] = ()
    costs: IfAny[tuple[CostLine, ...]] = ()
    skipped: tuple[Skipped, ...] = ()
    step: PositiveFloat
    boots: NonNegativeInt
    blocks: NonNegativeInt
    disturbed_blocks: NonNegativeInt
    measured_s: NonNegativeFloat
    cores: Cores
    seed: NonNegativeInt
    machine: Machine

    def pair(self, objective: str, a: str, b: str) -> CapacityPair | None:
        """`a` over `b` for one objective; empty: for their means. None: they weren't compared."""
        return pair_of([pair for pair in self.pairs if pair.objective == objective], a, b)
