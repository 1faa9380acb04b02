"""The article's bar chart, redrawn beside ours: the same rows, order and colours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from bakeoff.report import figures
from bakeoff.report.charts.race import Sketch
from bakeoff.report.charts.theme import (
    INK,
    QUIET,
    Drawing,
    Frame,
    Panels,
    colours,
    data,
    round_step,
)
from bakeoff.report.replay import words
from bakeoff.report.replay.parts import Part, published_mib, published_runs
from bakeoff.report.words import printable

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


def speed_slug(comparison: str) -> str:
    """What the picture of a comparison's requests per second is called."""
    return f"speed-{comparison}"


def memory_slug(comparison: str) -> str:
    """What the picture of a comparison's memory is called."""
    return f"memory-{comparison}"


def speed(part: Part, all_parts: Sequence[Part]) -> Sketch | None:
    """Requests per second: published and measured."""
    if part.skipped:
        return None
    hues = _colours(all_parts)
    in_a_row = {
        one.row: one.requests_per_s for one in (part.measured.in_a_row if part.measured else ())
    }
    there, here = [], []
    for row, result in part.rows:
        published, hue = row.published.value("requests_per_s"), hues[row.name]
        name = printable(words.label(row))
        runs = published_runs(row.published)
        there.append(Bar(name, hue, published, figures.rate(published), runs, "no figure"))
        found = result.requests_per_s if result and not result.skipped else None
        runs = in_a_row.get(row.name, ()) if found else ()
        here.append(Bar(printable(row.name), hue, found, figures.rate(found), runs, "skipped"))
    return _sketch(
        speed_slug(part.there.name),
        "Requests per second: the article's figures and ours",
        words.bars(
            several=any(len(bar.runs) > 1 for bar in there),
            in_a_row=any(len(bar.runs) > 1 for bar in here),
        ),
        (Panel("Published", "requests/s", tuple(there)), Panel("Here", "requests/s", tuple(here))),
    )


def memory(part: Part, all_parts: Sequence[Part]) -> Sketch | None:
    """Memory: published and measured, where the article printed any."""
    pairs = [(row, result, published_mib(row.published)) for row, result in part.rows]
    measured = any(result and result.memory_mib is not None for _, result, _ in pairs)
    if part.skipped or not measured or all(mib is None for *_, mib in pairs):
        return None
    hues = _colours(all_parts)
    there, here = [], []
    for row, result, mib in pairs:
        hue, name = hues[row.name], printable(words.label(row))
        there.append(Bar(name, hue, mib, figures.mib(mib), missing="no figure"))
        found = result.memory_mib if result and not result.skipped else None
        said = "skipped" if result and result.skipped else "not measured"
        here.append(Bar(printable(row.name), hue, found, figures.mib(found), missing=said))
    return _sketch(
        memory_slug(part.there.name),
        "Memory: the article's figures and ours",
        f"{words.MEMORY_NOTE} {words.BARS_NOTE}",
        (Panel("Published", "MiB", tuple(there)), Panel("Here", "MiB", tuple(here))),
    )


def _colours(all_parts: Sequence[Part]) -> dict[str, str]:
    """A colour for each row of the article, the same in every comparison."""
    names = dict.fromkeys(row.name for part in all_parts for row in part.there.rows)
    return colours(list(names), None)


def _sketch(slug: str, title: str, reading: str, panels: tuple[Panel, Panel]) -> Sketch:
    said = (
        f"{panel.title}: {', '.join(f'{bar.name} {_told(bar)}' for bar in panel.bars)}"
        for panel in panels
    )
    return Sketch(
        slug=slug,
        title=title,
        reading=reading,
        alt_text=f"Bars of {panels[0].unit}. {'. '.join(said)}.",
        draw=lambda frame: _draw(panels, frame),
    )


def _told(bar: Bar) -> str:
    return bar.missing if bar.value is None else bar.figure


def _draw(panels: Sequence[Panel], frame: Frame) -> Panels:
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
