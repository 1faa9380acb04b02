"""A line over time: each run's ratio with its interval, the levels between steps, the steps."""

from collections.abc import Callable, Sequence

from markupsafe import Markup

from bakeoff.explore.drawing.forest import NARROW_PX, WIDE_PX
from bakeoff.explore.drawing.svg import (
    PX_PER_CHARACTER,
    Ratios,
    element,
    line,
    mark,
    picture,
    quiet,
)
from bakeoff.model.history import LevelOf, Line, Point
from bakeoff.report import figures
from bakeoff.report.charts.palette import GRID, INK, PALETTE, QUIET
from bakeoff.report.kinds.history import day, minute

SHOWN_MAX = 300
"""The latest runs that are drawn: more are closer than a pixel or two to one another."""
HEIGHT_PX, AXIS_PX, LABEL_PX, HEAD_PX = 300, 44, 52, 22
POINT, LEVEL = PALETTE[0], PALETTE[1]
Across = Callable[[float], float]
"""A run's place in the line → its pixel."""


def past(of: Line, label: str, *, narrow: bool) -> Markup:
    """The line's latest runs in their order: evenly apart, since runs come in bursts."""
    width = NARROW_PX if narrow else WIDE_PX
    first = max(0, len(of.points) - SHOWN_MAX)
    shown = of.points[first:]
    ratios = [
        each
        for point in shown
        if point.valid
        for each in (point.ratio, point.low, point.high)
        if each
    ]
    # Upright, so that more is higher: the scale begins at the bottom.
    scale = Ratios.of(ratios or [1.0], HEAD_PX + HEIGHT_PX, HEAD_PX)
    step_px = (width - LABEL_PX - 16) / max(len(shown), 1)

    def across(place: float) -> float:
        return LABEL_PX + 8 + (place - first + 0.5) * step_px

    parts = [
        *_upright(scale, width, of.reference),
        *_days(shown, first, across, narrow=narrow),
        *(_level(level, scale, across) for level in of.levels if level.last >= first),
        *(_step(of, at, across) for at in range(len(of.steps)) if of.steps[at].at > first),
        *(
            _point(point, scale, across(first + place), min(4.0, max(1.5, step_px / 2.5)))
            for place, point in enumerate(shown)
        ),
    ]
    return picture(width, HEAD_PX + HEIGHT_PX + AXIS_PX, label, *parts)


def _point(point: Point, scale: Ratios, x: float, radius: float) -> Markup:
    said = f"{minute(point.began_at)}: {figures.ratio_of(point)}, {figures.plural(point.n, 'pair')}"
    if not point.valid or not point.ratio:
        foot = element("circle", cx=x, cy=scale.begin - 4, r=2, fill="none", stroke=QUIET)
        return mark(f"{minute(point.began_at)}: no ratio", foot, in_turn=False)
    top, bottom = scale.at(point.high or scale.high), scale.at(point.low or scale.low)
    return mark(
        said,
        line(x, top, x, bottom, stroke=POINT, stroke_width=1.5, opacity=0.6),
        element("circle", cx=x, cy=scale.at(point.ratio), r=radius, fill=POINT),
        in_turn=False,
    )


def _level(level: LevelOf, scale: Ratios, across: Across) -> Markup:
    """A level, with its interval as a band behind the points."""
    left, right = across(level.first - 0.4), across(level.last + 0.4)
    left = max(left, LABEL_PX + 8.0)
    top, bottom = scale.at(level.high), scale.at(level.low)
    band = element(
        "rect",
        x=left,
        y=top,
        width=right - left,
        height=max(bottom - top, 1),
        fill=LEVEL,
        opacity=0.22,
    )
    middle = scale.at(level.ratio)
    ratio, low, high = figures.interval(level.ratio, level.low, level.high)
    said = f"{figures.plural(level.n, 'run')} since {day(level.since)}: {ratio}× ({low} to {high})"
    return mark(said, band, line(left, middle, right, middle, stroke=LEVEL, stroke_width=2))


def _step(of: Line, number: int, across: Across) -> Markup:
    step = of.steps[number]
    x = across(step.at - 0.5)
    ratio, low, high = figures.interval(step.ratio, step.low, step.high)
    return mark(
        f"Step on {day(step.began_at)}: {ratio} times what it was ({low} to {high})",
        line(x, 14, x, HEAD_PX + HEIGHT_PX, stroke=INK, stroke_dasharray="4 3"),
        quiet(f"{'▲' if step.ratio > 1 else '▼'} {ratio}", x, 11, text_anchor="middle"),
    )


def _upright(scale: Ratios, width: float, reference: str) -> list[Markup]:
    parts = []
    for tick, name in scale.ticks(6):
        y = scale.at(tick)
        dashed = {"stroke": QUIET, "stroke_dasharray": "3 3"} if tick == 1 else {"stroke": GRID}
        parts.append(line(LABEL_PX, y, width - 8, y, **dashed))
        parts.append(quiet(name, LABEL_PX - 6, y + 4, text_anchor="end"))
    parts.append(
        quiet(f"ratio to {reference}, logarithmic; runs in their order", width - 8,
              HEAD_PX + HEIGHT_PX + 38, text_anchor="end")
    )  # fmt: skip
    return parts


def _days(shown: Sequence[Point], first: int, across: Across, *, narrow: bool) -> list[Markup]:
    """The date below a run, wherever there is room for it."""
    parts, free = [], 0.0
    half = 10 * PX_PER_CHARACTER / 2
    room = half if narrow else 2 * half
    for place, point in enumerate(shown):
        at = across(first + place)
        if at - half >= free:
            y = HEAD_PX + HEIGHT_PX + 18
            parts.append(quiet(day(point.began_at), at, y, text_anchor="middle"))
            free = at + half + room
    return parts
