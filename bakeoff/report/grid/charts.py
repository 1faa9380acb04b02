"""The picture of a grid, as SVG. Importing this takes altair along: most of a second."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from bakeoff.model.grid import Cell, Grid
from bakeoff.report import figures
from bakeoff.report.charts import Picture, drawn
from bakeoff.report.charts.race import Sketch
from bakeoff.report.charts.theme import (
    INK,
    QUIET,
    Drawing,
    Frame,
    colour_scale,
    colours,
    data,
    ratio_axis,
)
from bakeoff.report.grid import words
from bakeoff.report.grid.tables import contenders
from bakeoff.report.words import printable

_TITLE, _LANE, _GAP = 20, 13, 14
_TWIN = "twin"


@dataclass(frozen=True)
class _Lane:
    """One ratio with its interval, of a contender or of the twin."""

    name: str
    ratio: float
    low: float
    high: float


def grid_pictures(grid: Grid) -> list[Picture]:
    """Every cell's ratios with their intervals, one cell under the other, on one axis."""
    return drawn([ratios(grid)])


def ratios(grid: Grid) -> Sketch | None:
    """Small multiples: a forest plot for each cell. None where no cell has a ratio."""
    lanes = {cell.name: _lanes(cell) for cell in grid.cells}
    if not any(len(each) > 1 for each in lanes.values()):
        return None
    spoken = "; ".join(
        f"{words.title(grid, cell)}: "
        + (
            ", ".join(
                f"{lane.name} {figures.ratio_times(lane.ratio, lane.low, lane.high)}"
                for lane in lanes[cell.name]
            )
            or "no figures"
        )
        for cell in grid.cells
    )
    return Sketch(
        slug="grid",
        title="How fast, against the reference, in every cell",
        reading=(
            f"Each line is a simultaneous 95 % interval of its cell's own race. {words.RATIOS_NOTE}"
            " The grey twin is a second copy of the reference: its gap to 1× is the cell's noise"
            " floor."
        ),
        alt_text=f"Forest plots of ratios to {printable(grid.reference)}, by cell: {spoken}.",
        draw=lambda frame: _draw(grid, lanes, frame),
    )


def _lanes(cell: Cell) -> list[_Lane]:
    """The ranked contenders, the fastest first, and the twin."""
    if not cell.verdict:
        return []
    found = [
        _Lane(printable(one.name), one.ratio, one.low, one.high)
        for one in cell.verdict.entries
        if one.valid and one.ratio is not None and one.low is not None and one.high is not None
    ]
    floor = cell.verdict.noise_floor
    return [*found, *([_Lane(_TWIN, floor.ratio, floor.low, floor.high)] if floor else [])]


def _draw(grid: Grid, lanes: dict[str, list[_Lane]], frame: Frame) -> Drawing:
    every = [lane for own in lanes.values() for lane in own]
    low = min(0.95, *(lane.low for lane in every if lane.low > 0))
    high = max(1.05, *(lane.high for lane in every))
    scale, axis = ratio_axis(low, high, frame, "ratio, logarithmic")
    axis["grid"] = False
    titles, rows, height = _placed(grid, lanes, least=scale["domain"][0])
    names = list(dict.fromkeys(map(printable, contenders(grid))))
    names += [_TWIN] if any(row["name"] == _TWIN for row in rows) else []
    y_scale = alt.Scale(domain=[height, 0], nice=False, zero=False)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=None)

    hue = alt.Color(
        "name:N",
        scale=colour_scale(colours(names, _TWIN)),
        legend=alt.Legend(columns=2 if frame.narrow else 5, symbolType="circle"),
    )
    base = alt.Chart(data(rows))
    # Where the lanes are: through the titles it would be in the way.
    one = alt.Chart(data([title | {"one": 1} for title in titles if title["to"] > title["from"]]))
    layers = [
        one.mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x=x("one"), y=y("from"), y2="to"),
        *(
            alt.Chart(data([title for title in titles if title["quiet"] is quiet]))
            .mark_text(align="left", baseline="middle", fontWeight="normal" if quiet else "bold")
            .encode(x=alt.value(0), y=y("at"), text="text:N", color=alt.value(ink))
            for quiet, ink in ((False, INK), (True, QUIET))
        ),
        base.mark_rule(strokeWidth=2.5).encode(x=x("low"), x2="high", y=y("at"), color=hue),
        base.mark_point(filled=True, size=55, opacity=1).encode(x=x("ratio"), y=y("at"), color=hue),
    ]
    drawing: Drawing = alt.layer(*layers).properties(height=height)
    return drawing


def _placed(
    grid: Grid, lanes: dict[str, list[_Lane]], least: float
) -> tuple[Sequence[dict[str, Any]], Sequence[dict[str, Any]], int]:
    """Where titles and lanes stand, in px from the top, and the height of all."""
    titles: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    top = 0
    for cell in grid.cells:
        own = lanes[cell.name]
        start = top + _TITLE
        top = start + _LANE * max(1, len(own)) + _GAP
        said = f"{cell.name}: {words.title(grid, cell)}"
        span = {"from": start, "to": start + _LANE * len(own)}
        titles.append({"text": said, "at": start - _TITLE / 2, "quiet": False, **span})
        if not own:
            said = "no figures"
            titles.append({"text": said, "at": start + _LANE / 2, "quiet": True, **span})
        rows += [
            {
                "name": lane.name,
                "ratio": lane.ratio,
                "low": max(lane.low, least),
                "high": lane.high,
                "at": start + _LANE * (place + 0.5),
            }
            for place, lane in enumerate(own)
        ]
    return titles, rows, top
