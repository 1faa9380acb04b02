"""A run's ratios as they narrow: a lane for each contender, its interval over the measured time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from markupsafe import Markup

from bakeoff.model.ratio import Ratio
from bakeoff.report import figures
from bakeoff.report.charts import svg
from bakeoff.report.charts.scale import AXIS_PX, Scale, across, times, upright
from bakeoff.report.charts.svg import colours
from bakeoff.report.document import Chart, Drawing, Frame

LANES_MAX = 12
"""The number of contenders that are drawn: the picture is sent again with each judging."""
REACH = 3
"""The half-widths of the interval in a lane, to either side of its latest figure."""
PLOT_PX, BETWEEN_PX, HEAD_PX, LABEL_PX = 64, 20, 22, 56
NAME_PX, FIGURE_PX = 240, 210


class Stood(Protocol):
    """A contender's ratio as it stood after `measured_s` of measuring."""

    @property
    def measured_s(self) -> float: ...
    @property
    def ratio(self) -> Ratio: ...


Past = Mapping[str, Sequence[Stood]]
"""The earlier ratios of each contender, the earliest first; none is empty."""


def narrowing(
    past: Past, names: Sequence[str], reference: str, planned_s: float | None
) -> tuple[Chart, ...]:
    """How the intervals of ratios to `reference` narrow; empty before a second moment.

    `names` are all that the race's picture has, in its order, so that colours are the same. The
    time's axis ends at `planned_s`, or at the time measured so far.
    """
    hues = colours(names)
    shown = dict(list(past.items())[:LANES_MAX])
    if max(map(len, shown.values()), default=0) < 2:
        return ()
    left_out = len(past) - len(shown)
    more = f" {figures.plural(left_out, 'contender')} further back not drawn." if left_out else ""
    spoken = (
        f"{name} {figures.ratio_of(own[-1].ratio)} after {_seconds(own[-1])},"
        f" {figures.ratio_of(own[0].ratio)} after {_seconds(own[0])}"
        for name, own in shown.items()
    )
    return (
        Chart(
            "narrowing",
            "How the intervals narrow",
            f"A lane per contender, each on a scale of its own: its ratio to {reference} as it was"
            " judged after so many seconds, within its simultaneous 95 % interval. Higher is"
            f" faster. What is further from the latest figure than {REACH} times its interval’s"
            " half-width is cut. A dashed line is 1×. Where another boot begins an interval widens"
            f" at first: from then on it holds for boots that were not measured, too.{more}",
            f"{'; '.join(spoken)}.",
            lambda frame: _lanes(shown, hues, planned_s, frame),
        ),
    )


@dataclass(frozen=True)
class _Lane:
    """One contender's part of the picture, over the time of `across`, down from `top` to
    `bottom`."""

    name: str
    own: Sequence[Stood]
    colour: str
    across: Scale
    top: float
    bottom: float

    def drawn(self) -> list[Markup]:
        scale = _scale(self.own, self.bottom, self.top)
        begin, end = self.across.begin, self.across.end
        xs = [self.across.at(stood.measured_s) for stood in self.own]
        highs = [scale.at(stood.ratio.high or scale.high) for stood in self.own]
        lows = [scale.at(stood.ratio.low or scale.low) for stood in self.own]
        ratios = [scale.at(stood.ratio.ratio) for stood in self.own]
        band = [*zip(xs, highs, strict=True), *reversed([*zip(xs, lows, strict=True)])]
        middle = [*zip(xs, ratios, strict=True)]
        borders = [begin, *((a + b) / 2 for a, b in pairwise(xs)), end]
        return [
            svg.line(begin, self.bottom, end, self.bottom),
            *upright(scale.axis("", 5, times), begin, end, dashed_at=1),
            svg.polygon(band, fill=self.colour, fill_opacity=0.2),
            svg.polyline(middle, stroke=self.colour, stroke_width=1.5),
            *(
                self._mark(stood, *at, *room)
                for stood, at, room in zip(self.own, middle, pairwise(borders), strict=True)
            ),
        ]

    def _mark(self, stood: Stood, x: float, y: float, left: float, right: float) -> Markup:
        newest = stood is self.own[-1]
        room = svg.ground(left, self.top, max(right - left, 1), self.bottom - self.top)
        point = svg.circle(x, y, 4.5 if newest else 2, fill=self.colour)
        # The tab key stops at the newest, and the arrows lead to those before.
        return svg.mark(said_of(self.name, stood), room, point, in_turn=newest)


def said_of(name: str, stood: Stood) -> str:
    n = figures.plural(stood.ratio.n, "paired block")
    return f"{name} after {_seconds(stood)}: {figures.ratio_of(stood.ratio)}, {n}"


def _lanes(past: Past, hues: Mapping[str, str], planned_s: float | None, frame: Frame) -> Drawing:
    narrow, width = frame.narrow, frame.width
    names = 0.0 if narrow else min(NAME_PX, max(map(svg.length, past)) + 16)
    until_s = max([planned_s or 0.0, *(own[-1].measured_s for own in past.values())])
    end = width - (18.0 if narrow else FIGURE_PX + 8.0)
    seconds = Scale(0, until_s, names + LABEL_PX, end)
    lane_px = PLOT_PX + (HEAD_PX if narrow else 0) + BETWEEN_PX
    parts = []
    for place, (name, own) in enumerate(past.items()):
        bottom = (place + 1) * lane_px - BETWEEN_PX / 2
        top = bottom - PLOT_PX
        figure = figures.ratio_of(own[-1].ratio)
        if narrow:
            parts.append(svg.text(svg.fitting(name, width - svg.length(figure) - 20), 0, top - 8))
            parts.append(svg.quiet(figure, width - 8, top - 8, text_anchor="end"))
        else:
            parts.append(svg.text(svg.fitting(name, names), 0, (top + bottom) / 2 + 4))
            parts.append(svg.quiet(figure, end + 16, (top + bottom) / 2 + 4))
        parts += _Lane(name, own, hues[name], seconds, top, bottom).drawn()
    bottom = len(past) * lane_px
    parts += across(seconds.axis("seconds measured", frame.ticks), bottom)
    return Drawing(bottom + AXIS_PX, parts)


def _scale(own: Sequence[Stood], begin: float, end: float) -> Scale:
    ratios, newest = [stood.ratio for stood in own], own[-1].ratio
    every = [end for of in ratios for end in (of.ratio, of.low, of.high) if end]
    low, high = min(every), max(every)
    if newest.low and newest.high:
        reach = max(newest.high / newest.low, 1.0001) ** (REACH / 2)
        low, high = max(low, newest.ratio / reach), min(high, newest.ratio * reach)
    pad = max(high / low, 1.001) ** 0.06
    return Scale(low / pad, high * pad, begin, end, is_log=True)


def _seconds(stood: Stood) -> str:
    return figures.duration(stood.measured_s * 1e6)
