"""Bars with their figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bakeoff.report.charts.scale import AXIS_PX, Scale, across
from bakeoff.report.charts.svg import INK, fitting, length, line, moved, quiet, rect, stacked, text
from bakeoff.report.document import Drawing, Frame, printable

BAR_PX, TEXT_PX, GAP_PX, BETWEEN_PX, TITLE_PX = 15, 18, 12, 40, 26
NAMES_PX, FIGURE_PX = 240, 90


@dataclass(frozen=True)
class Bar:
    """A bar of `parts`, each with a length and an opacity; without any, `figure` says why.

    Without a name it belongs to the bar above it. `runs` are drawn as a line from the least to the
    greatest.
    """

    name: str
    colour: str
    parts: Sequence[tuple[float, float]]
    figure: str
    runs: Sequence[float] = ()

    @property
    def end(self) -> float:
        return max(sum(length for length, _ in self.parts), *self.runs, 0)


@dataclass(frozen=True)
class Panel:
    """Bars on one axis, which starts at zero."""

    unit: str
    bars: Sequence[Bar]
    title: str = ""


def bars(panels: Sequence[Panel], frame: Frame) -> Drawing:
    """The panels beside each other, or one below the other in a narrow frame."""
    if frame.narrow:
        return stacked((_panel(panel, frame.width, 5) for panel in panels), gap=24)
    width = (frame.width - BETWEEN_PX * (len(panels) - 1)) / len(panels)
    drawn = [_panel(panel, width, 8) for panel in panels]
    parts = [
        moved(drawing.parts, place * (width + BETWEEN_PX), 0) for place, drawing in enumerate(drawn)
    ]
    return Drawing(max(drawing.height for drawing in drawn), parts)


def _panel(panel: Panel, width: float, ticks: int) -> Drawing:
    """Names are to the left of their bars if there is room, else above them."""
    above = width < 600
    longest = max(length(printable(bar.name)) for bar in panel.bars)
    left = 1.0 if above else min(NAMES_PX, longest + 16)
    furthest = max(bar.end for bar in panel.bars) or 1
    scale = Scale(0, furthest, left, width - FIGURE_PX)
    top = float(TITLE_PX if panel.title else 0)
    parts = [text(panel.title, 0, 14, font_weight="bold")] if panel.title else []
    for place, bar in enumerate(panel.bars):
        if bar.name:
            top += GAP_PX if place else 0
            name = fitting(printable(bar.name), width if above else left - 12)
            parts.append(text(name, 0, top + 12))
            top += TEXT_PX if above else 0
        parts += _bar(bar, scale, top)
        top += BAR_PX + 2
    return Drawing(top + 4 + AXIS_PX, [*across(scale.axis(panel.unit, ticks), top + 4), *parts])


def _bar(bar: Bar, scale: Scale, top: float) -> list[Markup]:
    middle, base = top + BAR_PX / 2, top + 12
    if not bar.parts:
        return [quiet(bar.figure, scale.begin, base, font_style="italic")]
    parts, reached = [], 0.0
    for size, solid in bar.parts:
        x = scale.at(reached)
        reached += size
        wide = scale.at(reached) - x
        parts.append(rect(x, top, wide, BAR_PX, fill=bar.colour, fill_opacity=solid))
    parts.append(text(bar.figure, scale.at(bar.end) + 6, base))
    if bar.runs and (ends := (min(bar.runs), max(bar.runs))) and ends[0] < ends[1]:
        least, most = map(scale.at, ends)
        parts.append(line(least, middle, most, middle, stroke=INK, stroke_width=1.5))
        parts += (
            line(x, top, x, top + BAR_PX, stroke=INK, stroke_width=1.5) for x in (least, most)
        )
    return parts
