"""The result of `bakeoff simulate`. Schema bakeoff.simulation/2."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract, reads


class Conditions(Contract):
    """The conditions of a simulated race: its machine, and how much servers differ by chance.

    Standard deviations are of ln throughput. `drift_sd` and `drift_s` are the machine's: AR(1) in
    continuous time, `drift_s` its correlation time. `slice_sd` is the rest of a short slice; it
    falls with the root of a slice's length. `cold_us` is lost in a slice that follows another
    server's. `connections_sd`, `process_sd` and `boot_sd` are one program's: from one set of
    connections, process and boot to the next. A draw measures `draw_s` over all contenders; each
    has a new process, or one of `instances` that take turns. `start_order` is by how much the one
    started last is ahead of the one started first. A burst of steal takes `steal_ms` on average.

    Several `loaders` share each slice. Their clocks are off by `clock_error_us` at most; each
    begins late in `late_share` of its slices, and of all together `losses_per_hour` are lost.
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
    connections_sd: NonNegativeFloat = 0.0
    process_sd: NonNegativeFloat = 0.0
    boot_sd: NonNegativeFloat
    draw_s: PositiveFloat = 1.0
    instances: PositiveInt | None = None
    start_order: float
    loaders: PositiveInt = 1
    clock_error_us: NonNegativeFloat = 0.0
    late_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    losses_per_hour: NonNegativeFloat = 0.0


class Rate(Contract):
    """`count` of `n`, as a share, with its exact binomial 95 % interval (Clopper and Pearson)."""

    count: NonNegativeInt
    n: PositiveInt
    share: Annotated[float, Field(ge=0, le=1)]
    low: Annotated[float, Field(ge=0, le=1)]
    high: Annotated[float, Field(ge=0, le=1)]


class Middle(Contract):
    """The median over races, and between what the middle 80 % lie."""

    median: float
    low: float
    high: float


class Scale(Contract):
    """What several load generators cost in one simulated race; the mean over races.

    `merge_ms` is the median CPU time in which one slice's shares were merged, `judge_s` that of the
    judge for the race, `samples_mib` what its slices take in samples.jsonl, `memory_mib` the most
    that one race's process held. Of the blocks `left_out` did not count; so many loaders were
    `lost`.
    """

    merge_ms: NonNegativeFloat
    judge_s: NonNegativeFloat
    samples_mib: NonNegativeFloat
    memory_mib: NonNegativeFloat
    left_out: Annotated[float, Field(ge=0, le=1)]
    lost: NonNegativeFloat


class Rates(Contract):
    """How the judge did in many simulated races of one size.

    `power`: the planted difference was found, with the right sign; None if there was none.
    `false_positives`: races with any wrong finding (equal servers told apart, or the wrong one
    ahead). `coverage`: races in which every pair's interval contained the truth. `half_width`: that
    of the planted pair's interval, as a share; None if no race had enough blocks for one.
    `lasts_s`: the whole race, with warm-ups and pauses.
    """

    duration_s: PositiveFloat
    boots: PositiveInt
    races: PositiveInt
    power: Rate | None
    false_positives: Rate
    coverage: Rate
    half_width: Middle | None
    lasts_s: NonNegativeFloat
    scale: Scale | None = None


class Simulation(Contract):
    """The answer of `bakeoff simulate`.

    `effect`: by what share one server is faster than the others, which are equal. With
    `power_asked`, `tried` has all sizes of races that the search looked at, and `chosen` the
    shortest that reached it; None: none did. Without, `tried` has one size, and it is `chosen`.
    """

    schema_: Annotated[
        Literal["bakeoff.simulation/2"], reads("bakeoff.simulation/1", "bakeoff.simulation/2")
    ] = Field("bakeoff.simulation/2", alias="schema")
    effect: float
    contenders: Annotated[int, Field(ge=2)]
    seed: NonNegativeInt
    conditions: Conditions
    power_asked: Annotated[float, Field(gt=0, lt=1)] | None = None
    tried: Annotated[tuple[Rates, ...], Field(min_length=1)]
    chosen: Rates | None
