"""Elements of SVG, escaped; marks that show a figure; composed drawings.

A picture is drawn in a millisecond, needs no script and no font's measures, and can be read by
keyboard. Its colours are attributes, so it looks the same as a file of its own.
"""

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from bakeoff.report.document import Chart, Drawing, Frame, printable

INK, QUIET, GRID, PAPER = "#1f2328", "#59636e", "#d8dee4", "#ffffff"
TWIN = "#818b98"
# Okabe and Ito's colours without yellow and black, then three that differ from them: all of middle
# lightness, so that they are readable on white and on near-black.
PALETTE = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
    "#56b4e9", "#8b6fd1", "#a6761d", "#6b8e23",
)  # fmt: skip
DASHES = ("", "7 3", "2 2", "4 2 1 2")
FINDINGS = {"holds": PALETTE[2], "does not hold": PALETTE[1], "can't tell": QUIET}
_IN_THE_DARK = {INK: "--ink, #e6eaef", QUIET: "--quiet, #9aa5b1", GRID: "--line, #2c333b"}
DARK = "\n".join(
    (
        f'[fill="{PAPER}"] {{ fill: none; }}',
        *(
            f'[{what}="{light}"] {{ {what}: var({dark}); }}'
            for light, dark in _IN_THE_DARK.items()
            for what in ("fill", "stroke")
        ),
    )
)
"""CSS for a dark background. Colours are attributes, which every program reads; these rules find
them by their value. A page with these properties has its own colours in pictures, too."""


def colours(names: Sequence[str], twin: str | None = None) -> dict[str, str]:
    """One colour per entry, by its place in the race, the same in every picture."""
    own = [name for name in names if name != twin]
    given = {name: PALETTE[place % len(PALETTE)] for place, name in enumerate(own)}
    return {name: given.get(name, TWIN) for name in names}


PX_PER_CHARACTER = 6.8
"""For a sans serif at 12 px, including the wider fonts."""
ROW_PX = 16
"""The distance between two lines of text."""
Look = str | float
Corner = tuple[float, float]


def svg(chart: Chart, frame: Frame) -> Markup:
    height, parts = chart.draw(frame)
    inside = Markup("").join(parts)
    return element(
        "svg",
        element("rect", width=frame.width, height=height, fill=PAPER),
        inside,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {frame.width} {_plain(height)}",
        width=frame.width,
        height=height,
        # The inside of an image can't be reached: a picture with marks is a group of them.
        role="group" if 'class="mark"' in inside or chart.script else "img",
        aria_label=printable(chart.alt_text),
        font_family="Helvetica, Arial, sans-serif",
        font_size=12,
    )


def alone(chart: Chart, frame: Frame) -> str:
    """The picture as a file of its own, light and dark, without any page's style or script."""
    drawn = svg(chart, frame)
    head, end, rest = drawn.partition(">")
    dark = f"@media (prefers-color-scheme: dark) {{\n{DARK}\n}}"
    style = f"<style>:root {{ color-scheme: light dark; }}\n{dark}</style>"
    script = f"<script><![CDATA[{chart.script}]]></script>" if chart.script else ""
    return f"{head}{end}{style}{rest.removesuffix('</svg>')}{script}</svg>"


def element(name: str, *inside: Markup, **attributes: Look) -> Markup:
    """`<name a-b="…">inside</name>`: an underscore in a key becomes a hyphen, one at its end is
    dropped.

    An attribute without a value is left out.
    """
    # Plain joins of escaped text: a picture has hundreds of elements, and Markup's joins are slow.
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_written(value))}"'
        for key, value in attributes.items()
        if value != ""
    )
    if not inside:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{''.join(inside)}</{name}>")


def text(said: str, x: float, y: float, **look: Look) -> Markup:
    """A line of text from `x`, on the base line `y`; its colour is INK by default."""
    own: dict[str, Look] = {"x": x, "y": y, "fill": INK}
    return element("text", escape(printable(said)), **(own | look))


def quiet(said: str, x: float, y: float, **look: Look) -> Markup:
    own: dict[str, Look] = {"fill": QUIET}
    return text(said, x, y, **(own | look))


def length(said: str) -> float:
    return len(said) * PX_PER_CHARACTER


def fitting(said: str, px: float) -> str:
    room = max(4, int(px / PX_PER_CHARACTER))
    return said if len(said) <= room else said[: room - 1] + "…"


def line(x1: float, y1: float, x2: float, y2: float, **look: Look) -> Markup:
    own: dict[str, Look] = {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": GRID}
    return element("line", **(own | look))


def uprights(ends: Iterable[tuple[float, float, float]], **look: Look) -> Markup:
    """Upright lines as one element, each at x from y to y."""
    path = "".join(f"M{_plain(x)},{_plain(top)}V{_plain(bottom)}" for x, top, bottom in ends)
    own: dict[str, Look] = {"d": path, "stroke": GRID}
    return element("path", **(own | look))


def rect(left: float, top: float, width: float, height: float, **look: Look) -> Markup:
    return element("rect", x=left, y=top, width=width, height=height, **look)


def circle(x: float, y: float, r: float, **look: Look) -> Markup:
    return element("circle", cx=x, cy=y, r=r, **look)


def polygon(corners: Iterable[Corner], **look: Look) -> Markup:
    return element("polygon", points=_points(corners), **look)


def polyline(corners: Iterable[Corner], **look: Look) -> Markup:
    return element("polyline", points=_points(corners), fill="none", **look)


def dots(places: Iterable[Corner], size: float, **look: Look) -> Markup:
    path = "".join(f"M{_plain(x)},{_plain(y)}h0" for x, y in places)
    return element("path", d=path, fill="none", stroke_width=size, stroke_linecap="round", **look)


def diamonds(places: Iterable[Corner], half: float, **look: Look) -> Markup:
    form = f"l{half},{half},{-half},{half},{-half},{-half}z"
    path = "".join(f"M{_plain(x)},{_plain(y - half)}{form}" for x, y in places)
    return element("path", d=path, **look)


def boxes(edges: Iterable[tuple[float, float, float, float]], **look: Look) -> Markup:
    """Hundreds of rectangles as one element, each from left and top to right and bottom."""
    path = "".join(
        f"M{_plain(left)},{_plain(top)}H{_plain(right)}V{_plain(bottom)}H{_plain(left)}z"
        for left, top, right, bottom in edges
    )
    return element("path", d=path, shape_rendering="crispEdges", **look)


def mark(label: str, *inside: Markup, in_turn: bool = True) -> Markup:
    """A group that has a figure: it shows `label` when pointed at.

    `in_turn`: the tab key stops at it. Hundreds of points would be too many stops; they are in a
    table, too.
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


def ground(left: float, top: float, width: float, height: float) -> Markup:
    """The area in which a mark reacts to the pointer, beside its visible parts."""
    return rect(left, top, width, height, fill="none", pointer_events="all")


def stacked(drawings: Iterable[Drawing], gap: float = 0) -> Drawing:
    parts, top = [], 0.0
    for height, inside in drawings:
        parts.append(moved(inside, 0, top) if top else Markup("").join(inside))
        top += height + gap
    return Drawing(top - gap, parts)


def moved(parts: Sequence[Markup], right: float, down: float) -> Markup:
    return element("g", *parts, transform=f"translate({_plain(right)} {_plain(down)})")


def _points(corners: Iterable[Corner]) -> str:
    return " ".join(f"{_plain(x)},{_plain(y)}" for x, y in corners)


def _written(value: Look) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def _plain(px: float) -> str:
    return f"{px:.1f}".removesuffix(".0")
