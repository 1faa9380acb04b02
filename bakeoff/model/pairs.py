"""Pairs of contenders, each written down once and asked for from either side."""

from collections.abc import Iterable
from math import inf, log, log1p
from statistics import NormalDist
from typing import Annotated, Literal, Protocol, Self, TypeVar

from pydantic import Field, NonNegativeFloat

from bakeoff.model.base import Contract
from bakeoff.model.ratio import ByState, Interval, Ratio, Told


class Turnable(Protocol):
    """A comparison of `a` with `b`."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    def turned(self) -> Self: ...


PairT = TypeVar("PairT", bound=Turnable)


def pair_of(pairs: Iterable[PairT], a: str, b: str) -> PairT | None:
    """`a` over `b`, turned round where `pairs` has `b` over `a`; None: there is neither."""
    for pair in pairs:
        if (pair.a, pair.b) == (a, b):
            return pair
        if (pair.a, pair.b) == (b, a):
            return pair.turned()
    return None


class NextRace(Interval):
    """Where the ratio of a race as long as this one is expected on another day: 95 %.

    `basis` says whose earlier races, `n` of them, tell how much races differ: those of this `pair`,
    or of the `family` of all pairs in its setting.
    """

    basis: Literal["pair", "family"]


class Pair(Contract):
    """Two entries compared: `ratio` is a over b, with a simultaneous interval, from paired blocks.

    `finding` is `faster`, `slower` (a against b) or `can't tell`. Where the race was given a
    margin, a difference up to the margin makes none faster, and `within` says that the whole
    interval is within the margin; `equivalent` says so of any race. `more_s`: so much more measured
    time would probably decide a pair that is neither told apart nor equivalent; None: it is
    decided, or no time would. `minimum_detectable_effect`: a difference of that size is
    found in four of five races like this one, and one of its interval's half-width in every second.
    A pair whose ratio lacks an end is never equivalent, and no difference can be promised to be
    found. `cpu_ratio` is
    the ratio of requests per second of the server's CPU time, in intervals that are simultaneous
    among themselves, and `cpu_finding` what that says; None: the CPU time of one can't be seen.
    `by_state` is how that ratio follows the machine's state; None: the state isn't known of enough
    draws. `mean_ratio` is the ratio of mean speeds, pauses included, in a family of its own; its
    `n` counts draws. None: one was limited, or there was one draw, or an open loop. `next_race` is
    None where no earlier races are known, or too few.
    """

    a: str
    b: str
    ratio: Ratio
    finding: Told
    equivalent: bool
    minimum_detectable_effect: NonNegativeFloat | None
    more_s: Annotated[NonNegativeFloat | None, Field(exclude_if=lambda given: given is None)] = None
    cpu_ratio: Interval | None = None
    cpu_finding: Annotated[Told | None, Field(exclude_if=lambda given: given is None)] = None
    mean_ratio: Interval | None = None
    by_state: Annotated[ByState | None, Field(exclude_if=lambda given: given is None)] = None
    next_race: Annotated[NextRace | None, Field(exclude_if=lambda given: given is None)] = None

    @property
    def error(self) -> float | None:
        """The standard error of ln ratio; None where an end is missing, or nothing tells it.

        What is detectable lies beyond the half-width by what four of five estimates stay within. A
        normal's quantile is taken for that: the error is 5 % too large at 9 degrees of freedom.
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

    def turned(self) -> Self:
        """The same comparison, seen from the other side."""
        opposite: dict[Told | None, Told] = {"faster": "slower", "slower": "faster"}
        ratios = ("ratio", "cpu_ratio", "mean_ratio", "next_race", "by_state")
        return self.model_copy(
            update={
                "a": self.b,
                "b": self.a,
                **{
                    key: given.inverted()
                    for key in ratios
                    if (given := getattr(self, key)) is not None
                },
                **{
                    key: opposite.get(given, given)
                    for key in ("finding", "cpu_finding")
                    if (given := getattr(self, key))
                },
            }
        )


_FOUR_OF_FIVE = NormalDist().inv_cdf(0.8)
