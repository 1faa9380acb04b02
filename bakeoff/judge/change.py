"""How far one ratio is from another that was measured apart from it: in another run, or solo.

The two estimates are independent, so on the log scale the half-width of their difference is
√(h₁² + h₂²), each h that of a 95 % interval (MOVER: Zou and Donner, Statistics in Medicine 27,
2008). Each h has its own t quantile in it, all above the normal one, so the result errs on the
wide side where blocks or boots are few. The intervals are the verdicts' own, which hold for all
pairs of a race at once; so does the result, for all contenders that are compared.

Of 400 simulated pairs of runs each (3 contenders, 50 blocks a boot, boots' sd 0.3 %, the second run
on a machine of another speed): an equal pair called changed, how often a loss of 2 % and of 5 % was
found, and the median half-width. In a race of two, turns against ten solo rounds: 18 of 400 equal
ones (4.5 %) were said to disagree.

    boots   equal   −2 %    −5 %    half-width
    1       0 %                     4.0 %
    2       0 %                     2.0 %
    3       0.8 %   87 %    100 %   1.4 %
    5       1.0 %                   1.0 %
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
