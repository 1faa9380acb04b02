"""A report's own pictures as files: drawn when a browser asks for them, in light and in dark."""

from collections.abc import Iterator, Sequence
from threading import Lock

from bakeoff.report.document import Block, Chart, Charts, Document, Section

DARK = """
@media (prefers-color-scheme: dark) {
  svg > rect:first-of-type { fill: none; }
  [fill="#1f2328"], [fill="black"] { fill: #e6eaef; }
  [fill="#59636e"] { fill: #9aa5b1; }
  [stroke="#1f2328"] { stroke: #e6eaef; }
  [stroke="#59636e"] { stroke: #9aa5b1; }
  [stroke="#d8dee4"] { stroke: #2c333b; }
}
"""
"""The same as in a report's page.css, whose rules don't reach into a file."""
_DRAWING = Lock()
"""The renderer is one JavaScript engine: a second thread would wait in it."""


def charts_of(document: Document) -> tuple[Chart, ...]:
    """Every picture of a document, in its order."""
    return tuple(_charts((*document.summary, *document.detail)))


def _charts(blocks: Sequence[Block]) -> Iterator[Chart]:
    for block in blocks:
        match block:
            case Charts():
                yield from (chart for chart in block.make() if chart)
            case Section():
                yield from _charts(block.blocks)


def svg(chart: Chart, *, narrow: bool = False) -> str:
    """The picture as a file of its own."""
    # Here, not above: altair takes a second to import.
    from altair.utils.schemapi import debug_mode

    from bakeoff.report.charts.theme import NARROW, WIDE, to_svg

    frame = NARROW if narrow else WIDE
    with _DRAWING, debug_mode(False):
        drawn = to_svg(chart.draw(frame), frame, chart.slug, chart.alt_text)
    return alone(drawn)


def alone(drawn: str) -> str:
    """An SVG element as a file of its own: no page's style reaches it."""
    head, end, rest = drawn.partition(">")
    return f"{head}{end}<style>{DARK}</style>{rest}"


def png(drawn: str) -> bytes:
    """The same as dots, two for each of the SVG's, on its light ground."""
    import vl_convert

    with _DRAWING:
        dots: bytes = vl_convert.svg_to_png(drawn.replace(DARK, ""), scale=2)
    return dots
