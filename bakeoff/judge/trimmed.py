"""The 40 % trimmed mean, and what it varies by: the mean of the middle fifth.

A neighbour on the same physical core slows every third slice of a shared machine by a tenth and
more. Of a pair every second block is hit, so what leaves out less than that is moved by it: why
40 %, and what it costs on a quiet machine, is in EVIDENCE.md, a neighbour. Formulas: Wilcox,
Introduction to Robust Estimation, chapter 3, but for one: what is left of few values is not 20 %,
and is counted as it is. The tests hold the mean against that of scipy.stats.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

TRIM = 0.4


def trimmed_mean(values: Floats) -> float:
    """The mean without the lowest and the highest 40 %; `values` has one number at least."""
    centres, _ = trimmed_groups(values, np.zeros(len(values), np.int64))
    return float(centres[0])


def trimmed_groups(values: Floats, member: Indices) -> tuple[Floats, Floats]:
    """The trimmed mean of each group, and the squares of its values' influence on it, added up.

    `member` has the group of each value, from 0 without a gap. A value's influence is what it moves
    the mean by, times n: the winsorised value less their mean, over the share that is left. The
    squares over n (n − 1) are the squared standard error, which is that of many values.
    """
    order = np.lexsort((values, member))
    ordered, group = values[order], member[order]
    n = np.bincount(group)
    cut = (TRIM * n).astype(np.int64)
    first = np.cumsum(n) - n
    place = np.arange(len(values)) - first[group]
    left = (place >= cut[group]) & (place < (n - cut)[group])
    share = (n - 2 * cut) / n
    low, high = ordered[first + cut], ordered[first + n - 1 - cut]
    winsorised = np.clip(ordered, low[group], high[group])
    pulled = winsorised - (np.bincount(group, winsorised) / n)[group]
    centres: Floats = np.bincount(group, ordered * left) / (n - 2 * cut)
    squares = np.bincount(group, (pulled / share[group]) ** 2)
    return centres, squares.astype(np.float64)


def exactness(n: int) -> float:
    """What the squared standard error of few values is multiplied by: Yuen's (Biometrika 61, 1974)
    divides by h (h − 1) of the h values that are left. 1.8 of ten values, of which two are left."""
    freedom = degrees_of_freedom(n)
    return (freedom + 1) * (n - 1) / (n * freedom)


def degrees_of_freedom(n: int) -> int:
    """Those of the trimmed mean's standard error: the values that are left, less one.

    0: one is left, as of one, three and five, and tells no error.
    """
    return n - 2 * int(TRIM * n) - 1
