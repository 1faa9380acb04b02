"""The result of `bakeoff simulate`. Schema bakeoff.simulation/3."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract


class Conditions(Contract):
    """The conditions of a simulated race: its machine, and how much servers differ by chance.

    Standard deviations are of ln throughput. `drift_sd` and `drift_s` are the machine's: AR(1) in
    continuous time, `drift_s` its correlation time; it affects the planted server `felt` times as
    much as the others. For a share `apart_share` of the time the host has the cores apart.
    `slice_sd` is a slice's own. A burst in which the host takes a core lasts `steal_ms` on average.
    `connections_sd`, `process_sd` and `boot_sd` are one program's: from one set of connections,
    process and boot to the next. Servers that start slowly, and so are `lasting`, have a few
    processes that take turns; others have a new one for each draw. Two slices are `gap_ms` apart.
    """

    source: str
    requests_per_s: PositiveFloat
    connections: PositiveInt
    gap_ms: NonNegativeFloat
    drift_sd: NonNegativeFloat
    drift_s: PositiveFloat
    felt: NonNegativeFloat = 1.0
    apart_share: Annotated[float, Field(ge=0, lt=1)] = 0.0
    slice_sd: NonNegativeFloat
    steals_per_s: NonNegativeFloat
    steal_ms: PositiveFloat
    connections_sd: NonNegativeFloat
    process_sd: NonNegativeFloat
    boot_sd: NonNegativeFloat
    lasting: bool = False


class Rate(Contract):
    """`count` of `n`, as a share, with its exact binomial 95 % interval (Clopper and Pearson)."""

    count: NonNegativeInt
    n: PositiveInt
    share: Annotated[float, Field(ge=0, le=1)]
    low: Annotated[float, Field(ge=0, le=1)]
    high: Annotated[float, Field(ge=0, le=1)]


class Middle(Contract):
    """The median over races, and the bounds of the middle 80 %."""

    median: float
    low: float
    high: float


class Rates(Contract):
    """The judge's results in many simulated races of one size.

    `effect`: the share by which one server is faster than the others, which are equal. `power`: how
    often it was found, with the right sign; None without an effect. `false_positives`: races with
    any wrong finding (equal servers told apart, or the wrong one ahead). `coverage`: races in which
    every pair's interval contained the truth. `half_width`: that of the planted pair's interval, as
    a share; None if no race had enough blocks for one. `lasts_s`: the whole race, with warm-ups and
    pauses.
    """

    effect: float
    duration_s: PositiveFloat
    boots: PositiveInt
    races: PositiveInt
    power: Rate | None
    false_positives: Rate
    coverage: Rate
    half_width: Middle | None
    lasts_s: NonNegativeFloat


class Simulation(Contract):
    """The answer of `bakeoff simulate`.

    With `power_asked`, `tried` has all sizes of races that the search tried, and `chosen` the
    shortest that reached it, or that of the least effect; None: none did. Otherwise `tried` has one
    size, which is `chosen`.
    """

    schema_: Literal["bakeoff.simulation/3"] = Field("bakeoff.simulation/3", alias="schema")
    contenders: Annotated[int, Field(ge=2)]
    seed: NonNegativeInt
    conditions: Conditions
    power_asked: Annotated[float, Field(gt=0, lt=1)] | None = None
    tried: Annotated[tuple[Rates, ...], Field(min_length=1)]
    chosen: Rates | None
