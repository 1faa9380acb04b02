"""Where the curve of a contender crosses its objective: isotonic regression on ln rate.

Each condition of the objective has its own curve, since noise in one would else be taken for the
other's fault: the mean score of each rung's slices, made rising by pooling neighbours that are out
of order (pool adjacent violators; Barlow et al., Statistical Inference under Order Restrictions,
1972), crosses 0 on the straight line between two rungs. The lowest crossing is the capacity.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
import scipy

from bakeoff.judge.slo import Held
from bakeoff.judge.vectors import Floats, Indices


@dataclass(frozen=True)
class Climb:
    """All slices of one contender against one objective.

    `ln_rates` has the rungs, rising; `rung`, `block` and each of `scores` have one value a slice:
    its rung's place, its block's place in the run, its score or NaN.
    """

    ln_rates: Floats
    rung: Indices
    block: Indices
    scores: Mapping[str, Floats]


@dataclass(frozen=True)
class Crossing:
    """ln of the highest rate that holds; −∞: none did, ∞: all did. `limit`: which condition broke
    first. `coarse`: by how much of ln rate the straight line between two rungs may be wrong."""

    ln_rate: float
    limit: str
    coarse: float


def climb(held: Sequence[Held], blocks: Sequence[int]) -> Climb:
    """The slices of one contender, each with the place of its block; one at least."""
    rates, rung = np.unique([one.rate for one in held], return_inverse=True)
    conditions = dict.fromkeys(name for one in held for name in one.scores)
    return Climb(
        ln_rates=np.log(rates),
        rung=rung,
        block=np.asarray(blocks, dtype=np.int64),
        scores={
            name: np.array([one.scores.get(name, np.nan) for one in held]) for name in conditions
        },
    )


def crossing(given: Climb, weights: Floats | None = None) -> Crossing:
    """The first condition to break, and where; each slice counts `weights` times, or once."""
    counts = np.ones(len(given.rung)) if weights is None else weights
    found = [
        _crossed(given.ln_rates, *_curve(given, scores, counts), name)
        for name, scores in given.scores.items()
    ]
    return min(found, key=lambda one: one.ln_rate)


def fitted(given: Climb) -> dict[float, float]:
    """For each rate the highest of the fitted scores of all conditions: above 0 it breaks one."""
    worst = np.full(len(given.ln_rates), -inf)
    counts = np.ones(len(given.rung))
    for scores in given.scores.values():
        places, fit = _curve(given, scores, counts)
        worst[places] = np.maximum(worst[places], fit)
    rates = np.exp(given.ln_rates)
    return {float(rate): float(score) for rate, score in zip(rates, worst, strict=True)}


def _curve(given: Climb, scores: Floats, counts: Floats) -> tuple[Indices, Floats]:
    """The rungs that have a score, and the rising fit there."""
    told = ~np.isnan(scores) & (counts > 0)
    size = len(given.ln_rates)
    weight = np.bincount(given.rung[told], counts[told], size)
    total = np.bincount(given.rung[told], counts[told] * scores[told], size)
    places = np.flatnonzero(weight)
    if not len(places):
        return places, np.zeros(0)
    means = total[places] / weight[places]
    return places, scipy.optimize.isotonic_regression(means, weights=weight[places]).x


def _crossed(ln_rates: Floats, places: Indices, fit: Floats, limit: str) -> Crossing:
    above = np.flatnonzero(fit > 0)
    if not len(above):
        return Crossing(inf, "", 0.0)
    first = int(above[0])
    if first == 0:
        return Crossing(-inf, limit, 0.0)
    low, high = ln_rates[places[first - 1]], ln_rates[places[first]]
    under, over = fit[first - 1], fit[first]
    climbed = float(over - under)
    # The steeper the step, the less is known of where within it the curve bends.
    coarse = float(high - low) / 2 * min(1.0, climbed / 2)
    return Crossing(float(low - under * (high - low) / climbed), limit, coarse)


def clamped(found: Crossing, given: Climb) -> float:
    """ln rate as a finite figure: beyond the rungs it is the outermost one."""
    low, high = float(given.ln_rates[0]), float(given.ln_rates[-1])
    return min(max(found.ln_rate, low), high)


def told(given: Climb, quantile: str) -> bool:
    """Whether any slice had enough requests for that quantile."""
    scores = given.scores.get(quantile)
    return scores is not None and bool(np.isfinite(scores).any())
