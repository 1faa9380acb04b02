"""How far one ratio is from another that was measured apart from it: in another run, or solo.

The two estimates are independent, so on the log scale the half-width of their difference is
√(h₁² + h₂²), each h that of a 95 % interval (MOVER: Zou and Donner, Statistics in Medicine 27,
2008). Each h has its own t quantile in it, all above the normal one, so the result errs on the
wide side where blocks or boots are few. The intervals are the verdicts' own, which hold for all
pairs of a race at once; so does the result, for all contenders that are compared.
"""

from dataclasses import dataclass
from math import exp, expm1, hypot, log, log1p
from typing import Literal

from bakeoff.model.verdict import Pair


@dataclass(frozen=True)
class Change:
    """A ratio over another one, its 95 % interval, and the least change that would be found."""

    ratio: float
    low: float
    high: float
    detectable: float

    @property
    def finding(self) -> Literal["faster", "slower", "can't tell"]:
        """Which way it went, if that can be told."""
        if self.low > 1:
            return "faster"
        return "slower" if self.high < 1 else "can't tell"


def change(before: Pair, after: Pair) -> Change:
    """`after` over `before`, two comparisons of the same entries.

    A pair's detectable effect is its half-width and what 80 % power asks for on top; both parts
    add up as standard errors do.
    """
    centre = log(after.ratio) - log(before.ratio)
    widths = [log(pair.high / pair.low) / 2 for pair in (before, after)]
    half_width = hypot(*widths)
    power = hypot(
        *(
            max(0.0, log1p(pair.minimum_detectable_effect) - width)
            for pair, width in zip((before, after), widths, strict=True)
        )
    )
    return Change(
        ratio=exp(centre),
        low=exp(centre - half_width),
        high=exp(centre + half_width),
        detectable=expm1(half_width + power),
    )
