"""Pairs of contenders, each recorded once and readable from either side."""

from collections.abc import Iterable
from math import inf, log, log1p
from statistics import NormalDist
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.finding import Finding
from bakeoff.model.load import Latency
from bakeoff.model.ratio import ByState, EventRatios, Interval, Ratio, Told

_OPPOSITE = {"faster": "slower", "better": "worse", "higher": "lower"}
_OPPOSITE |= {opposite: finding for finding, opposite in _OPPOSITE.items()}


class Sided(Contract):
    """Two contenders compared: `a` with `b`."""

    a: str
    b: str

    def turned(self) -> Self:
        """The same comparison, seen from the other side."""
        ratios = {
            key: value.inverted()
            for key, value in self
            if isinstance(value, Ratio | ByState | EventRatios)
        }
        findings = {
            key: _OPPOSITE.get(value, value)
            for key, value in self
            if key in ("finding", "cpu_finding")
        }
        return self.model_copy(update={"a": self.b, "b": self.a, **ratios, **findings})


PairT = TypeVar("PairT", bound=Sided)


def pair_of(pairs: Iterable[PairT], a: str, b: str) -> PairT | None:
    """`a` over `b`, inverted if `pairs` has `b` over `a`; None: it has neither."""
    for pair in pairs:
        if (pair.a, pair.b) == (a, b):
            return pair
        if (pair.a, pair.b) == (b, a):
            return pair.turned()
    return None


class NextRace(Interval):
    """The 95 % interval in which the ratio of an equally long race is expected on another day.

    `basis` names the `n` earlier races that show how much races differ: those of this `pair`, or of
    the `family` of all pairs in its setting.
    """

    basis: Literal["pair", "family"]


class Pair(Sided):
    """Two entries compared: `ratio` is a over b, with a simultaneous interval, from paired blocks.

    `finding` is `faster`, `slower` (a against b) or `can't tell`. If the race has a margin, a
    difference up to the margin makes neither faster, and `within` says that the whole interval is
    within the margin; `equivalent` says so for any race. `more_s` more seconds of measuring would
    probably decide a pair that is neither told apart nor equivalent; None: it is decided, or no
    time would decide it. `minimum_detectable_effect`: a difference of that size is found in four of
    five races like this one, and one of its interval's half-width in every second. A pair whose
    ratio lacks an end is never equivalent, and no detectable difference can be given. `cpu_ratio`
    is the ratio of requests per second of the server's CPU time, in intervals that are simultaneous
    among themselves, and `cpu_finding` its finding; None: the CPU time of one can't be seen.
    `by_state` is how that ratio follows the machine's state; None: too few draws have a known
    state. `mean_ratio` is the ratio of mean speeds, pauses included, in a family of its own; its
    `n` counts draws. None: one was limited, or the race had one draw or an open loop.
    `first_byte_ratio` is b's time to the first byte of a body over a's, geometric means, in a
    family of its own; None: each answer came in one piece, or one was limited. `core_trip_ns` is
    how long a line of the cache took from the generator's core to the servers' and back: the
    distance of the cores at which the two were compared; `fixed_work_us` is how long the fixed work
    took on the servers' core: its speed. None: it was not measured. `next_race` is None if too few
    earlier races at that distance and speed are known.
    """

    ratio: Ratio
    finding: Told
    equivalent: bool
    minimum_detectable_effect: NonNegativeFloat | None
    more_s: IfGiven[NonNegativeFloat] = None
    cpu_ratio: Interval | None = None
    cpu_finding: IfGiven[Told] = None
    mean_ratio: Interval | None = None
    first_byte_ratio: IfGiven[Interval] = None
    event_ratios: IfGiven[EventRatios] = None
    by_state: IfGiven[ByState] = None
    core_trip_ns: IfGiven[PositiveFloat] = None
    fixed_work_us: IfGiven[PositiveFloat] = None
    next_race: IfGiven[NextRace] = None

    @property
    def error(self) -> float | None:
        """The standard error of ln ratio; None: an end is missing, or it can't be derived.

        The detectable effect exceeds the half-width by a distance within which four of five
        estimates stay. A normal quantile is used for that: the error is 5 % too large at 9 degrees
        of freedom.
        """
        low, high = self.ratio.low, self.ratio.high
        if not low or not high or self.minimum_detectable_effect is None:
            return None
        beyond = log1p(self.minimum_detectable_effect) - log(high / low) / 2
        return beyond / _FOUR_OF_FIVE if 0 < beyond < inf else None

    @property
    def decided(self) -> bool:
        """Whether more measuring has nothing to add: the two are told apart, or equivalent."""
        return self.finding != "can't tell" or self.equivalent


_FOUR_OF_FIVE = NormalDist().inv_cdf(0.8)


Outcome = Literal["better", "worse", "tie", "can't tell"]


class LineValue(Contract):
    """The value of one contender on one line: the geometric mean of `n` measurements.

    None: it had none, for the reason `why`.
    """

    name: str
    value: NonNegativeFloat | None
    n: NonNegativeInt
    why: Finding | None = None


class LinePair(Sided):
    """`ratio` is `a` over `b` on one line, its interval simultaneous over the pairs of the line.

    Above 1 `a` is better: a ratio of times is inverted. `a` is `better` or `worse` if the interval
    excludes 1, and it is a `tie` if all of it is within 10 % of 1; else it can't be told.
    """

    ratio: Interval
    finding: Outcome
    why: Finding | None = None


class Line(Contract):
    """One figure of all contenders."""

    values: tuple[LineValue, ...]
    pairs: tuple[LinePair, ...] = ()

    def value(self, name: str) -> LineValue:
        """The value of one contender; raises KeyError where it took no part."""
        for value in self.values:
            if value.name == name:
                return value
        raise KeyError(name)

    def pair(self, a: str, b: str) -> LinePair | None:
        """`a` over `b`; None: too few measurements have both."""
        return pair_of(self.pairs, a, b)


class RequestEntry(Contract):
    """The figures of one entry for one request of a mix.

    `latency_us` is that of all connections together, at full load in a closed loop; `alone_us` the
    mean with one request under way at a time, if that was measured. `first_byte_us` is None if each
    answer came in one piece.
    """

    name: str
    requests: NonNegativeInt
    requests_per_s: NonNegativeFloat
    latency_us: Latency | None
    first_byte_us: IfGiven[Latency] = None
    latency_n: NonNegativeInt
    alone_us: NonNegativeFloat | None = None
    error_kinds: dict[str, PositiveInt] = {}


class RequestPair(Sided):
    """Two entries compared by one request: b's latency over a's, more being better for a.

    Both are geometric means, which a few answers that the machine delayed hardly change.

    The intervals are simultaneous over all requests and pairs. `gap` is that ratio over the median
    of those of all requests: how unusual this one is.
    """

    ratio: Interval
    finding: Literal["faster", "slower", "can't tell"]
    gap: Interval

    @property
    def differs_from_most(self) -> bool:
        """Whether the two differ more unusually than chance explains, compared with most
        requests."""
        return self.gap.excludes(1)


class MixedRequest(Contract):
    """One request of a mix: its `share`, the right status, and its figures.

    `singly`: pairs are compared with one request under way at a time; else under the race's load.
    """

    name: str
    share: Annotated[float, Field(gt=0, le=1)]
    expects: PositiveInt
    singly: bool
    entries: tuple[RequestEntry, ...]
    pairs: tuple[RequestPair, ...] = ()
