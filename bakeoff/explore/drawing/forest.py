"""Ratios with their intervals, a lane each, on one axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bakeoff.explore.drawing.svg import (
    PX_PER_CHARACTER,
    Ratios,
    element,
    fitting,
    interval,
    line,
    mark,
    picture,
    quiet,
    text,
)
from bakeoff.report.charts.palette import PALETTE, QUIET, TWIN

WIDE_PX, NARROW_PX = 976, 340
LANE_PX, NARROW_LANE_PX, AXIS_PX = 26, 42, 46
NAME_PX, FIGURE_PX = 240, 210


@dataclass(frozen=True)
class Lane:
    """A ratio over 0 with its interval; None is an end that is open. `figure` says all of it.

    `n` counts what it was measured in, in words. `set_back` is one beside the others: a twin.
    """

    name: str
    figure: str
    ratio: float
    low: float | None
    high: float | None
    n: str = ""
    set_back: bool = False

    @property
    def label(self) -> str:
        """What it says when it is pointed at."""
        return f"{self.name}: {self.figure}" + (f", {self.n}" if self.n else "")


def forest(
    lanes: Sequence[Lane], axis: str, label: str, *, narrow: bool, margin: float = 0
) -> Markup:
    """The lanes one below the other. `margin` is a share around 1 that counts as equal: shaded."""
    width = NARROW_PX if narrow else WIDE_PX
    lane_px = NARROW_LANE_PX if narrow else LANE_PX
    longest = max((len(lane.name) for lane in lanes), default=0) * PX_PER_CHARACTER
    names = 0 if narrow else min(NAME_PX, longest + 16)
    begin, end = (8.0, width - 12.0) if narrow else (names + 8.0, width - FIGURE_PX - 8.0)
    ratios = [each for lane in lanes for each in (lane.ratio, lane.low, lane.high) if each]
    scale = Ratios.of(ratios or [1.0], begin, end)
    bottom = len(lanes) * lane_px + 6
    parts = [_margin(scale, margin, bottom)] if margin else []
    parts += _axis(scale, bottom, axis, 4 if narrow else 8)
    for place, lane in enumerate(lanes):
        colour = TWIN if lane.set_back else PALETTE[place % len(PALETTE)]
        parts.append(_lane(lane, scale, place * lane_px, colour, width, narrow=narrow, room=names))
    return picture(width, bottom + AXIS_PX, label, *parts)


def _lane(
    lane: Lane, scale: Ratios, top: float, colour: str, width: float, *, narrow: bool, room: float
) -> Markup:
    middle = top + (30 if narrow else LANE_PX / 2)
    if narrow:
        figure_px = len(lane.figure) * PX_PER_CHARACTER
        said = (
            text(fitting(lane.name, width - figure_px - 28), 8, top + 16),
            quiet(lane.figure, width - 8, top + 16, text_anchor="end"),
        )
    else:
        said = (
            text(fitting(lane.name, room), 0, middle + 4),
            quiet(lane.figure, width - FIGURE_PX + 8, middle + 4),
        )
    ground = element(
        "rect", x=0, y=top, width=width, height=LANE_PX, fill="none", pointer_events="all"
    )
    return mark(
        lane.label,
        ground,
        *said,
        interval(scale, middle, lane.low, lane.high, colour),
        element("circle", cx=scale.at(lane.ratio), cy=middle, r=4.5, fill=colour),
    )


def _margin(scale: Ratios, margin: float, bottom: float) -> Markup:
    left, right = scale.at(1 / (1 + margin)), scale.at(1 + margin)
    return element("rect", x=left, y=0, width=right - left, height=bottom, fill=QUIET, opacity=0.16)


def _axis(scale: Ratios, bottom: float, title: str, most: int) -> list[Markup]:
    parts = [
        line(scale.begin, bottom, scale.end, bottom),
        line(scale.at(1), 0, scale.at(1), bottom, stroke=QUIET, stroke_dasharray="3 3"),
        quiet(title, (scale.begin + scale.end) / 2, bottom + 38, text_anchor="middle"),
    ]
    free = scale.begin - 30.0
    for tick, name in scale.ticks(most):
        at = scale.at(tick)
        parts.append(line(at, bottom, at, bottom + 5))
        half = len(name) * PX_PER_CHARACTER / 2
        if at - half > free:
            parts.append(quiet(name, at, bottom + 19, text_anchor="middle"))
            free = at + half + 4
    return parts
