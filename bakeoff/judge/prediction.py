"""Where the next race's ratio is expected: beside this hour's interval, another day's.

An interval says what this hour of this machine gives. Races differ by more: servers feel the
machine's weather unlike, and it doesn't cancel in their ratio. So the prediction adds the variance
between races, τ², which earlier races tell (by moments, as that between draws: `spread.between`).

The next estimate lies about the mean of the earlier ones and this one, weighted by 1 / (τ² +
error²), with the variance τ² + that mean's + its own error's, for which this race's stands: the
next race is as long. The quantile is Student's (Higgins, Thompson and Spiegelhalter, J. R. Stat.
Soc. A 172, 2009), with one degree of freedom for each earlier race. About this race's estimate
instead of the mean the variance would have 2 τ²: docs/EVIDENCE.md has what that costs.

Where the same two builds have met too seldom, τ² is the mean of those of all pairs in the same
setting, weighted by their degrees of freedom. Two copies of one build are a pair of which the mean
is known: each of their races counts from either side. The pairs of a race err together, so there
are never more degrees of freedom than other races.
"""

from collections import defaultdict
from collections.abc import Sequence
from math import exp, log, sqrt

import numpy as np

from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.spread import between
from bakeoff.judge.trimmed import Floats
from bakeoff.judge.widths import CONFIDENCE
from bakeoff.model.earlier import EARLIER_MIN, Earlier, EarlierRatio
from bakeoff.model.pairs import NextRace, Pair
from bakeoff.model.verdict import Verdict

Lines = dict[tuple[str, str], list[tuple[float, float]]]
"""By two builds in the order of their ids: ln ratio of the first over the second, and its error."""


def predicted(verdict: Verdict, earlier: Earlier) -> Verdict:
    """The verdict, with what earlier races tell of the next one."""
    races = len({each.run for each in earlier.ratios})
    pairs = expecting(verdict.pairs, earlier)
    return verdict.model_copy(update={"pairs": pairs, "earlier_races": races})


def expecting(pairs: Sequence[Pair], earlier: Earlier) -> tuple[Pair, ...]:
    """The pairs of a race, each with where its ratio is expected next, where that can be told."""
    races = len({each.run for each in earlier.ratios})
    lines = _lines(earlier.ratios)
    of_family, freedom = _of_family(lines, races)

    def with_next(pair: Pair) -> Pair:
        a, b = (earlier.builds.get(name) for name in (pair.a, pair.b))
        if a is None or b is None or not pair.error:
            return pair
        own = lines.get((min(a, b), max(a, b)), [])
        sign = 1 if a <= b else -1
        values, squares = _seen([*own, (sign * log(pair.ratio.ratio), pair.error)], a == b)
        if len(own) >= EARLIER_MIN:
            found = _next(sign * values, squares, pair.error, between(values, squares), len(own))
            next_race = NextRace(**found, basis="pair", n=len(own))
        elif freedom >= EARLIER_MIN:
            found = _next(sign * values, squares, pair.error, of_family, freedom)
            next_race = NextRace(**found, basis="family", n=races)
        else:
            return pair
        return pair.model_copy(update={"next_race": next_race})

    return tuple(map(with_next, pairs))


def _next(
    values: Floats, squares: Floats, error: float, variance: float, freedom: int
) -> dict[str, float]:
    """Ratio, low and high of the next race, whose own standard error is `error`."""
    weight = 1 / (variance + squares)
    centre = float((weight * values).sum() / weight.sum())
    half = t_quantile(freedom, (1 + CONFIDENCE) / 2) * sqrt(
        variance + 1 / float(weight.sum()) + error**2
    )
    return {"ratio": exp(centre), "low": exp(centre - half), "high": exp(centre + half)}


def _lines(ratios: Sequence[EarlierRatio]) -> Lines:
    lines: Lines = defaultdict(list)
    for each in ratios:
        sign = 1 if each.a <= each.b else -1
        key = min(each.a, each.b), max(each.a, each.b)
        lines[key].append((sign * log(each.ratio), each.error))
    return lines


def _of_family(lines: Lines, races: int) -> tuple[float, int]:
    """The mean variance between the races of a pair, and its degrees of freedom."""
    # Races of equals are one line, whatever their builds: all have their mean in 1.
    equals = [race for (a, b), seen in lines.items() if a == b for race in seen]
    known = [(between(*_seen(equals, True)), len(equals))] if equals else []
    known += [
        (between(*_seen(seen, False)), len(seen) - 1) for (a, b), seen in lines.items() if a != b
    ]
    freedom = sum(of for _, of in known)
    variance = sum(each * of for each, of in known) / max(1, freedom)
    return variance, min(freedom, races - 1)


def _seen(races: Sequence[tuple[float, float]], equal: bool) -> tuple[Floats, Floats]:
    """ln ratios and squared errors of races (ln ratio, error); of equals from either side."""
    values, errors = np.array(races).T
    if equal:
        values, errors = np.append(values, -values), np.append(errors, errors)
    return values, errors**2
