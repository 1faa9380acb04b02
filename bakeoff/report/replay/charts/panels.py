"""Two panels of bars, the same rows on both: placed by the pixel, each with its own axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from bakeoff.report.charts.theme import INK, QUIET, Drawing, Frame, Panels, data, round_step

_STEP, _BAR_FROM, _BAR_TO = 44, 18, 34
_GAP, _FIGURE_ROOM = 40, 68


@dataclass(frozen=True)
class Bar:
    """One row of one panel: its length, and the least and most of its runs where it had several.

    `missing` says what stands in place of a bar that there is none of.
    """

    name: str
    colour: str
    value: float | None
    figure: str
    runs: tuple[float, ...] = ()
    missing: str = ""


@dataclass(frozen=True)
class Panel:
    """Bars on one axis, with what is measured and where."""

    title: str
    unit: str
    bars: tuple[Bar, ...]


def side_by_side(panels: Sequence[Panel], frame: Frame) -> Panels:
    """The panels beside each other, or in a narrow frame one under the other."""
    # Padding on both sides takes 8 px.
    if frame.narrow:
        return alt.vconcat(*(_panel(panel, frame.width - 8, 5) for panel in panels), spacing=24)
    width = (frame.width - 8 - _GAP) // 2
    return alt.hconcat(*(_panel(panel, width, 8) for panel in panels), spacing=_GAP)


def _panel(panel: Panel, width: int, ticks: int) -> Drawing:
    """Each bar with its name above it, placed by the pixel: no name is too long for its axis."""
    longest = max((max(bar.value or 0, *bar.runs, 0) for bar in panel.bars), default=0) or 1
    x_scale = alt.Scale(domain=[0, longest * width / (width - _FIGURE_ROOM)], nice=False)
    height = _STEP * len(panel.bars)
    y_scale = alt.Scale(domain=[height, 0], nice=False, zero=False)
    axis = alt.Axis(
        title=panel.unit,
        values=_ticks(longest, ticks),
        format=",~f",
        grid=False,
        labelFlush=False,
    )
    rows = [_placed(bar, place * _STEP) for place, bar in enumerate(panel.bars)]
    bars = [row for row in rows if row["value"] is not None]
    gaps = [row for row in rows if row["value"] is None]
    whiskers = [row for row in bars if row["low"] < row["high"]]

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=x_scale, axis=axis)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=None)

    hue = alt.Color("colour:N", scale=None)
    none: list[dict[str, Any]] = [{"value": 0, "from": 0, "to": height}]
    base, held = alt.Chart(data(bars)), alt.Chart(data(whiskers))
    end = {"y": y("from"), "y2": "to", "strokeWidth": alt.value(1.5), "color": alt.value(INK)}
    layers = [
        alt.Chart(data(none)).mark_rule(opacity=0).encode(x=x("value"), y=y("from"), y2="to"),
        alt.Chart(data(rows))
        .mark_text(align="left", baseline="middle", color=INK)
        .encode(x=alt.value(0), y=y("name_at"), text="name:N"),
        base.mark_rect().encode(x=x("zero"), x2="value", y=y("from"), y2="to", color=hue),
        base.mark_text(align="left", baseline="middle", dx=6, color=INK).encode(
            x=x("end"), y=y("middle"), text="figure:N"
        ),
        alt.Chart(data(gaps))
        .mark_text(align="left", baseline="middle", fontStyle="italic", color=QUIET)
        .encode(x=alt.value(0), y=y("middle"), text="missing:N"),
        held.mark_rule(strokeWidth=1.5, color=INK).encode(x=x("low"), x2="high", y=y("middle")),
        held.mark_rule().encode(x=x("low"), **end),
        held.mark_rule().encode(x=x("high"), **end),
    ]
    title = alt.Title(panel.title, anchor="start", fontSize=13, color=INK, offset=6)
    drawing: Drawing = alt.layer(*layers).properties(width=width, height=height, title=title)
    return drawing


def _ticks(longest: float, most: int) -> list[float]:
    """Round figures from zero to the longest bar: none at the very edge, where it would be cut."""
    step = round_step(longest / most)
    return [place * step for place in range(math.floor(longest / step) + 1)]


def _placed(bar: Bar, top: int) -> dict[str, Any]:
    runs = bar.runs or ((bar.value,) if bar.value is not None else (0.0,))
    return {
        "name": bar.name,
        "colour": bar.colour,
        "zero": 0,
        "value": bar.value,
        "low": min(runs),
        "high": max(runs),
        "end": max(bar.value or 0, *runs),
        "figure": bar.figure,
        "missing": bar.missing,
        "name_at": top + 7,
        "from": top + _BAR_FROM,
        "to": top + _BAR_TO,
        "middle": top + (_BAR_FROM + _BAR_TO) / 2,
    }
