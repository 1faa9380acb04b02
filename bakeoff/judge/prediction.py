"""Where the next race's ratio is expected, from earlier races of the same two builds.

Races differ by more than their intervals say: the machine's weather affects servers differently,
and does not cancel in their ratio. Two variances describe that, both estimated by moments as
between draws (`spread.between`): τ² between occasions, and that between races of one occasion,
which began within an hour of each other. The mean of an occasion's races, weighted by 1 / (the
latter + error²), is one value. The next race has an occasion of its own. Its estimate lies about
the mean of all occasions, weighted by 1 / (τ² + error²), with the sum of the two variances, that
mean's and its own error's, for which this race's stands: the next race is as long. The quantile is
Student's (Higgins, Thompson and Spiegelhalter, J. R. Stat. Soc. A 172, 2009). About this race's
estimate instead of the mean the variance would have 2 τ²: docs/EVIDENCE.md has the cost of that.
Races at another distance or speed of the cores show nothing of this one.

Four races of one hour say nothing of τ². So it has a prior, `APART`, as sure as `APART_FREEDOM`
occasions make it, which can only widen: of pairs that differ more than most, their own τ² counts.

For two builds that have met too seldom, the variances are the means over all pairs in the same
setting, weighted by their races. Two copies of one build are a pair with a known mean: each of
their races counts from either side, and occasions move both alike, so they have no τ² but that of
their races. The pairs of a race err together, so there are never more degrees of freedom than other
races.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp, log, sqrt
from statistics import median

import numpy as np

from bakeoff.judge.calm import one_distance, one_speed
from bakeoff.judge.compare import CONFIDENCE
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.spread import Floats, between
from bakeoff.model import history
from bakeoff.model.finding import Finding
from bakeoff.model.pairs import NextRace, Pair
from bakeoff.model.verdict import Verdict

OCCASION_S = 3600.0
"""A race that began within this of the one before has its occasion."""
APART, APART_FREEDOM = 0.007, 4
"""The sd of ln ratio between occasions, pooled over 22 recorded pairs of unlike servers, and the
degrees of freedom with which it counts (docs/EVIDENCE.md, "Predictions")."""
_NOW = ""
"""This race, beside the ids of runs."""


@dataclass(frozen=True)
class Met:
    """One race of two builds, in the order of their ids: its occasion, the ln ratio of the first
    over the second, and its error."""

    occasion: int
    ln_ratio: float
    error: float


@dataclass(frozen=True)
class Varied:
    """The variance of a pair's ln ratio `apart`, between occasions, and `within` one; `freedom` is
    that of the former."""

    apart: float
    within: float
    freedom: int


def predicted(verdict: Verdict, earlier: history.Earlier) -> Verdict:
    """The verdict with the next race's ratios, and a warning where earlier races were at another
    speed."""
    trip_ns, work_us = verdict.core_trip_ns, verdict.fixed_work_us
    near = [each for each in earlier.ratios if one_distance(trip_ns, each.core_trip_ns)]
    alike = [each for each in near if one_speed(work_us, each.fixed_work_us)]
    runs = {each.run for each in alike}
    others = {each.run: each.fixed_work_us for each in near if each.run not in runs}
    known = earlier.model_copy(update={"ratios": tuple(alike)})
    return verdict.model_copy(
        update={
            "pairs": expecting(verdict.pairs, known),
            "earlier_races": len(runs),
            "warnings": (*verdict.warnings, *_speed_changed(work_us, others)),
        }
    )


def _speed_changed(work_us: float | None, others: Mapping[str, float | None]) -> Iterator[Finding]:
    if times := [of_run for of_run in others.values() if of_run]:
        yield Finding.of(
            "speed_changed", n=len(times), fixed_work_us=work_us, earlier_us=median(times)
        )


def expecting(pairs: Sequence[Pair], earlier: history.Earlier) -> tuple[Pair, ...]:
    """The pairs of a race, each with the interval in which its next ratio is expected, if that is
    known."""
    races = len({ratio.run for ratio in earlier.ratios})
    began = {ratio.run: ratio.began_at for ratio in earlier.ratios}
    places = occasions({**began, _NOW: earlier.began_at})
    lines: dict[tuple[str, str], list[Met]] = defaultdict(list)
    for ratio in earlier.ratios:
        sign = 1 if ratio.a <= ratio.b else -1
        met = Met(places[ratio.run], sign * log(ratio.ratio), ratio.error)
        lines[min(ratio.a, ratio.b), max(ratio.a, ratio.b)].append(met)
    of_family = _of_family(lines, races)

    def with_next(pair: Pair) -> Pair:
        a, b = (earlier.builds.get(name) for name in (pair.a, pair.b))
        if a is None or b is None or not pair.error:
            return pair
        own = lines.get((min(a, b), max(a, b)), [])
        sign = 1 if a <= b else -1
        known = [*own, Met(places[_NOW], sign * log(pair.ratio.ratio), pair.error)]
        if len(own) >= history.EARLIER_MIN:
            varied, basis, n = _varied(known, a == b), "pair", len(own)
        elif of_family.freedom >= history.EARLIER_MIN:
            varied, basis, n = of_family, "family", races
        else:
            return pair
        values, squares = _seen(known, varied.within, a == b)
        found = _next(sign * values, squares, pair.error, varied)
        return pair.model_copy(update={"next_race": NextRace(**found, basis=basis, n=n)})

    return tuple(map(with_next, pairs))


def occasions(began: Mapping[str, datetime | None]) -> Mapping[str, int]:
    """The occasion of each run. One whose time is unknown has its own."""
    places = {run: -number for number, run in enumerate(began, 1)}
    occasion, last = 0, None
    for at, run in sorted((at, run) for run, at in began.items() if at):
        occasion += last is None or (at - last).total_seconds() > OCCASION_S
        places[run], last = occasion, at
    return places


def _next(values: Floats, squares: Floats, error: float, varied: Varied) -> dict[str, float]:
    """Ratio, low and high of the next race, whose own standard error is `error`."""
    weight = 1 / (varied.apart + squares)
    centre = float((weight * values).sum() / weight.sum())
    half = t_quantile(varied.freedom, (1 + CONFIDENCE) / 2) * sqrt(
        varied.apart + varied.within + 1 / float(weight.sum()) + error**2
    )
    return {"ratio": exp(centre), "low": exp(centre - half), "high": exp(centre + half)}


def _of_family(lines: Mapping[tuple[str, str], Sequence[Met]], races: int) -> Varied:
    """The mean variances of all pairs."""
    # Races of equals are one line, whatever their builds: all have a mean of 1.
    equals = [race for (a, b), seen in lines.items() if a == b for race in seen]
    known = [(_varied(equals, True), len(equals) - 1)] if equals else []
    known += [(_varied(seen, False), len(seen) - 1) for (a, b), seen in lines.items() if a != b]
    weight = max(1, sum(of for _, of in known))
    return Varied(
        sum(each.apart * of for each, of in known) / weight,
        sum(each.within * of for each, of in known) / weight,
        min(sum(of for _, of in known), races - 1),
    )


def _varied(races: Sequence[Met], equal: bool) -> Varied:
    if equal:
        return Varied(between(*_seen(races, 0.0, equal)), 0.0, len(races) - 1)
    within = within_occasions(races)
    values, squares = of_occasions(races, within)
    freedom = APART_FREEDOM + len(values) - 1
    own = between(values, squares)
    blend = (APART_FREEDOM * APART**2 + (len(values) - 1) * own) / freedom
    return Varied(max(own, blend), within, freedom)


def _seen(races: Sequence[Met], within: float, equal: bool) -> tuple[Floats, Floats]:
    """ln ratios and squared errors: of occasions, and of equals each race from either side."""
    if not equal:
        return of_occasions(races, within)
    values, squares = _arrays(races)
    return np.append(values, -values), np.append(squares, squares)


def within_occasions(races: Sequence[Met]) -> float:
    """The variance between races of one occasion; 0: no two have the same."""
    together = [_arrays(each) for each in _by_occasion(races) if len(each) > 1]
    repeats = sum(len(values) - 1 for values, _ in together)
    return sum(between(*each) * (len(each[0]) - 1) for each in together) / max(1, repeats)


def of_occasions(races: Sequence[Met], within: float) -> tuple[Floats, Floats]:
    """The mean ln ratio of each occasion, and its squared error."""
    found = []
    for each in _by_occasion(races):
        values, squares = _arrays(each)
        weight = 1 / (within + squares)
        found.append((float((weight * values).sum() / weight.sum()), 1 / float(weight.sum())))
    values, squares = np.array(found).T
    return values, squares


def _by_occasion(races: Sequence[Met]) -> Sequence[Sequence[Met]]:
    found: dict[int, list[Met]] = defaultdict(list)
    for race in races:
        found[race.occasion].append(race)
    return list(found.values())


def _arrays(races: Sequence[Met]) -> tuple[Floats, Floats]:
    """ln ratios and squared errors."""
    values, errors = np.array([(race.ln_ratio, race.error) for race in races]).T
    return values, errors**2
