"""Lines over two axes, and legends."""

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from bakeoff.report.charts.scale import AXIS_PX, Axis, Scale, across, upright
from bakeoff.report.charts.svg import DASHES, PALETTE, fitting, length, line, quiet, text
from bakeoff.report.document import Drawing, Frame, printable

LEFT_PX, RIGHT_PX, HEAD_PX = 58, 14, 24
NAME_PX, SYMBOL_PX, BETWEEN_PX, LINE_PX = 170, 20, 18, 20
Looks = Mapping[str, Mapping[str, str]]
"""Attributes of lines, by name."""
Symbol = Callable[[float, float], Markup]
"""Draws a sign of 14 px from `x`, around `y`."""


def looks(colours: Mapping[str, str]) -> Looks:
    return {
        name: {"stroke": colour, "stroke_dasharray": DASHES[place // len(PALETTE) % len(DASHES)]}
        for place, (name, colour) in enumerate(colours.items())
    }


def key(looks: Looks, frame: Frame) -> Drawing:
    def of(look: Mapping[str, str]) -> Symbol:
        return lambda x, y: line(x, y, x + 14, y, stroke_width=3, **look)

    return legend({name: of(look) for name, look in looks.items()}, frame)


def legend(symbols: Mapping[str, Symbol], frame: Frame) -> Drawing:
    parts: list[Markup] = []
    x = y = 0.0
    for name, symbol in symbols.items():
        said = fitting(printable(name), NAME_PX)
        width = SYMBOL_PX + length(said)
        if x and x + width > frame.width:
            x, y = 0.0, y + LINE_PX
        parts += [symbol(x, y + 8), text(said, x + SYMBOL_PX, y + 12)]
        x += width + BETWEEN_PX
    return Drawing(y + LINE_PX, parts)


def x_scale(low: float, high: float, frame: Frame, *, is_log: bool = False) -> Scale:
    begin, end = LEFT_PX, frame.width - RIGHT_PX
    return Scale.log([low, high], begin, end) if is_log else Scale(low, high, begin, end)


def y_scale(values: Sequence[float], height: float) -> Scale:
    return Scale.log(values, HEAD_PX + height, HEAD_PX)


def plot(x: Axis, y: Axis, parts: Sequence[Markup], *, grid: bool = False) -> Drawing:
    bottom = y.scale.begin
    behind = [
        quiet(y.title, 0, 12),
        *upright(y, LEFT_PX, x.scale.end),
        *across(x, bottom, HEAD_PX if grid else None),
    ]
    return Drawing(bottom + AXIS_PX, [*behind, *parts])
