"""From values to pixels: scales, their round ticks, axes, plots and legends."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bakeoff.report.charts.svg import DASHES, PALETTE, QUIET, fitting, length, line, quiet, text
from bakeoff.report.document import Drawing, Frame, printable

_UNITS = ((1e6, "s"), (1e3, "ms"), (1, "µs"))
AXIS_PX = 46
"""The height of an axis below a plot, with its title."""


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high`, drawn from the pixel `begin` to `end`.

    A logarithmic scale, `is_log`, has values over 0.
    """

    low: float
    high: float
    begin: float
    end: float
    is_log: bool = False

    @classmethod
    def ratios(cls, values: Sequence[float], begin: float, end: float) -> "Scale":
        return cls.log([0.98, 1.02, *values], begin, end)

    @classmethod
    def log(cls, values: Sequence[float], begin: float, end: float) -> "Scale":
        """A logarithmic scale that has room for `values`, and a little around them."""
        low, high = min(values), max(values)
        pad = max((high / low) ** 0.06, 1.001)
        return cls(low / pad, high * pad, begin, end, is_log=True)

    def at(self, value: float) -> float:
        inside = min(max(value, self.low), self.high)
        if self.is_log:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (inside - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def axis(self, title: str, most: int, write: Callable[[float], str] | None = None) -> "Axis":
        if self.is_log and self.high / self.low >= 4:
            values = _decades(self.low, self.high, most)
        else:
            step = round_step((self.high - self.low) / most)
            first, last = math.ceil(self.low / step), math.floor(self.high / step)
            values = [round(place * step, 9) for place in range(first, last + 1)]
        return Axis(self, title, [(value, (write or plain)(value)) for value in values])


@dataclass(frozen=True)
class Axis:
    """A visible scale: `ticks` are values with their labels."""

    scale: Scale
    title: str
    ticks: Sequence[tuple[float, str]]


def _decades(low: float, high: float, most: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 1.5, 2, 3, 5, 7), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,)):
        ticks = [round(digit * 10.0**power, 9) for power in powers for digit in digits]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= most:
            break
    return inside


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next((m * power for m in (1, 2, 5) if m * power >= least), 10 * power)


def plain(value: float) -> str:
    """`120,000`, `0.5`."""
    return f"{value:,.9g}" if abs(value) < 1000 else f"{value:,.0f}"


def time(us: float) -> str:
    """A time given in µs: `50 ms`."""
    return next(f"{us / size:g} {unit}" for size, unit in _UNITS if us >= size or size == 1)


def times(ratio: float) -> str:
    """`1.5×`."""
    return f"{ratio:g}×"


def across(axis: Axis, top: float, grid_from: float | None = None) -> list[Markup]:
    """An axis below a plot that ends at `top`, with lines up to `grid_from`.

    A value without enough room beside the one before it is left out.
    """
    scale = axis.scale
    parts = [line(scale.begin, top, scale.end, top)]
    free = 0.0
    for value, said in axis.ticks:
        x = scale.at(value)
        parts.append(line(x, top if grid_from is None else grid_from, x, top + 5))
        left = max(0, min(x - length(said) / 2, scale.end + 4 - length(said)))
        if left >= free:
            parts.append(quiet(said, left + length(said) / 2, top + 19, text_anchor="middle"))
            free = left + length(said) + 6
    middle = (scale.begin + scale.end) / 2
    return [*parts, quiet(axis.title, middle, top + 38, text_anchor="middle")]


def upright(axis: Axis, left: float, right: float, dashed_at: float | None = None) -> list[Markup]:
    parts = []
    for value, said in axis.ticks:
        y = axis.scale.at(value)
        dashed = {"stroke": QUIET, "stroke_dasharray": "3 3"} if value == dashed_at else {}
        parts.append(line(left, y, right, y, **dashed))
        parts.append(quiet(said, left - 6, y + 4, text_anchor="end"))
    return parts


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
