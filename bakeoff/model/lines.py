"""A figure of all contenders on one line, with the ratios of every two of them."""

from typing import Literal, Self

from pydantic import NonNegativeFloat, NonNegativeInt

from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.pairs import pair_of
from bakeoff.model.ratio import Interval

Outcome = Literal["better", "worse", "tie", "can't tell"]


class LineValue(Contract):
    """What one contender had on one line: the geometric mean of `n` measurements.

    None: it had none, and `why` says so.
    """

    name: str
    value: NonNegativeFloat | None
    n: NonNegativeInt
    why: Finding | None = None


class LinePair(Contract):
    """`ratio` is `a` over `b` on one line, its interval simultaneous over the pairs of the line.

    Above 1 `a` is better: a ratio of times is turned round. `a` is `better` or `worse` where the
    interval leaves out 1, and it is a `tie` where all of it is within 10 % of 1; else it can't be
    told.
    """

    a: str
    b: str
    ratio: Interval
    finding: Outcome
    why: Finding | None = None

    def turned(self) -> Self:
        """`b` over `a`."""
        mirrored: dict[Outcome, Outcome] = {"better": "worse", "worse": "better"}
        return self.model_copy(
            update={
                "a": self.b,
                "b": self.a,
                "ratio": self.ratio.inverted(),
                "finding": mirrored.get(self.finding, self.finding),
            }
        )


class Line(Contract):
    """One figure of all contenders."""

    values: tuple[LineValue, ...]
    pairs: tuple[LinePair, ...] = ()

    def value(self, name: str) -> LineValue:
        """That of one contender; KeyError where it took no part."""
        for value in self.values:
            if value.name == name:
                return value
        raise KeyError(name)

    def pair(self, a: str, b: str) -> LinePair | None:
        """`a` over `b`; None: too few measurements have both."""
        return pair_of(self.pairs, a, b)
