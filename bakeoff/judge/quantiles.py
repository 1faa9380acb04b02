"""Distributions and their quantiles: Student's, chi-square, F, beta, gamma and normal.

scipy has them too, in 114 MB; the tests hold ours against it. A quantile is found by Newton's steps
on the logarithm of a tail, over ln x, or over ln x/(1 - x). That is concave, so they converge from
any start.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import count
from math import erfc, exp, expm1, inf, lgamma, log, log1p, sqrt
from statistics import NormalDist
from sys import float_info

import numpy as np

from bakeoff.judge.spread import Floats
from bakeoff.model.ratio import Difference

ERROR = 0.05
epsilon = float_info.epsilon
normal_quantile = NormalDist().inv_cdf
_erfc = np.frompyfunc(erfc, 1, 1)


def normal_cdf(x: Floats) -> Floats:
    """The share below each of `x`."""
    return np.asarray(_erfc(x / -sqrt(2)), dtype=np.float64) / 2


def t_cdf(freedom: float, t: float) -> float:
    """The share of Student's t below `t`, which is not positive."""
    ln_odds = log(freedom) - 2 * log(-t) if t else inf
    return exp(_beta_tail(freedom / 2, 0.5, ln_odds)[0]) / 2


@lru_cache(maxsize=1000)
def t_quantile(freedom: float, p: float) -> float:
    """Student's, for p above a half."""
    return sqrt(freedom * exp(-_beta_ln_odds(freedom / 2, 0.5, 2 * (1 - p))))


def intervals(lines: int) -> Callable[[Floats], Difference]:
    """Student's interval of the mean of blocks, at 95 % for so many lines together."""

    def interval(blocks: Floats) -> Difference:
        mean, n = float(blocks.mean()), len(blocks)
        half = float(blocks.std(ddof=1)) / n**0.5
        half *= t_quantile(n - 1, 1 - ERROR / lines / 2)
        return Difference(more=mean, low=mean - half, high=mean + half)

    return interval


def f_quantile(above: float, below: float, p: float) -> float:
    return below / above * exp(_beta_ln_odds(above / 2, below / 2, p))


def beta_quantile(a: float, b: float, p: float) -> float:
    return 1 / (1 + exp(-_beta_ln_odds(a, b, p)))


def chi_square_quantile(freedom: float, p: float) -> float:
    return 2 * gamma_quantile(freedom / 2, p)


def gamma_quantile(shape: float, p: float) -> float:
    """The gamma distribution's, with scale 1."""
    # Wilson and Hilferty, PNAS 17, 1931; far below, where they fail, the series' first term.
    root = 1 - 1 / (9 * shape) + normal_quantile(p) / (3 * sqrt(shape))
    start = 3 * log(root) + log(shape) if root > 0.1 else (log(p) + lgamma(shape + 1)) / shape
    if p > 0.5:
        return exp(_newton(lambda ln_x: _gamma_tail(shape, ln_x, upper=True), log(1 - p), start))
    return exp(_newton(lambda ln_x: _gamma_tail(shape, ln_x, upper=False), log(p), start))


def _beta_ln_odds(a: float, b: float, p: float) -> float:
    """ln x/(1 - x) of the quantile x."""
    if p > 0.5:
        return -_beta_ln_odds(b, a, 1 - p)
    start = log(a / b) + normal_quantile(p) * sqrt(1 / a + 1 / b)
    return _newton(lambda ln_odds: _beta_tail(a, b, ln_odds), log(p), start)


def _newton(ln_tail: Callable[[float], tuple[float, float]], ln_p: float, z: float) -> float:
    for _ in range(100):
        value, slope = ln_tail(z)
        step = (value - ln_p) / slope
        z -= max(-10.0, min(10.0, step))
        if abs(step) < 1e-14 * max(1.0, abs(z)):
            break
    return z


def _beta_tail(a: float, b: float, ln_odds: float) -> tuple[float, float]:
    """ln of the share below x, and its slope, where `ln_odds` is ln x/(1 - x)."""
    if ln_odds == inf:
        return 0.0, 0.0
    ln_x, ln_y = -_ln_1_and_exp(-ln_odds), -_ln_1_and_exp(ln_odds)
    ln_density = a * ln_x + b * ln_y - (lgamma(a) + lgamma(b) - lgamma(a + b))
    if exp(ln_x) < (a + 1) / (a + b + 2):
        ln_share = ln_density + log(_beta_fraction(a, b, exp(ln_x)) / a)
    else:
        ln_share = log1p(-exp(ln_density) * _beta_fraction(b, a, exp(ln_y)) / b)
    return ln_share, exp(ln_density - ln_share)


def _ln_1_and_exp(x: float) -> float:
    """ln(1 + e^x), also for an e^x that is too large for a float."""
    return log1p(exp(x)) if x < 700 else x


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The incomplete beta function over its first factor (Abramowitz and Stegun, 26.5.8)."""

    def term(n: int) -> tuple[float, float]:
        m, odd = divmod(n, 2)
        over = -(a + m) * (a + b + m) if odd else m * (b - m)
        return over * x / (a + n - 1) / (a + n), 1.0

    return _continued(1.0, term)


def _gamma_tail(shape: float, ln_x: float, *, upper: bool) -> tuple[float, float]:
    """ln of the share above or below x, and its slope over ln x (ibid., 6.5.29 and 6.5.31)."""
    x = exp(ln_x)
    ln_density = shape * ln_x - x - lgamma(shape)
    is_below = x < shape + 1
    if is_below:
        term = share = 1 / shape
        for n in count(1):
            term *= x / (shape + n)
            share += term
            if term < epsilon / 2 * share:
                break
    else:
        share = _continued(x + 1 - shape, lambda n: (n * (shape - n), x + 1 - shape + 2 * n))
    ln_share = ln_density + log(share)
    if is_below == upper:
        ln_share = log(-expm1(ln_share))
    slope = exp(ln_density - ln_share)
    return ln_share, -slope if upper else slope


def _continued(first: float, term: Callable[[int], tuple[float, float]]) -> float:
    """1/(first + a₁/(b₁ + a₂/(b₂ + …))), by Lentz's method; `term` has aₙ and bₙ."""
    value = below = 1 / first
    above = inf
    for n in count(1):
        a, b = term(n)
        below, above = 1 / (a * below + b), b + a / above
        value *= above * below
        if abs(above * below - 1) < epsilon:
            break
    return value
