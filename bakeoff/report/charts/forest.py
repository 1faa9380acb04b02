"""Ratios with their intervals, a lane for each, on one axis."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from bakeoff.model.ratio import Ratio
from bakeoff.report.charts import svg
from bakeoff.report.charts.scale import AXIS_PX, Scale, across, times
from bakeoff.report.charts.svg import INK, QUIET
from bakeoff.report.document import Drawing, Frame, printable

NAMES_PX = 340
TITLE_PX, BETWEEN_PX, LANE_PX, NARROW_LANE_PX = 24, 12, 26, 24
Sign = Literal["circle", "cross", "diamond"]


@dataclass(frozen=True)
class Lane:
    """A ratio over 0 with its interval; a missing end is an arrow.

    `figures` have all of it in words, a line each; `n` is the number of its measurements, in words.
    `shaded` is a range behind it, open where a bound is None; `ring` marks another ratio.
    """

    name: str
    figures: tuple[str, ...]
    ratio: Ratio
    colour: str
    n: str = ""
    sign: Sign = "circle"
    shaded: tuple[float | None, float | None] | None = None
    ring: float | None = None

    @property
    def label(self) -> str:
        return f"{self.name}: " + ", ".join(filter(None, (*self.figures, self.n)))


@dataclass(frozen=True)
class Group:
    """Lanes under a title; `no figures` if there are no lanes."""

    lanes: Sequence[Lane]
    title: str = ""


def open_ended(lanes: Sequence[Lane]) -> str:
    """The meaning of arrows, as a sentence with a space before it; empty: there are none."""
    if all(None not in (lane.ratio.low, lane.ratio.high) for lane in lanes):
        return ""
    return (
        " An arrow is an interval without an end on that side: the load generator was the limit,"
        " and the contender did at least what was measured."
    )


def spoken(lanes: Sequence[Lane]) -> str:
    return "; ".join(f"{lane.name} {': '.join(lane.figures)}" for lane in lanes)


def forest(groups: Sequence[Group], title: str, frame: Frame) -> Drawing:
    """The groups one below the other; `title` is that of the axis."""
    lanes = [lane for group in groups for lane in group.lanes]
    names_px = min(NAMES_PX, max(svg.length(lane.name) for lane in lanes) + svg.PX_PER_CHARACTER)
    figures_px = max(svg.length(said) for lane in lanes for said in lane.figures)
    begin, end = (8.0, frame.width - 12.0)
    if not frame.narrow:
        begin, end = names_px + 12, frame.width - figures_px - 24
    bounds = [
        value
        for lane in lanes
        for value in (lane.ratio.ratio, lane.ratio.low, lane.ratio.high, lane.ring)
    ]
    bounds += [value for lane in lanes for value in lane.shaded or ()]
    scale = Scale.ratios([bound for bound in bounds if bound and bound > 0], begin, end)
    parts: list[Markup] = []
    spans: list[tuple[float, float]] = []
    top = 0.0
    for group in groups:
        if group.title:
            parts.append(svg.text(group.title, 0, top + 14, font_weight="bold"))
            top += TITLE_PX
        if not group.lanes:
            parts.append(svg.quiet("no figures", 0, top + 14))
            top += LANE_PX
        for lane in group.lanes:
            height, drawn = _lane(lane, scale, names_px, top, frame)
            parts.append(drawn)
            # Not through the words above a narrow lane.
            spans.append((top + height - NARROW_LANE_PX if frame.narrow else top, top + height))
            top += height
        top += BETWEEN_PX if group.title else 0
    top += 6
    axis = scale.axis(title, frame.ticks, times)
    lines = ((scale.at(value), *span) for value, _ in axis.ticks if value != 1 for span in spans)
    ones = ((scale.at(1), *span) for span in spans)
    behind = [svg.uprights(lines), svg.uprights(ones, stroke=QUIET, stroke_dasharray="3 3")]
    return Drawing(top + AXIS_PX, [*behind, *across(axis, top), *parts])


def _lane(
    lane: Lane, scale: Scale, names_px: float, top: float, frame: Frame
) -> tuple[float, Markup]:
    """A lane from `top` on, and its height. A narrow lane has its words above it."""
    name = printable(lane.name)
    if not frame.narrow:
        rows = textwrap.wrap(name, int(names_px / svg.PX_PER_CHARACTER)) or [""]
        height = svg.ROW_PX * (max(len(rows), len(lane.figures)) - 1) + LANE_PX
        said = _column(rows, svg.text, 0, top, height)
        said += _column(lane.figures, svg.quiet, scale.end + 16, top, height)
        return height, _mark(lane, said, scale, top, top + height, top + height / 2, frame)
    figure = ": ".join(lane.figures)
    rows = textwrap.wrap(name, int(frame.width / svg.PX_PER_CHARACTER)) or [""]
    is_short = svg.length(rows[-1]) + svg.length(figure) + 16 < frame.width
    words = len(rows) + (not is_short)
    said = [svg.text(row, 0, top + svg.ROW_PX * place + 14) for place, row in enumerate(rows)]
    x, anchor = (frame.width, "end") if is_short else (0, "start")
    said.append(svg.quiet(figure, x, top + svg.ROW_PX * words - 2, text_anchor=anchor))
    lane_top, height = top + svg.ROW_PX * words + 2, svg.ROW_PX * words + NARROW_LANE_PX
    middle = lane_top + NARROW_LANE_PX / 2 - 4
    return height, _mark(lane, said, scale, lane_top, top + height - 2, middle, frame)


def _column(
    rows: Sequence[str], write: Callable[..., Markup], x: float, top: float, height: float
) -> list[Markup]:
    first = top + (height - svg.ROW_PX * (len(rows) - 1)) / 2 + 4
    return [write(row, x, first + svg.ROW_PX * place) for place, row in enumerate(rows)]


def _mark(
    lane: Lane,
    said: Sequence[Markup],
    scale: Scale,
    top: float,
    bottom: float,
    y: float,
    frame: Frame,
) -> Markup:
    parts = [svg.ground(0, top, frame.width, bottom - top)]
    if lane.shaded:
        above, below = lane.shaded
        left, right = scale.at(above or scale.low), scale.at(below or scale.high)
        parts.append(svg.rect(left, top, right - left, bottom - top, fill=QUIET, opacity=0.14))
    parts += [*said, interval(scale, y, lane.ratio.low, lane.ratio.high, lane.colour)]
    parts.append(_sign(lane.sign, scale.at(lane.ratio.ratio), y, lane.colour))
    if lane.ring:
        parts.append(
            svg.circle(scale.at(lane.ring), y, 7, fill="none", stroke=INK, stroke_width=1.5)
        )
    return svg.mark(lane.label, *parts)


def interval(scale: Scale, y: float, low: float | None, high: float | None, colour: str) -> Markup:
    """From end to end; a missing end is an arrow."""
    left, right = scale.at(low or scale.low), scale.at(high or scale.high)
    parts = [svg.line(left, y, right, y, stroke=colour, stroke_width=2.5)]
    for x, back, end in ((left, left + 8, low), (right, right - 8, high)):
        if end is None:
            parts.append(svg.polygon([(x, y), (back, y - 5), (back, y + 5)], fill=colour))
    return Markup("").join(parts)


def _sign(sign: Sign, x: float, y: float, colour: str) -> Markup:
    match sign:
        case "circle":
            return svg.circle(x, y, 4.5, fill=colour)
        case "diamond":
            return svg.diamonds([(x, y)], 5.5, fill=colour)
    strokes = (
        svg.line(x - 4, y - way, x + 4, y + way, stroke=colour, stroke_width=2.5) for way in (4, -4)
    )
    return Markup("").join(strokes)
