"""A line over time, judged: its level now, its steps, and what changed at each of them."""

from collections.abc import Iterator
from math import log

from bakeoff.judge.quantiles import normal_quantile
from bakeoff.judge.steps import Measured, levels, steps
from bakeoff.judge.widths import CONFIDENCE
from bakeoff.model.finding import Finding
from bakeoff.model.history import LevelOf, Line, LineStep, Point, Series


def line_of(series: Series) -> Line:
    """Steps and levels of a series. Absolute figures drift with the machine: ratios are judged."""
    places = [place for place, point in enumerate(series.points) if _is_compared(point)]
    compared = [series.points[place] for place in places]
    measured = [_measured(point) for point in compared]
    found = steps(measured)
    return Line(
        key=series.key,
        reference=series.reference,
        points=series.points,
        compared=len(compared),
        steps=tuple(
            LineStep(
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
            LevelOf(
                first=places[level.first],
                last=places[level.last],
                ratio=level.ratio,
                sd=level.sd,
                since=compared[level.first].began_at,
            )
            for level in levels(measured, found)
        ),
    )


def causes(before: Point, after: Point, reference: str) -> tuple[Finding, ...]:
    """What differs between two runs of a line; where nothing that is kept does, that."""
    return tuple(differences(before, after, reference)) or (Finding.of("nothing_changed"),)


def differences(before: Point, after: Point, reference: str) -> Iterator[Finding]:
    """What is known to differ between two runs of a line."""
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


def _is_compared(point: Point) -> bool:
    ratio = point.ratio
    return bool(point.valid and ratio and ratio.ratio and ratio.low and ratio.high)


def _measured(point: Point) -> Measured:
    """The point's ln ratio and what its interval says of its error, as if that were normal's.

    The interval is simultaneous over its race's pairs, so this is rather too much than too little.
    """
    assert point.ratio and point.ratio.low and point.ratio.high
    width = log(point.ratio.high / point.ratio.low)
    return Measured(log(point.ratio.ratio), width / 2 / _NORMAL)


_NORMAL = normal_quantile((1 + CONFIDENCE) / 2)
