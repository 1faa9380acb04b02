"""A report's own pictures as files, in light and in dark: drawn when a browser asks for them, or
once for a site."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from threading import Lock
from typing import Any

from bakeoff import __version__
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
    blocks = _charts((*document.summary, *document.detail))
    return tuple(chart for each in blocks for chart in each.make() if chart)


def has_charts(document: Document) -> bool:
    """Whether it may have pictures; to know takes making them."""
    return any(True for _ in _charts((*document.summary, *document.detail)))


def _charts(blocks: Sequence[Block]) -> Iterator[Charts]:
    for block in blocks:
        match block:
            case Charts():
                yield block
            case Section():
                yield from _charts(block.blocks)


@dataclass
class Names:
    """What the files of a site's pictures are called: after all that is drawn in them.

    While that stays the same, so does the name, and what is there needn't be drawn again.
    """

    slugs: dict[str, str] = field(default_factory=dict)

    def __call__(self, chart: Chart) -> str:
        """The name of its files, without an ending."""
        # The narrow one has the same data.
        by = (__version__, version("vl-convert-python"), DARK, chart.alt_text)
        content = json.dumps([by, _spec(chart, narrow=False)], sort_keys=True).encode()
        name = f"{chart.slug}-{sha256(content).hexdigest()[:12]}"
        self.slugs |= {name: chart.slug, f"{name}-narrow": f"{chart.slug}-narrow"}
        return name


def svg(chart: Chart, *, narrow: bool = False) -> str:
    """The picture as a file of its own."""
    # Here, not above: altair takes a second to import.
    from bakeoff.report.charts.theme import NARROW, WIDE, svg_of

    with _DRAWING:
        spec = _spec(chart, narrow=narrow)
        drawn = svg_of(spec, NARROW if narrow else WIDE, chart.slug, chart.alt_text)
    return alone(drawn)


@lru_cache(maxsize=16)
def _spec(chart: Chart, *, narrow: bool) -> dict[str, Any]:
    """What is drawn: a picture of a site is named after it first."""
    from altair.utils.schemapi import debug_mode

    from bakeoff.report.charts.theme import NARROW, WIDE, spec_of

    frame = NARROW if narrow else WIDE
    with debug_mode(False):
        return spec_of(chart.draw(frame), frame)


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
