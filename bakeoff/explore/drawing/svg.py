"""Elements of SVG, escaped; what a mark is; an axis of ratios."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from markupsafe import Markup, escape

from bakeoff.report.charts.palette import GRID, INK, QUIET
from bakeoff.report.charts.ticks import ratio_ticks
from bakeoff.report.document import printable

PX_PER_CHARACTER = 6.8
"""Of a sans serif at 12 px, the wider ones included."""
FONT = "sans-serif"
TEXT_PX = 12


def element(name: str, *inside: Markup, **attributes: str | float) -> Markup:
    """`<name a-b="…">inside</name>`: an underscore in a key is a hyphen, one at its end nothing."""
    # Plain joins of what is escaped: a picture has hundreds of elements, and Markup's are slow.
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for key, value in attributes.items()
    )
    if not inside:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{''.join(inside)}</{name}>")


def text(said: str, x: float, y: float, **attributes: str | float) -> Markup:
    """A line of text from `x`, on the base line `y`; its colour is INK unless another is given."""
    look: dict[str, str | float] = {"fill": INK, "font_size": TEXT_PX, "font_family": FONT}
    return element("text", escape(printable(said)), x=x, y=y, **(look | attributes))


def fitting(said: str, px: float) -> str:
    """As much of it as `px` has room for."""
    room = max(4, int(px / PX_PER_CHARACTER))
    return said if len(said) <= room else said[: room - 1] + "…"


def mark(label: str, *inside: Markup, in_turn: bool = True) -> Markup:
    """What has a figure: it can be pointed at, and then says `label`.

    `in_turn`: the keyboard's tab key comes by. Hundreds of points would be in its way; they are in
    a table, too.
    """
    said = printable(label)
    return element(
        "g",
        element("title", escape(said)),
        *inside,
        class_="mark",
        tabindex="0" if in_turn else "-1",
        role="img",
        aria_label=said,
    )


def picture(width: float, height: float, label: str, *inside: Markup) -> Markup:
    """A whole picture. Its marks are its content; `label` names it for those who can't see it."""
    ground = element("rect", width=width, height=height, fill="white")
    return element(
        "svg",
        ground,
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_plain(width)} {_plain(height)}",
        width=width,
        height=height,
        role="group",
        aria_label=printable(label),
    )


def line(x1: float, y1: float, x2: float, y2: float, **attributes: str | float) -> Markup:
    """A straight line; GRID's colour and 1 px wide unless it is given otherwise."""
    look: dict[str, str | float] = {"stroke": GRID, "stroke_width": 1}
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **(look | attributes))


def polygon(corners: Sequence[tuple[float, float]], **attributes: str | float) -> Markup:
    """What is within `corners`, each at x and y."""
    return element("polygon", points=_points(corners), **attributes)


def polyline(corners: Sequence[tuple[float, float]], **attributes: str | float) -> Markup:
    """Lines from corner to corner."""
    return element("polyline", points=_points(corners), fill="none", **attributes)


@dataclass(frozen=True)
class Ratios:
    """A logarithmic scale of ratios `low` to `high`, drawn from the pixel `begin` to `end`."""

    low: float
    high: float
    begin: float
    end: float

    @classmethod
    def of(cls, ratios: Sequence[float], begin: float, end: float) -> "Ratios":
        """One that has room for `ratios`, all over 0, and for 1 with a little around it."""
        low, high = min(0.98, *ratios), max(1.02, *ratios)
        pad = (high / low) ** 0.06
        return cls(low / pad, high * pad, begin, end)

    def at(self, ratio: float) -> float:
        """Its pixel; what is beyond an end is at that end."""
        inside = min(max(ratio, self.low), self.high)
        share = log(inside / self.low) / log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Round ratios with their names, some `most` of them."""
        return [(tick, f"{tick:g}×") for tick in ratio_ticks(self.low, self.high, most)]


def interval(scale: Ratios, y: float, low: float | None, high: float | None, colour: str) -> Markup:
    """From end to end; an end that is not there is an arrow."""
    left, right = (scale.at(low or scale.low), scale.at(high or scale.high))
    parts = [line(left, y, right, y, stroke=colour, stroke_width=2.5)]
    if low is None:
        parts.append(_arrow(left, y, -1, colour))
    if high is None:
        parts.append(_arrow(right, y, 1, colour))
    return Markup("").join(parts)


def _arrow(x: float, y: float, way: int, colour: str) -> Markup:
    back = x - 8 * way
    return polygon([(x, y), (back, y - 5), (back, y + 5)], fill=colour)


def quiet(said: str, x: float, y: float, **attributes: str | float) -> Markup:
    """A line of text that is set back."""
    return text(said, x, y, **{"fill": QUIET, **attributes})


def _points(corners: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_plain(x)},{_plain(y)}" for x, y in corners)


def _plain(value: str | float) -> str:
    """Pixels to the tenth, words as they are."""
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
