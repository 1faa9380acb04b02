"""What all pictures share: colours, type, the axis of ratios, and the way to SVG."""

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

from bakeoff.report.charts.palette import GRID, INK, PALETTE, QUIET, TWIN
from bakeoff.report.charts.ticks import ratio_ticks
from bakeoff.report.document import printable

DASHES = ([1, 0], [7, 3], [2, 2], [4, 2, 1, 2])
# A system's own sans serif; vl-convert measures with the one it brings along.
FONT = "sans-serif"
_TIME_LABEL = (
    "datum.value >= 1e6 ? datum.value / 1e6 + ' s'"
    " : datum.value >= 1e3 ? datum.value / 1e3 + ' ms' : datum.value + ' µs'"
)
_VEGA_LITE = alt.SCHEMA_VERSION.removeprefix("v").rpartition(".")[0]

Drawing = alt.Chart | alt.LayerChart | alt.FacetChart
Panels = alt.HConcatChart | alt.VConcatChart
"""Drawings side by side or one upon the other: each has its own width already."""


@dataclass(frozen=True)
class Frame:
    """The room that a picture has. Narrow is a telephone held upright."""

    width: int
    narrow: bool

    @property
    def ticks(self) -> int:
        """How many ticks an axis of figures has room for."""
        return 4 if self.narrow else 8


WIDE, NARROW = Frame(width=976, narrow=False), Frame(width=340, narrow=True)


def colours(names: Sequence[str], twin: str | None) -> dict[str, str]:
    """One colour per entry, by its place in the race, the same in every picture."""
    own = [name for name in names if name != twin]
    given = {name: PALETTE[place % len(PALETTE)] for place, name in enumerate(own)}
    return {name: given.get(name, TWIN) for name in names}


def dashes(names: Sequence[str]) -> list[list[int]]:
    """One pattern of line per name, by its place: solid until the colours begin anew."""
    return [DASHES[place // len(PALETTE) % len(DASHES)] for place in range(len(names))]


def colour_scale(given: Mapping[str, str]) -> alt.Scale:
    """The scale that gives each entry its colour."""
    return alt.Scale(domain=list(given), range=list(given.values()))


def data(rows: Sequence[dict[str, Any]]) -> alt.InlineData:
    """Rows that travel inside the chart; nothing is fetched.

    As one text: altair copies and looks through lists again and again, which takes seconds.
    """
    return alt.InlineData(values=json.dumps(rows), format=alt.JsonDataFormat(type="json"))


def named(given: Mapping[str, str], frame: Frame) -> dict[str, alt.Color | alt.StrokeDash]:
    """The encodings of lines that are told apart by name: a colour each, in this order.

    Where there are more lines than colours, dashes are a second sign; the legend shows both.
    """
    legend = alt.Legend(columns=2 if frame.narrow else 5, symbolType="stroke", symbolStrokeWidth=3)
    names = list(given)
    signs: dict[str, alt.Color | alt.StrokeDash] = {
        "color": alt.Color("name:N", scale=colour_scale(given), legend=legend)
    }
    if len(names) > len(PALETTE):
        scale = alt.Scale(domain=names, range=dashes(names))
        signs["strokeDash"] = alt.StrokeDash("name:N", scale=scale, legend=legend)
    return signs


def log_y(field: str, values: Sequence[float], title: str, *, time: bool = False) -> alt.Y:
    """An upright logarithmic axis that holds `values`: figures, or times in µs."""
    scale, ticks = log_scale(values)
    label: dict[str, Any] = {"labelExpr": _TIME_LABEL} if time else {"format": ",~f"}
    axis = alt.Axis(title=f"{title}, logarithmic", values=ticks, **label)
    return alt.Y(f"{field}:Q", scale=scale, axis=axis)


def spec_of(drawing: Drawing | Panels, frame: Frame) -> dict[str, Any]:
    """All that is to be drawn, with its data, as Vega-Lite reads it."""
    spec = drawing.configure(**_configuration())
    if not isinstance(spec, Panels):
        fitting = alt.AutoSizeParams(type="fit-x", contains="padding")
        spec = spec.properties(width=frame.width, autosize=fitting)
    written: dict[str, Any] = spec.to_dict(validate=False)
    return written


def to_svg(drawing: Drawing | Panels, frame: Frame, slug: str, alt_text: str) -> str:
    """The picture as an SVG element, named for those who can't see it; alone or in a page.

    Ids get the slug in front: several pictures in one page would share Vega's.
    """
    return svg_of(spec_of(drawing, frame), frame, slug, alt_text)


def svg_of(spec: dict[str, Any], frame: Frame, slug: str, alt_text: str) -> str:
    """The same of what `spec_of` wrote."""
    svg = vl_convert.vegalite_to_svg(
        spec,
        vl_version=_VEGA_LITE,
        allowed_base_urls=[],
        show_warnings=False,
    )
    prefix = f"{slug}-{'narrow' if frame.narrow else 'wide'}-"
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = svg.replace("url(#", f"url(#{prefix}").replace('href="#', f'href="#{prefix}')
    label = html.escape(printable(alt_text), quote=True)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def _configuration() -> dict[str, Any]:
    return {
        "background": "white",
        "font": FONT,
        "aria": False,
        "padding": 4,
        "view": {"stroke": None},
        "axis": {
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelColor": QUIET,
            "titleColor": QUIET,
            "gridColor": GRID,
            "domainColor": GRID,
            "tickColor": GRID,
            "titlePadding": 10,
            "labelPadding": 7,
        },
        "legend": {
            "labelFontSize": 12,
            "labelColor": INK,
            "orient": "top",
            "title": None,
            "symbolOpacity": 1,
            "labelLimit": 150,
            "padding": 0,
            "offset": 12,
        },
        "text": {"fontSize": 12, "color": INK},
    }


def ratio_axis(low: float, high: float, frame: Frame, title: str) -> tuple[alt.Scale, alt.Axis]:
    """A logarithmic axis from `low` to `high`, with round ratios as its ticks."""
    pad = (high / low) ** 0.06
    bottom, top = low / pad, high * pad
    scale = alt.Scale(type="log", domain=[bottom, top], nice=False)
    values = ratio_ticks(bottom, top, frame.ticks)
    return scale, alt.Axis(
        title=title, values=values, labelExpr="datum.value + '×'", labelOverlap=True
    )


def log_scale(values: Sequence[float]) -> tuple[alt.Scale, list[float]]:
    """A logarithmic scale that holds `values` with a little room, and its ticks."""
    pad = max((max(values) / min(values)) ** 0.05, 1.02)
    low, high = min(values) / pad, max(values) * pad
    return alt.Scale(type="log", domain=[low, high], nice=False), ratio_ticks(low, high, 8)


def by_pixel(
    scale: alt.Scale, axis: alt.Axis, height: int
) -> tuple[Callable[[str], alt.X], Callable[[str], alt.Y]]:
    """Encodings of fields by name: across on `scale`, and down in px from the top."""
    down = alt.Scale(domain=[height, 0], nice=False, zero=False)
    return (
        lambda field: alt.X(f"{field}:Q", scale=scale, axis=axis),
        lambda field: alt.Y(f"{field}:Q", scale=down, axis=None),
    )
