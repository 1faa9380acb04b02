"""The picture of a race's steadiness: each block's and each boot's ratio around the result."""

import random
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from bakeoff.report import figures
from bakeoff.report.charts import series
from bakeoff.report.charts.palette import GRID, INK, QUIET
from bakeoff.report.charts.race import Lane, Race
from bakeoff.report.charts.theme import Drawing, Frame, colour_scale, data
from bakeoff.report.document import Chart, printable

_KINDS = ["short slices", "long slices"]


def steadiness(race: Race) -> Chart | None:
    """A lane per boot: its blocks as dots, its own ratio as a stroke, the interval behind."""
    results = {lane.name: lane for lane in race.lanes if lane.name != race.reference}
    in_draws = any(len(lane.draws) > len(lane.boots) for lane in results.values())
    strokes: list[dict[str, Any]] = [
        {"name": name, "lane": place, "apart": _apart(ratio, lane.ratio)}
        for name, lane in results.items()
        for place, ratio in (_by_draw(lane) if in_draws else _by_boot(lane))
    ]
    kept, stride = series.thinned(race.blocks, len(results))
    chance = random.Random(race.verdict.seed)
    # The blocks' ratios are those of throughput.
    by_throughput = race.verdict.ranked_by == "requests_per_s"
    dots: list[dict[str, Any]] = [
        {
            "name": name,
            "lane": dot.boot + chance.uniform(-0.32, 0.32),
            "apart": _apart(dot.ratio, results[name].ratio),
            "kind": f"{dot.kind} slices",
        }
        for dot in (series.dots(kept, race.verdict.reference) if by_throughput else [])
        if (name := printable(dot.entry)) in results and dot.ratio
    ]
    if not strokes and not dots:
        return None
    intervals: list[dict[str, Any]] = [
        {"name": name, "from": _apart(lane.low, lane.ratio), "to": _apart(lane.high, lane.ratio)}
        for name, lane in results.items()
        if lane.low and lane.high
    ]
    reach = max((abs(each["apart"]) for each in strokes), default=0.0)
    reach = max([reach, *(max(-each["from"], each["to"]) for each in intervals)])
    if dots:
        reach = max(reach, float(np.quantile([abs(dot["apart"]) for dot in dots], 0.99)))
    reach = reach * 1.1 or 1.0
    outside = sum(abs(dot["apart"]) > reach for dot in dots)
    for dot in dots:
        dot["apart"] = min(max(dot["apart"], -reach), reach)
    drawn = "all blocks are drawn" if stride == 1 else f"one block in {stride} is drawn"
    of_dots = (
        f" Each dot is one block; {drawn}; diamonds are long slices."
        f" {figures.plural(outside, 'dot')} further out than the axis"
        f" {'lies' if outside == 1 else 'lie'} on its edge."
    )
    furthest = max((abs(stroke["apart"]) for stroke in strokes), default=0.0)
    what, above = ("draw", ", its draws one below the other") if in_draws else ("boot", "")
    return Chart(
        slug="steadiness",
        title=f"How steady the ratio is, {what} by {what}",
        reading=(
            "Ratios as a difference to the contender's result; the shaded band is its 95 %"
            f" interval. A contender has a lane per boot, the first on top{above}. Each stroke is"
            f" one {what}'s own ratio: strokes that lie apart mean that connections or processes of"
            f" one program differ, which more blocks would not cure.{of_dots if dots else ''}"
        ),
        alt_text=(
            f"{figures.plural(len(dots), 'block ratio')} around each contender's ratio; {what}s are"
            f" at most {furthest:.2g} % apart from it."
        ),
        draw=lambda frame: _draw(race, dots, strokes, intervals, reach, frame),
    )


def _by_boot(lane: Lane) -> list[tuple[float, float]]:
    """Where each stroke is, in lanes from the top, and its ratio."""
    return [(each.boot, each.ratio) for each in lane.boots]


def _by_draw(lane: Lane) -> list[tuple[float, float]]:
    """The same, draws spread over the lane of their boot."""
    last = max(each.draw for each in lane.draws) if lane.draws else 0
    return [
        (each.boot + 0.64 * (each.draw / max(1, last) - 0.5), each.ratio) for each in lane.draws
    ]


def _apart(ratio: float, result: float) -> float:
    return 100 * (ratio / result - 1)


def _draw(
    race: Race,
    dots: Sequence[dict[str, Any]],
    strokes: Sequence[dict[str, Any]],
    intervals: Sequence[dict[str, Any]],
    reach: float,
    frame: Frame,
) -> Drawing:
    lanes = race.verdict.boots
    step = max(36, 20 * lanes)
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    axis = alt.Axis(
        title="difference to the contender's own ratio",
        tickCount=frame.ticks,
        labelExpr="(datum.value > 0 ? '+' : '') + datum.label + ' %'",
        labelOverlap=True,
    )
    names = alt.Axis(
        title=None, domain=False, ticks=False, labelLimit=170, labelColor=INK, grid=False
    )
    order = [interval["name"] for interval in intervals]
    y = alt.Y("name:N", sort=order, axis=names)
    top = alt.Y("name:N", sort=order, axis=names, bandPosition=0)
    lane = alt.YOffset("lane:Q", scale=alt.Scale(domain=[-0.6, lanes - 0.4], nice=False))
    x = alt.X("apart:Q", scale=scale, axis=axis)
    colour = alt.Color("name:N", scale=colour_scale(race.colours), legend=None)
    of_interval = alt.Chart(data(intervals))
    layers: list[alt.Chart] = [
        alt.Chart(data([{"apart": 0}])).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x=x),
        of_interval.mark_rule(color=GRID).encode(y=top, x=alt.value(0), x2=alt.value("width")),
        of_interval.mark_rect(opacity=0.13).encode(
            x=alt.X("from:Q", scale=scale),
            x2=alt.X2("to:Q"),
            y=top,
            y2=alt.Y2("name", bandPosition=1),
            color=colour,
        ),
    ]
    if dots:
        shape = alt.Scale(domain=_KINDS, range=["circle", "diamond"])
        sizes = alt.Scale(domain=_KINDS, range=[11, 46])
        legend = alt.Legend(symbolFillColor=INK, symbolStrokeWidth=0)
        layers.append(
            alt.Chart(data(dots))
            .mark_point(filled=True, opacity=0.75)
            .encode(
                x=x,
                y=y,
                yOffset=lane,
                color=colour,
                shape=alt.Shape("kind:N", scale=shape, legend=legend),
                size=alt.Size("kind:N", scale=sizes),
            )
        )
    layers.append(
        alt.Chart(data(strokes))
        .mark_tick(
            orient="vertical",
            thickness=2.5,
            size=6 if len(strokes) > lanes * len(intervals) else 15,
            color=INK,
        )
        .encode(x=x, y=y, yOffset=lane)
    )
    return alt.layer(*layers).properties(height=alt.Step(step))
