"""The steps of a line over time.

Each run's ln ratio has the standard error of its own interval, and runs differ by more than that:
other processes, another day. A step is looked for in windows of every length (seeded intervals:
Kovács, Bühlmann, Li and Munk, Biometrika 110, 2023), so that a fall that was fixed later hides
neither of its two steps. In a window, each place that leaves `SHORTEST` runs on both sides is
tested by Student's t of the two means. Their error is pooled from the runs of the window, and is
never less than the runs' own intervals say. The level is shared among all places of all windows
(Bonferroni's), so a whole line of equals has a false step in at most 5 % of cases, if its runs are
independent. A ratio that wanders slowly from day to day does have different levels, and they are
reported. The surest place is taken, and both sides are looked at again. The tests simulate it;
docs/EVIDENCE.md has the rates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log, sqrt

import numpy as np

from bakeoff.judge.compare import CONFIDENCE
from bakeoff.judge.quantiles import normal_cdf, normal_quantile, t_cdf, t_quantile
from bakeoff.judge.spread import Floats
from bakeoff.model import history
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Interval

SHORTEST = 3
"""The fewest runs on either side of a step. Two runs soon agree by chance."""
LONGEST = 1000
"""How many of a line's latest runs are looked at: years of them, in well under a second."""


@dataclass(frozen=True)
class Measured:
    """One run's ln ratio and its standard error."""

    ln_ratio: float
    error: float


@dataclass(frozen=True)
class Level:
    """Runs `first` to `last` (inclusive) between two steps, and their mean ratio.

    `sd` is the standard deviation of ln ratio between the runs; None: there is only one run.
    """

    first: int
    last: int
    ratio: Interval
    sd: float | None


@dataclass(frozen=True)
class Step:
    """A step before run `at`: the ratio after it over that before it, of the runs on both sides."""

    at: int
    ratio: Interval


def steps(points: Sequence[Measured]) -> tuple[Step, ...]:
    """The steps of a line, in order of time; `at` counts `points` from 0."""
    skipped = max(0, len(points) - LONGEST)
    values = np.array([point.ln_ratio for point in points[skipped:]])
    errors = np.array([point.error for point in points[skipped:]])
    found = sorted(_places(values, errors))
    edges = [0, *found, len(values)]
    return tuple(
        _step(values, errors, before, at, after, skipped)
        for (before, at), after in zip(pairwise(edges[:-1]), edges[2:], strict=True)
    )


def levels(points: Sequence[Measured], found: Sequence[Step]) -> tuple[Level, ...]:
    edges = [0, *(step.at for step in found), len(points)]
    return tuple(_level(points, first, after) for first, after in pairwise(edges) if after > first)


def _places(values: Floats, errors: Floats) -> Iterator[int]:
    windows = list(_windows(len(values)))
    places = sum(end - begin - 2 * SHORTEST + 1 for begin, end in windows)
    if not places:
        return
    level = (1 - CONFIDENCE) / places
    best = [_surest(values, errors, begin, end) for begin, end in windows]
    todo = [(0, len(values))]
    while todo:
        begin, end = todo.pop()
        inside = [
            found
            for found, (first, after) in zip(best, windows, strict=True)
            if begin <= first and after <= end
        ]
        if not inside:
            continue
        chance, place = min(inside)
        if chance < level:
            yield place
            todo += [(begin, place), (place, end)]


def _windows(n: int) -> Iterator[tuple[int, int]]:
    """The whole, and shorter and shorter windows that overlap by half; no two begin at one
    place."""
    length = float(n)
    seen = set()
    while length >= 2 * SHORTEST:
        count = max(1, round(2 * n / length) - 1)
        size = round(length)
        for begin in np.linspace(0, n - size, count).round().astype(int):
            window = (int(begin), int(begin) + size)
            if window not in seen:
                seen.add(window)
                yield window
        length /= sqrt(2)


def _surest(values: Floats, errors: Floats, begin: int, end: int) -> tuple[float, int]:
    """The least probability by chance within a window, and its place."""
    window, squares = values[begin:end], errors[begin:end] ** 2
    n = len(window)
    places = np.arange(SHORTEST, n - SHORTEST + 1)
    sums, of_squares = np.cumsum(window), np.cumsum(window**2)
    left, right = sums[places - 1] / places, (sums[-1] - sums[places - 1]) / (n - places)
    scatter = of_squares[-1] - places * left**2 - (n - places) * right**2
    pooled = np.maximum(scatter, 0) / (n - 2)
    between = np.abs(left - right)
    # There are two tests, by the scatter of the runs and by their intervals. The less sure one
    # counts.
    by_scatter = between / np.sqrt(np.maximum(pooled * (1 / places + 1 / (n - places)), 1e-30))
    own = np.cumsum(squares)
    by_intervals = between / np.sqrt(
        np.maximum(
            own[places - 1] / places**2 + (own[-1] - own[places - 1]) / (n - places) ** 2, 1e-30
        )
    )
    chance = np.maximum(
        [2 * t_cdf(n - 2, -t) for t in by_scatter.tolist()], 2 * normal_cdf(-by_intervals)
    )
    # Where several places are surer than a float can hold, the widest gap is the place.
    surest = min(range(len(places)), key=lambda at: (chance[at], -by_scatter[at]))
    return float(chance[surest]), begin + int(places[surest])


def _step(values: Floats, errors: Floats, before: int, at: int, after: int, skipped: int) -> Step:
    left, right = values[before:at], values[at:after]
    freedom = len(left) + len(right) - 2
    scatter = float(((left - left.mean()) ** 2).sum() + ((right - right.mean()) ** 2).sum())
    by_scatter = sqrt(scatter / freedom * (1 / len(left) + 1 / len(right)))
    by_intervals = sqrt(
        float((errors[before:at] ** 2).sum()) / len(left) ** 2
        + float((errors[at:after] ** 2).sum()) / len(right) ** 2
    )
    change = float(right.mean() - left.mean())
    half = _half(freedom, by_scatter, by_intervals)
    return Step(skipped + at, _interval(change, half, len(left) + len(right)))


def _level(points: Sequence[Measured], first: int, after: int) -> Level:
    values = np.array([point.ln_ratio for point in points[first:after]])
    n, mean = len(values), float(values.mean())
    by_intervals = sqrt(sum(point.error**2 for point in points[first:after])) / n
    sd = float(values.std(ddof=1)) if n > 1 else None
    half = _half(n - 1, sd / sqrt(n), by_intervals) if sd is not None else 1.96 * by_intervals
    return Level(first, after - 1, _interval(mean, half, n), sd)


def _interval(centre: float, half: float, n: int) -> Interval:
    return Interval(ratio=exp(centre), low=exp(centre - half), high=exp(centre + half), n=n)


def _half(freedom: int, by_scatter: float, by_intervals: float) -> float:
    p = (1 + CONFIDENCE) / 2
    return max(t_quantile(freedom, p) * by_scatter, normal_quantile(p) * by_intervals)


def line_of(series: history.Series) -> history.Line:
    """Steps and levels of a series. Absolute figures drift with the machine, so ratios are
    judged."""
    places = [
        place
        for place, point in enumerate(series.points)
        if point.valid and (ratio := point.ratio) and ratio.ratio and ratio.low and ratio.high
    ]
    compared = [series.points[place] for place in places]
    measured = [_measured(point) for point in compared]
    found = steps(measured)
    return history.Line(
        key=series.key,
        reference=series.reference,
        points=series.points,
        compared=len(compared),
        steps=tuple(
            history.LineStep(
                run=compared[step.at].run,
                run_name=compared[step.at].run_name,
                began_at=compared[step.at].began_at,
                at=places[step.at],
                ratio=step.ratio,
                causes=causes(compared[step.at - 1], compared[step.at], series.reference),
            )
            for step in found
        ),
        levels=tuple(
            history.LevelOf(
                first=places[level.first],
                last=places[level.last],
                ratio=level.ratio,
                sd=level.sd,
                since=compared[level.first].began_at,
            )
            for level in levels(measured, found)
        ),
    )


def causes(before: history.Point, after: history.Point, reference: str) -> tuple[Finding, ...]:
    return tuple(differences(before, after, reference)) or (Finding.of("nothing_changed"),)


def differences(before: history.Point, after: history.Point, reference: str) -> Iterator[Finding]:
    if before.version != after.version:
        yield Finding.of("version_changed", before=before.version, after=after.version)
    elif _known_and_unlike(before.source, after.source):
        yield Finding.of("sources_changed")
    if before.reference_version != after.reference_version:
        yield Finding.of(
            "reference_version",
            reference=reference,
            before=before.reference_version,
            after=after.reference_version,
        )
    elif _known_and_unlike(before.reference_source, after.reference_source):
        yield Finding.of("reference_sources", reference=reference)
    for key in ("kernel", "bakeoff", "method"):
        old, new = getattr(before, key), getattr(after, key)
        if old != new:
            yield Finding.of("surroundings_changed", key=key, before=old, after=new)


def _known_and_unlike(before: str, after: str) -> bool:
    return bool(before and after) and before != after


def _measured(point: history.Point) -> Measured:
    """The point's ln ratio and its error according to its interval, as if that were normal's.

    The interval is simultaneous over its race's pairs, so the error is rather too large than too
    small.
    """
    assert point.ratio and point.ratio.low and point.ratio.high
    width = log(point.ratio.high / point.ratio.low)
    return Measured(log(point.ratio.ratio), width / 2 / _NORMAL)


_NORMAL = normal_quantile((1 + CONFIDENCE) / 2)
