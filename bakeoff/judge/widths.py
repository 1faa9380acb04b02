"""How wide an interval is: alone and among many, of a planned length or valid whenever it ends."""

from dataclasses import dataclass
from functools import lru_cache
from math import inf, sqrt

import numpy as np

from bakeoff.judge.quantiles import chi_square_quantile, normal_cdf, t_quantile
from bakeoff.judge.spread import Estimate, StandardError

CONFIDENCE = 0.95
POWER = 0.8
LOOKS = 6
"""As many looks at the same few processes a race that may end at any time counts as."""
EFFECT_VARIANCE = 2.0
"""Of what an interval that is valid at any time is tightest for: a difference of √2 of the spread
between draws is decided by some eight of them."""
_QUADRATURE = np.polynomial.legendre.leggauss(80)


@dataclass(frozen=True)
class Width:
    """Half-widths in ln ratio: of this pair alone and of all pairs at once; and the difference that
    would be found with 80 % probability, as a ratio less 1.
    """

    alone: float
    simultaneous: float
    detectable: float


def width(
    given: Estimate, together: int, among: int | None = None, *, any_time: bool = False
) -> Width:
    """The widths of one of `together` intervals that are to hold at once.

    Where they are all pairs `among` so many contenders, Tukey's and Kramer's: the pairs of a
    contender err together, which makes five contenders' intervals narrower by 5 % and thirty's by
    10 %. Else Šidák's (JASA 62, 1967), each at 95 % to the power of 1 / `together`: exact for
    independent intervals and on the safe side for any others.

    `any_time`: they hold however the end of the race was chosen, and share the 5 % evenly, since
    nothing of the like of Tukey's is known for them. They are infinite where draws are too few.
    """
    if any_time and given.spread.draws == 1:
        alone = simultaneous = inf
    elif any_time:
        alone, simultaneous = (
            max(_any_time_error(each, (1 - CONFIDENCE) / pairs) for each in given.errors)
            for pairs in (1, together)
        )
    else:
        alone = half_width(given, (1 + CONFIDENCE) / 2)
        if among is None:
            simultaneous = half_width(given, (1 + CONFIDENCE ** (1 / together)) / 2)
        else:
            simultaneous = max(tukey(among, each.freedom) * each.value for each in given.errors)
    return Width(alone, simultaneous, detectable(simultaneous, half_width(given, POWER)))


def _any_time_error(given: StandardError, alpha: float) -> float:
    """Of groups that last, each look sees the same ones: what they add to the error hardly changes
    by looking again, and Student's quantile does, for a few looks."""
    if given.lasting:
        return t_quantile(given.freedom, 1 - alpha / LOOKS / 2) * given.value
    return any_time_quantile(given.freedom, alpha) * given.value


@lru_cache(maxsize=1000)
def any_time_quantile(freedom: int, alpha: float) -> float:
    """How many standard errors an interval reaches that holds after every draw, in all but `alpha`
    of races; infinite where there are too few draws.

    From the e-process of the t-test with right-Haar prior and standardised effects of variance g:
    BF_n = (1 + ng)^(-1/2) [(1 + t²/ν) / (1 + t²/(ν(1 + ng)))]^(n/2), ν = n - 1, ever is above 1/α
    in a share α of races at most (Lai, Annals of Statistics 4, 1976; Pérez-Ortiz, Lardy, de Heide
    and Grünwald, Annals of Statistics 52, 2024; Wang and Ramdas, arXiv 2310.03722). All means that
    it never excluded are the interval.
    """
    n = freedom + 1
    grown = 1 + n * EFFECT_VARIANCE
    limit = (sqrt(grown) / alpha) ** (2 / n)
    return sqrt(freedom * (limit - 1) / (1 - limit / grown)) if limit < grown else inf


def half_width(given: Estimate, p: float) -> float:
    """Student's quantile `p` of the estimate's error, on the level where that is widest."""
    return max(t_quantile(each.freedom, p) * each.value for each in given.errors)


def detectable(half_width: float, power: float) -> float:
    """The minimum detectable effect as a ratio less 1: the interval's half-width, and what lies
    above it in 80 % of races, t.8 times the standard error."""
    return float(np.expm1(half_width + power))


@lru_cache(maxsize=1000)
def tukey(among: int, freedom: int) -> float:
    """By how many standard errors of a difference the largest of all pairs' errs in 5 % of races.

    The studentised range over √2 (Tukey 1953; Kramer, Biometrics 12, 1956; on the safe side for
    unequal errors: Hayter, Annals of Statistics 12, 1984), by quadrature. The tests hold it
    against that of scipy.stats.
    """
    if among == 2:
        return t_quantile(freedom, (1 + CONFIDENCE) / 2)
    share, of_share = _QUADRATURE
    squares = np.array([chi_square_quantile(freedom, (1 + each) / 2) for each in share])
    scale = np.sqrt(squares / freedom)[:, None]
    z = 8 * share
    below = normal_cdf(z)
    dz = 8 * of_share * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)

    def excess(error: float) -> float:
        width = np.sqrt(2) * error * scale
        within = below - normal_cdf(z - width)
        covered = among * (within ** (among - 1) * dz).sum(axis=1)
        return float((covered * of_share).sum() / 2) - CONFIDENCE

    low, high = t_quantile(freedom, (1 + CONFIDENCE) / 2), 2.0
    while excess(high) < 0:
        high *= 2
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return high
