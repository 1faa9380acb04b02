"""Change points in the mean: the cheapest way to cut a series into stretches.

Optimal partitioning (Jackson et al., IEEE Signal Processing Letters 12, 2005), whose answer PELT
finds sooner in long series; a warm-up's are short. ruptures has PELT, and takes two seconds of CPU
to import, in the warm-up of each race; the tests hold this against it.
"""

import numpy as np

from bakeoff.judge.vectors import Floats

LEAST = 2
"""A stretch has so many values at least."""


def stretches(values: Floats, penalty: float) -> list[tuple[int, int]]:
    """(first row, first row after it) of each stretch of `values`, (rows, columns), in order.

    They minimise the sum of squared distances from each stretch's mean, plus `penalty` for each
    stretch. There must be `LEAST` rows at least; O(rows²).
    """
    n = len(values)
    centred = values - values.mean(axis=0)
    sums = np.vstack([np.zeros(values.shape[1]), centred.cumsum(axis=0)])
    squares = np.concatenate([[0.0], (centred**2).sum(axis=1).cumsum()])
    cheapest, cut = np.full(n + 1, np.inf), np.zeros(n + 1, int)
    cheapest[0] = 0.0
    for end in range(LEAST, n + 1):
        begins = np.arange(end - LEAST + 1)
        between = ((sums[end] - sums[begins]) ** 2).sum(axis=1) / (end - begins)
        total = cheapest[begins] + squares[end] - squares[begins] - between + penalty
        cut[end] = int(total.argmin())
        cheapest[end] = total[cut[end]]
    found, end = [], n
    while end:
        found.append((int(cut[end]), end))
        end = int(cut[end])
    return found[::-1]
