"""Intervals that hold for all pairs at once.

c is the 95 % quantile, over replicates, of the largest |Δ* − Δ| over pairs, each in units of its
own 95 % half-width; Δ ± c · half-width then covers every pair's truth in 95 % of races. With one
pair c is 1. (Beran, JASA 83, 1988: balanced simultaneous confidence sets.)
"""

from dataclasses import dataclass

import numpy as np
import scipy

from bakeoff.judge.vectors import Floats

CONFIDENCE = 0.95
POWER = 0.8


@dataclass(frozen=True)
class Width:
    """Half-widths in ln ratio: of this pair alone, of all pairs at once, of the two one-sided
    tests at 5 %; and the least difference that would have been found."""

    alone: float
    simultaneous: float
    one_sided: float
    detectable: float


def widths(moved: Floats, n: tuple[int, ...]) -> tuple[Width, ...]:
    """The widths of each pair, from its replicates in `moved` (replicates, pairs)."""
    if not n:
        return ()
    size = np.abs(moved)
    alone = np.maximum(np.quantile(size, CONFIDENCE, axis=0), 1e-12)
    one_sided = np.quantile(size, 2 * CONFIDENCE - 1, axis=0)
    c = max(1.0, float(np.quantile((size / alone).max(axis=1), CONFIDENCE)))
    return tuple(
        Width(float(own), c * float(own), float(narrow), detectable(float(own), c, blocks))
        for own, narrow, blocks in zip(alone, one_sided, n, strict=True)
    )


def detectable(alone: float, c: float, n: int) -> float:
    """The minimum detectable effect as a ratio less 1, at 80 % power.

    With one pair and one boot it is exp((t.975 + t.8) · s/√n) − 1, t with n−1 degrees of freedom.
    Else the 95 % half-width, in which the boots' part is, stands for t.975 · s/√n, and c widens it.
    """
    freedom = max(1, n - 1)
    error = alone / float(scipy.special.stdtrit(freedom, (1 + CONFIDENCE) / 2))
    return float(np.expm1(c * alone + float(scipy.special.stdtrit(freedom, POWER)) * error))
