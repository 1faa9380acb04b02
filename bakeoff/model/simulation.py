"""What `bakeoff simulate` found out. Schema bakeoff.simulation/1."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract


class Conditions(Contract):
    """What a simulated race meets: its machine, and how much servers differ by chance.

    Standard deviations are of ln throughput. `drift_sd` and `drift_s` are the machine's: AR(1) in
    continuous time, `drift_s` its correlation time. `slice_sd` is the rest of a short slice; it
    falls with the root of a slice's length. `cold_us` is lost in a turn that follows another
    server's. `boot_sd` is one program's from boot to boot; `start_order` is by how much the one
    started last is ahead of the one started first. A burst of steal takes `steal_ms` on average.
    """

    source: str
    requests_per_s: PositiveFloat
    connections: PositiveInt
    short_ms: PositiveInt
    long_ms: PositiveInt
    ramp_ms: NonNegativeInt
    gap_ms: NonNegativeFloat
    drift_sd: NonNegativeFloat
    drift_s: PositiveFloat
    slice_sd: NonNegativeFloat
    cold_us: NonNegativeFloat
    steals_per_s: NonNegativeFloat
    steal_ms: PositiveFloat
    boot_sd: NonNegativeFloat
    start_order: float


class Rate(Contract):
    """`count` of `n`, as a share, with its exact binomial 95 % interval (Clopper and Pearson)."""

    count: NonNegativeInt
    n: PositiveInt
    share: Annotated[float, Field(ge=0, le=1)]
    low: Annotated[float, Field(ge=0, le=1)]
    high: Annotated[float, Field(ge=0, le=1)]


class Spread(Contract):
    """The median over races, and between what the middle 80 % lie."""

    median: float
    low: float
    high: float


class Rates(Contract):
    """How the judge did in many simulated races of one size.

    `power`: the planted difference was found, with the right sign; None where there was none.
    `false_positives`: races with any finding that is wrong (equal servers told apart, or the wrong
    one ahead). `coverage`: races in which every pair's interval held the truth. `half_width`, as a
    share: that of the planted pair's interval; None: no race had blocks enough for one.
    `lasts_s`: warm-ups and pauses included.
    """

    duration_s: PositiveFloat
    boots: PositiveInt
    races: PositiveInt
    power: Rate | None
    false_positives: Rate
    coverage: Rate
    half_width: Spread | None
    lasts_s: NonNegativeFloat


class Simulation(Contract):
    """The answer of `bakeoff simulate`.

    `effect`: by what share one server is faster than the others, which are equal. With
    `power_asked`, `tried` has all sizes of races that the search looked at, and `chosen` the
    shortest that reached it; None: none did. Without, `tried` has one size, and it is `chosen`.
    """

    schema_: Literal["bakeoff.simulation/1"] = Field("bakeoff.simulation/1", alias="schema")
    effect: float
    contenders: Annotated[int, Field(ge=2)]
    seed: NonNegativeInt
    conditions: Conditions
    power_asked: Annotated[float, Field(gt=0, lt=1)] | None = None
    tried: Annotated[tuple[Rates, ...], Field(min_length=1)]
    chosen: Rates | None
