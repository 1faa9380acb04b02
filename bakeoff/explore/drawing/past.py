"""A line over time: each run's ratio with its interval, the levels between steps, the steps."""

from collections.abc import Sequence

from markupsafe import Markup

from bakeoff.model.history import LevelOf, Line, Point
from bakeoff.report import figures
from bakeoff.report.charts import svg
from bakeoff.report.charts.scale import Scale, times, upright
from bakeoff.report.charts.svg import INK, PALETTE, QUIET
from bakeoff.report.document import Chart, Drawing, Frame
from bakeoff.report.kinds.history import day, minute

SHOWN_MAX = 300
"""The number of latest runs that are drawn: more would be within a pixel or two of each other."""
HEIGHT_PX, AXIS_PX, LABEL_PX, HEAD_PX = 300, 44, 52, 22
POINT, LEVEL = PALETTE[0], PALETTE[1]


def line_over_time(of: Line) -> tuple[Chart, ...]:
    if not of.levels:
        return ()
    left_out = len(of.points) - SHOWN_MAX
    steps = figures.plural(len(of.steps), "step")
    older = f" {figures.plural(left_out, 'earlier run')} not drawn." if left_out > 0 else ""
    return (
        Chart(
            "past",
            f"{of.key.contender} over {of.reference}",
            f"Each point is one run’s ratio to {of.reference}, with its 95 % interval; higher is"
            " faster. The lines with a band are the levels between steps, with theirs; a dashed"
            f" upright is a step, with the level after it over that before it.{older}",
            f"{figures.plural(len(of.points), 'run')} with {steps}.",
            lambda frame: _past(of, frame),
        ),
    )


def _past(of: Line, frame: Frame) -> Drawing:
    """The line's latest runs in their order: evenly apart, since runs come in bursts."""
    first = max(0, len(of.points) - SHOWN_MAX)
    shown = of.points[first:]
    ratios = [
        end
        for point in shown
        if point.valid and (ratio := point.ratio)
        for end in (ratio.ratio, ratio.low, ratio.high)
        if end
    ]
    bottom = HEAD_PX + HEIGHT_PX
    scale = Scale.ratios(ratios, bottom, HEAD_PX)
    begin, end = LABEL_PX + 8, frame.width - 8
    across = Scale(first - 0.5, first + len(shown) - 0.5, begin, end)
    radius = min(4.0, max(1.5, (end - begin) / len(shown) / 2.5))
    title = f"ratio to {of.reference}, logarithmic; runs in their order"
    parts = [
        *upright(scale.axis(title, 6, times), LABEL_PX, end, dashed_at=1),
        svg.quiet(title, end, bottom + 38, text_anchor="end"),
        *_days(shown, first, across, frame),
        *(_level(level, scale, across) for level in of.levels if level.last >= first),
        *(_step(of, at, across) for at in range(len(of.steps)) if of.steps[at].at > first),
        *(
            _point(point, scale, across.at(place), radius)
            for place, point in enumerate(shown, start=first)
        ),
    ]
    return Drawing(bottom + AXIS_PX, parts)


def _point(point: Point, scale: Scale, x: float, radius: float) -> Markup:
    ratio = point.ratio
    if not point.valid or not ratio:
        foot = svg.circle(x, scale.begin - 4, 2, fill="none", stroke=QUIET)
        return svg.mark(f"{minute(point.began_at)}: no ratio", foot, in_turn=False)
    top, bottom = scale.at(ratio.high or scale.high), scale.at(ratio.low or scale.low)
    return svg.mark(
        f"{minute(point.began_at)}: {figures.ratio_of(ratio)}, {figures.plural(ratio.n, 'pair')}",
        svg.line(x, top, x, bottom, stroke=POINT, stroke_width=1.5, opacity=0.6),
        svg.circle(x, scale.at(ratio.ratio), radius, fill=POINT),
        in_turn=False,
    )


def _level(level: LevelOf, scale: Scale, across: Scale) -> Markup:
    left, right = across.at(level.first - 0.4), across.at(level.last + 0.4)
    top, bottom = scale.at(level.ratio.high), scale.at(level.ratio.low)
    size = (right - left, max(bottom - top, 1))
    band = svg.rect(left, top, *size, fill=LEVEL, opacity=0.22)
    middle = scale.at(level.ratio.ratio)
    ratio, low, high = figures.parts(level.ratio)
    runs = figures.plural(level.ratio.n, "run")
    said = f"{runs} since {day(level.since)}: {ratio}× ({low} to {high})"
    return svg.mark(said, band, svg.line(left, middle, right, middle, stroke=LEVEL, stroke_width=2))


def _step(of: Line, number: int, across: Scale) -> Markup:
    step = of.steps[number]
    x = across.at(step.at - 0.5)
    ratio, low, high = figures.parts(step.ratio)
    return svg.mark(
        f"Step on {day(step.began_at)}: {ratio} times what it was ({low} to {high})",
        svg.line(x, 14, x, HEAD_PX + HEIGHT_PX, stroke=INK, stroke_dasharray="4 3"),
        svg.quiet(f"{'▲' if step.ratio.ratio > 1 else '▼'} {ratio}", x, 11, text_anchor="middle"),
    )


def _days(shown: Sequence[Point], first: int, across: Scale, frame: Frame) -> list[Markup]:
    parts, free = [], 0.0
    half = svg.length("2026-01-01") / 2
    room = half if frame.narrow else 2 * half
    for place, point in enumerate(shown):
        at = across.at(first + place)
        if at - half >= free:
            y = HEAD_PX + HEIGHT_PX + 18
            parts.append(svg.quiet(day(point.began_at), at, y, text_anchor="middle"))
            free = at + half + room
    return parts
