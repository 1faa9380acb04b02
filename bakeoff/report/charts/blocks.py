"""The picture of the blocks: how far each block's ratio lies from its contender's."""

import random
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from bakeoff.report import figures, series, words
from bakeoff.report.charts.race import Race, Sketch
from bakeoff.report.charts.theme import (
    GRID,
    INK,
    Drawing,
    Frame,
    apart_axis,
    colour_scale,
    data,
    names_axis,
    zero_rule,
)


def blocks(race: Race) -> Sketch | None:
    """Every block's ratio around its contender's, a lane per boot."""
    if race.verdict.ranked_by != "requests_per_s":
        return None  # The points are ratios of throughput.
    others = {lane.name: lane.ratio for lane in race.others}
    kept, stride = series.thinned(race.blocks, len(others))
    placed = [
        (dot, 100 * (dot.ratio / others[dot.entry] - 1))
        for dot in series.dots(kept, race.verdict.reference)
        if dot.entry in others and dot.ratio
    ]
    if not placed:
        return None
    reach = float(np.quantile([abs(apart) for _, apart in placed], 0.99)) * 1.1 or 1.0
    outside = sum(abs(apart) > reach for _, apart in placed)
    chance = random.Random(race.verdict.seed)
    rows = [
        {
            "name": words.printable(dot.entry),
            "lane": dot.boot + chance.uniform(-0.32, 0.32),
            "apart": min(max(apart, -reach), reach),
            "kind": f"{dot.kind} slices",
        }
        for dot, apart in placed
    ]
    return Sketch(
        slug="blocks",
        title="How steady the ratio is, block by block",
        reading=(
            "Each dot is one block's ratio, as a difference to that contender's result;"
            f" {_thinned(stride)}."
            f" A contender has a lane per boot, the first on top; diamonds are long slices."
            f" {figures.plural(outside, 'dot')} further out than the axis"
            f" {'lies' if outside == 1 else 'lie'} on its edge."
        ),
        alt_text=f"Scatter of {len(rows)} block ratios around each contender's ratio, by boot.",
        draw=lambda frame: _draw_blocks(race, rows, reach, frame),
    )


def _thinned(stride: int) -> str:
    return "all blocks are drawn" if stride == 1 else f"one block in {stride} is drawn"


def _draw_blocks(race: Race, rows: Sequence[dict[str, Any]], reach: float, frame: Frame) -> Drawing:
    names = [name for name in race.colours if any(row["name"] == name for row in rows)]
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    lanes = race.verdict.boots
    dots = (
        alt.Chart(data(rows))
        .mark_point(filled=True, opacity=0.75)
        .encode(
            x=alt.X("apart:Q", scale=scale, axis=apart_axis(frame)),
            y=alt.Y("name:N", sort=names, axis=names_axis()),
            yOffset=alt.YOffset("lane:Q", scale=alt.Scale(domain=[-0.6, lanes - 0.4], nice=False)),
            color=alt.Color("name:N", scale=colour_scale(race.colours), legend=None),
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(
                    domain=["short slices", "long slices"], range=["circle", "diamond"]
                ),
                legend=alt.Legend(symbolFillColor=INK, symbolStrokeWidth=0),
            ),
            size=alt.Size(
                "kind:N",
                scale=alt.Scale(domain=["short slices", "long slices"], range=[11, 46]),
            ),
        )
    )
    step = max(36, 20 * lanes)
    between = alt.Chart(data([{"name": name} for name in names])).mark_rule(color=GRID)
    lines = between.encode(
        y=alt.Y("name:N", sort=names, bandPosition=0), x=alt.value(0), x2=alt.value("width")
    )
    return alt.layer(zero_rule(scale), lines, dots).properties(height=alt.Step(step))
