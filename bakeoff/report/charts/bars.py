"""Bars with their figures, placed by the pixel: no name is too long for its axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from bakeoff.report.charts.palette import INK, QUIET
from bakeoff.report.charts.theme import Drawing, Frame, Panels, by_pixel, data
from bakeoff.report.charts.ticks import round_step
from bakeoff.report.document import printable

_BAR, _TEXT, _GAP, _BETWEEN = 15, 17, 12, 40
_NAME_ROOM, _FIGURE_ROOM = 180, 84


@dataclass(frozen=True)
class Bar:
    """A bar of `parts`, each a length and how solid it is; without any, `figure` says why.

    Without a name it belongs to the bar above it. `runs` are drawn as a line from the least to the
    most of them.
    """

    name: str
    colour: str
    parts: Sequence[tuple[float, float]]
    figure: str
    runs: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """Bars on one axis, which starts at zero."""

    unit: str
    bars: Sequence[Bar]
    title: str = ""


def bars(panels: Sequence[Panel], frame: Frame) -> Panels:
    """The panels beside each other, or in a narrow frame one below the other."""
    # Padding on both sides takes 8 px.
    width = frame.width - 8
    if frame.narrow:
        return alt.vconcat(*(_panel(panel, width, 5) for panel in panels), spacing=24)
    width = (width - _BETWEEN * (len(panels) - 1)) // len(panels)
    return alt.hconcat(*(_panel(panel, width, 8) for panel in panels), spacing=_BETWEEN)


def _panel(panel: Panel, width: int, ticks: int) -> Drawing:
    """Names are to the left of their bars where there is room, else above them."""
    left = _NAME_ROOM if width > 600 else 0
    longest = max(map(_end, panel.bars), default=0) or 1
    scale = alt.Scale(domain=[0, longest], nice=False, range=[left, width - _FIGURE_ROOM])
    step = round_step(longest / ticks)
    values = [place * step for place in range(math.floor(longest / step) + 1)]
    axis = alt.Axis(title=panel.unit, values=values, format=",~f", grid=False, labelFlush=False)
    names, rows, parts, height = _placed(panel.bars, above=not left)
    x, y = by_pixel(scale, axis, height)
    text: dict[str, Any] = {"align": "left", "baseline": "middle", "limit": width}
    frame: list[dict[str, Any]] = [{"zero": 0, "from": 0, "to": height}]
    runs = alt.Chart(data([row for row in rows if row["least"] < row["most"]]))
    edge = {
        "y": y("from"),
        "y2": alt.Y2("to"),
        "strokeWidth": alt.value(1.5),
        "color": alt.value(INK),
    }
    layers = [
        alt.Chart(data(frame))
        .mark_rule(opacity=0)
        .encode(x=x("zero"), y=y("from"), y2=alt.Y2("to")),
        alt.Chart(data(names))
        .mark_text(**text | {"limit": left - 10 if left else width}, color=INK)
        .encode(x=alt.value(0), y=y("at"), text=alt.Text("text:N")),
        alt.Chart(data(parts))
        .mark_rect()
        .encode(
            x=x("start"),
            x2=alt.X2("end"),
            y=y("from"),
            y2=alt.Y2("to"),
            color=alt.Color("colour:N", scale=None),
            opacity=alt.Opacity("solid:Q", scale=None),
        ),
        *(
            alt.Chart(data([row for row in rows if row["missing"] is missing]))
            .mark_text(**text, dx=6 if not missing else 0, fontStyle=slant, color=ink)
            .encode(x=x("end"), y=y("middle"), text=alt.Text("figure:N"))
            for missing, slant, ink in ((False, "normal", INK), (True, "italic", QUIET))
        ),
        runs.mark_rule(strokeWidth=1.5, color=INK).encode(
            x=x("least"), x2=alt.X2("most"), y=y("middle")
        ),
        runs.mark_rule().encode(x=x("least"), **edge),
        runs.mark_rule().encode(x=x("most"), **edge),
    ]
    drawing: Drawing = alt.layer(*layers).properties(width=width, height=height)
    if not panel.title:
        return drawing
    title = alt.Title(panel.title, anchor="start", fontSize=13, color=INK, offset=6)
    titled: Drawing = drawing.properties(title=title)
    return titled


def _end(bar: Bar) -> float:
    return max(sum(length for length, _ in bar.parts), *bar.runs, 0)


def _placed(
    given: Sequence[Bar], *, above: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]], int]:
    """Names, bars and their parts with where they stand, in px from the top, and the height."""
    names: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    top = 0
    for bar in given:
        if bar.name:
            top += _GAP if rows else 0
            names.append({"text": printable(bar.name), "at": top + _BAR / 2})
            top += _TEXT if above else 0
        place = {"from": top, "to": top + _BAR}
        end = 0.0
        for length, solid in bar.parts:
            start, end = end, end + length
            parts.append(
                {"start": start, "end": end, "colour": bar.colour, "solid": solid, **place}
            )
        runs = bar.runs or (end,)
        rows.append(
            {
                "end": _end(bar),
                "least": min(runs),
                "most": max(runs),
                "figure": bar.figure,
                "missing": not bar.parts,
                "middle": top + _BAR / 2,
                **place,
            }
        )
        top += _BAR + 2
    return names, rows, parts, top + 4
