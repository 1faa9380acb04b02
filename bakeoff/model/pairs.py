"""Pairs of contenders, each written down once and asked for from either side."""

from collections.abc import Iterable
from math import inf, log, log1p
from statistics import NormalDist
from typing import Annotated, Any, Literal, Protocol, Self, TypeVar

from pydantic import Field, NonNegativeFloat, PositiveInt, model_validator

from bakeoff.model.base import Contract
from bakeoff.model.ratio import ByState, Interval, Told, told


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


class NextRace(Contract):
    """Where the ratio of a race as long as this one is expected on another day: 95 %.

    `basis` says whose earlier races tell how much races differ: those of this `pair`, or of the
    `family` of all pairs in its setting. `races` counts them.
    """

    ratio: float
    low: float
    high: float
    basis: Literal["pair", "family"]
    races: PositiveInt


class Pair(Contract):
    """Two entries compared: `a` over `b`, simultaneous 95 % interval.

    `finding` is `faster`, `slower` (a against b) or `can't tell`. Where the race was given a
    margin, a difference up to the margin makes none faster, and `within` says that the whole
    interval is within the margin; `equivalent` says so of any race. `more_s`: so much more measured
    time would probably decide a pair that is neither told apart nor equivalent; None: it is
    decided, or no time would. `minimum_detectable_effect`: a difference of that size is
    found in four of five races like this one, and one of its interval's half-width in every second.
    Where the load generator was the limit of one or both, `low` or `high` is None, as in `Ratio`:
    such a pair is never equivalent, and no difference can be promised to be found. `cpu_ratio` is
    the ratio of requests per second of the server's CPU time, in intervals that are simultaneous
    among themselves, and `cpu_finding` what that says; None: the CPU time of one can't be seen.
    `by_state` is how that ratio follows the machine's state; None: the state isn't known of enough
    draws. `mean_ratio` is the ratio of mean speeds, pauses included, in a family of its own; its
    `n` counts draws. None: one was limited, or there was one draw, or an open loop. `draws` and
    `processes`: see `Ratio`. `next_race` is None where no earlier races are known, or too few.
    """

    a: str
    b: str
    ratio: float
    low: float | None
    high: float | None
    n: PositiveInt
    draws: PositiveInt | None = None
    processes: PositiveInt | None = None
    finding: Told
    equivalent: bool
    minimum_detectable_effect: NonNegativeFloat | None
    more_s: Annotated[NonNegativeFloat | None, Field(exclude_if=lambda given: given is None)] = None
    cpu_ratio: Interval | None = None
    cpu_finding: Annotated[Told | None, Field(exclude_if=lambda given: given is None)] = None
    mean_ratio: Interval | None = None
    by_state: Annotated[ByState | None, Field(exclude_if=lambda given: given is None)] = None
    next_race: Annotated[NextRace | None, Field(exclude_if=lambda given: given is None)] = None

    @model_validator(mode="before")
    @classmethod
    def _with_cpu_finding(cls, given: Any) -> Any:
        """What is found by server CPU where nothing says so: earlier verdicts had no margin."""
        if not isinstance(given, dict) or not given.get("cpu_ratio") or "cpu_finding" in given:
            return given
        cpu = Interval.model_validate(given["cpu_ratio"])
        return {**given, "cpu_finding": told(cpu.low, cpu.high)}

    @property
    def error(self) -> float | None:
        """The standard error of ln ratio; None where an end is missing, or nothing tells it.

        What is detectable lies beyond the half-width by what four of five estimates stay within. A
        normal's quantile is taken for that: the error is 5 % too large at 9 degrees of freedom.
        """
        if not self.low or not self.high or self.minimum_detectable_effect is None:
            return None
        beyond = log1p(self.minimum_detectable_effect) - log(self.high / self.low) / 2
        return beyond / _FOUR_OF_FIVE if 0 < beyond < inf else None

    @property
    def decided(self) -> bool:
        """Whether more measuring has nothing to add: the two are told apart, or equivalent."""
        return self.finding != "can't tell" or self.equivalent

    def turned(self) -> Self:
        """The same comparison, seen from the other side."""
        return self.model_copy(
            update={
                "a": self.b,
                "b": self.a,
                **_inverted(self),
                "finding": _OPPOSITE.get(self.finding, self.finding),
                "cpu_finding": self.cpu_finding
                and _OPPOSITE.get(self.cpu_finding, self.cpu_finding),
                **{
                    key: of.model_copy(update=_inverted(of))
                    for key in ("cpu_ratio", "mean_ratio", "next_race")
                    if (of := getattr(self, key))
                },
                "by_state": self.by_state and _mirrored(self.by_state),
            }
        )


_OPPOSITE: dict[Told, Told] = {"faster": "slower", "slower": "faster"}
_FOUR_OF_FIVE = NormalDist().inv_cdf(0.8)


def _mirrored(of: ByState) -> ByState:
    """The same with the two sides exchanged."""
    return of.model_copy(
        update={
            "slope": -of.slope,
            "slope_low": -of.slope_high,
            "slope_high": -of.slope_low,
            "quiet": 1 / of.quiet,
            "quiet_low": 1 / of.quiet_high,
            "quiet_high": 1 / of.quiet_low,
        }
    )


def _inverted(of: Pair | Interval | NextRace) -> dict[str, float | None]:
    """Ratio, low and high as they are with the two sides exchanged."""
    return {
        "ratio": 1 / of.ratio,
        "low": 1 / of.high if of.high else None,
        "high": 1 / of.low if of.low else None,
    }
