"""What rounds say together: a value with its 95 % interval.

Within a round all generators met the same machine, so what counts is their difference there; the
rounds' differences are averaged, 20 % trimmed on either side, since on a shared machine some rounds
are wild. The intervals are bootstrap percentiles: whole rounds drawn again, 10,000 times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray
from scipy import stats

DRAWS = 10_000


@dataclass(frozen=True)
class Estimate:
    """A value, and between what it lies."""

    value: float
    low: float
    high: float
    rounds: int


def ratio(own: Sequence[float], other: Sequence[float], seed: int) -> Estimate:
    """How many times the other's figure ours is, from paired rounds."""
    logs = _trimmed_mean(np.log(own) - np.log(other), seed)
    return Estimate(exp(logs.value), exp(logs.low), exp(logs.high), logs.rounds)


def difference(own: Sequence[float], other: Sequence[float], seed: int) -> Estimate:
    """By how much our figure is above the other's, from paired rounds."""
    return _trimmed_mean(np.subtract(own, other), seed)


def median(own: Sequence[float], seed: int) -> Estimate:
    """Of the rounds' figures."""
    values = np.asarray(own, dtype=float)
    low, high = np.quantile(np.median(_draws(values, seed), axis=1), [0.025, 0.975])
    return Estimate(float(np.median(values)), float(low), float(high), len(values))


def _trimmed_mean(values: NDArray[np.float64], seed: int) -> Estimate:
    means = stats.trim_mean(_draws(values, seed), 0.2, axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    middle = float(stats.trim_mean(values, 0.2))
    return Estimate(middle, float(low), float(high), len(values))


def _draws(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).choice(values, (DRAWS, len(values)))
