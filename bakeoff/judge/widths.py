"""How wide an interval is, alone and among many."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from bakeoff.judge.spread import Estimate

CONFIDENCE = 0.95
POWER = 0.8


@dataclass(frozen=True)
class Width:
    """Half-widths in ln ratio: of this pair alone, of all pairs at once, of the two one-sided
    tests at 5 %; and the difference that would be found with 80 % probability, as a ratio less 1.
    """

    alone: float
    simultaneous: float
    one_sided: float
    detectable: float


def width(given: Estimate, together: int) -> Width:
    """The widths of one of `together` intervals that are to hold at once.

    Šidák's (JASA 62, 1967): each at 95 % to the power of 1 / `together`. That is exact for
    independent intervals and on the safe side for any others.
    """
    simultaneous = half_width(given, (1 + CONFIDENCE ** (1 / together)) / 2)
    return Width(
        alone=half_width(given, (1 + CONFIDENCE) / 2),
        simultaneous=simultaneous,
        one_sided=half_width(given, CONFIDENCE),
        detectable=detectable(simultaneous, half_width(given, POWER)),
    )


def half_width(given: Estimate, p: float) -> float:
    """Student's quantile `p` of the estimate's error, on the level where that is widest."""
    return max(t_quantile(each.freedom, p) * each.value for each in given.errors)


def detectable(half_width: float, power: float) -> float:
    """The minimum detectable effect as a ratio less 1: the interval's half-width, and what lies
    above it in 80 % of races, t.8 times the standard error."""
    return float(np.expm1(half_width + power))


@lru_cache(maxsize=1000)
def t_quantile(freedom: int, p: float) -> float:
    """Student's."""
    return float(scipy.special.stdtrit(freedom, p))
