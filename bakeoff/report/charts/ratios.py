"""Pictures of ratios: the forest plot, and what each boot had for itself."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from bakeoff.report import figures, words
from bakeoff.report.charts.race import Race, Sketch, shown
from bakeoff.report.charts.theme import (
    INK,
    QUIET,
    Drawing,
    Frame,
    apart_axis,
    colour_scale,
    data,
    names_axis,
    ratio_axis,
    zero_rule,
)


def forest(race: Race) -> Sketch | None:
    """Every ratio with its interval, the twin below them, the margin of equivalence behind."""
    rows = [_forest_row(race, place) for place in range(len(race.lanes))]
    if not rows:
        return None
    margin = race.verdict.equivalence_margin
    band = f" The shaded band is {figures.margin(margin)}, taken as equivalent."
    twin = " The grey twin is a second copy of the reference: its gap to 1× is the noise floor."
    spoken = "; ".join(f"{row['name']} {row['figure']}".rstrip("\u200b") for row in rows)
    return Sketch(
        slug="ratios",
        title="How fast, against the reference",
        reading=(
            f"{_what(race)}; each line is a simultaneous 95 % interval. Further right is faster."
            + band
            + (twin if race.verdict.noise_floor else "")
        ),
        alt_text=f"Forest plot of ratios to {race.verdict.reference}: {spoken}.",
        draw=lambda frame: _draw_forest(race, rows, margin, frame),
    )


def _what(race: Race) -> str:
    reference = words.printable(race.verdict.reference)
    if race.verdict.ranked_by == "requests_per_s":
        return f"Requests per second over those of {reference}"
    return f"The p99 latency of {reference} over the contender's"


def _forest_row(race: Race, place: int) -> dict[str, Any]:
    lane = race.lanes[place]
    is_reference = lane.name == race.verdict.reference
    figure = (
        "1× reference" if is_reference else figures.ratio_times(lane.ratio, lane.low, lane.high)
    )
    return {
        "name": shown(lane),
        "ratio": lane.ratio,
        "low": lane.low,
        "high": lane.high,
        # Rows are told apart by their label: equal figures get a different number of empty signs.
        "figure": figure + "\u200b" * place,
    }


def _draw_forest(
    race: Race, rows: Sequence[dict[str, Any]], margin: float, frame: Frame
) -> Drawing:
    low = min([row["low"] for row in rows] + [1 / (1 + 1.5 * margin)])
    high = max([row["high"] for row in rows] + [1 + 1.5 * margin])
    scale, axis = ratio_axis(low, high, frame, "ratio, logarithmic")
    if frame.narrow:
        rows = [row | {"row": f"{row['name']}\n{row['figure']}"} for row in rows]
    else:
        rows = [row | {"row": row["name"]} for row in rows]
    y = alt.Y("row:N", sort=None, axis=names_axis(labelExpr="split(datum.label, '\\n')"))
    x = alt.X("ratio:Q", scale=scale, axis=axis)
    colour = alt.Color("name:N", scale=colour_scale(race.colours), legend=None)
    base = alt.Chart(data(rows))
    band = alt.Chart(data([{"from": 1 / (1 + margin), "to": 1 + margin}])).mark_rect(
        color=QUIET, opacity=0.14
    )
    one = alt.Chart(data([{"at": 1}])).mark_rule(color=QUIET, strokeDash=[3, 3])
    layers = [
        band.encode(x=alt.X("from:Q", scale=scale, axis=axis), x2="to:Q"),
        one.encode(x=alt.X("at:Q", scale=scale)),
        base.mark_rule(strokeWidth=2.5).encode(
            x=alt.X("low:Q", scale=scale), x2="high:Q", y=y, color=colour
        ),
        base.mark_tick(thickness=2.5, size=12).encode(
            x=alt.X("low:Q", scale=scale), y=y, color=colour
        ),
        base.mark_tick(thickness=2.5, size=12).encode(
            x=alt.X("high:Q", scale=scale), y=y, color=colour
        ),
        base.mark_point(filled=True, size=70, opacity=1).encode(x=x, y=y, color=colour),
    ]
    step = 44 if frame.narrow else 36
    picture = alt.layer(*layers).properties(height=alt.Step(step))
    if frame.narrow:
        return picture
    figure_axis = names_axis(orient="right", labelFontWeight="bold")
    beside = base.mark_point(opacity=0).encode(
        x=x, y=alt.Y("figure:N", sort=None, axis=figure_axis)
    )
    both: Drawing = alt.layer(picture, beside).resolve_scale(y="independent")
    return both.properties(height=step * len(rows))


def boots(race: Race) -> Sketch | None:
    """Each boot's own ratio against that of all boots: processes of one program differ."""
    rows: list[dict[str, Any]] = [
        {
            "name": shown(lane),
            "boot": f"boot {boot.boot + 1}",
            "apart": 100 * (boot.ratio / lane.ratio - 1),
            "low": 100 * (lane.low / lane.ratio - 1),
            "high": 100 * (lane.high / lane.ratio - 1),
        }
        for lane in race.others
        for boot in lane.boots
    ]
    if not rows:
        return None
    widest = max(abs(float(row["apart"])) for row in rows)
    return Sketch(
        slug="boots",
        title="How much a restart changes",
        reading=(
            "Each sign is one boot's ratio, as a difference to that contender's ratio over all"
            " boots; the bar is the 95 % interval. Signs that lie apart mean that processes of one"
            " program differ, which more blocks would not cure."
        ),
        alt_text=(f"Ratio of each boot against that over all boots: at most {widest:.2g} % apart."),
        draw=lambda frame: _draw_boots(race, rows, frame),
    )


def _draw_boots(race: Race, rows: Sequence[dict[str, Any]], frame: Frame) -> Drawing:
    reach = (
        1.1 * max(max(abs(row["apart"]), abs(row["low"]), abs(row["high"])) for row in rows) or 1.0
    )
    names = list(dict.fromkeys(row["name"] for row in rows))
    y = alt.Y("name:N", sort=names, axis=names_axis())
    scale = alt.Scale(domain=[-reach, reach])
    x = alt.X("apart:Q", scale=scale, axis=apart_axis(frame))
    colour = alt.Color("name:N", scale=colour_scale(race.colours), legend=None)
    base = alt.Chart(data(rows))
    bar = base.mark_rule(strokeWidth=14, opacity=0.12).encode(
        x=alt.X("low:Q", scale=scale), x2="high:Q", y=y, color=colour
    )
    once = [row for row in rows if row["boot"] == rows[0]["boot"]]
    point = base.mark_point(size=70, opacity=0.9, strokeWidth=2).encode(
        x=x,
        y=y,
        color=colour,
        shape=alt.Shape(
            "boot:N", sort=None, legend=alt.Legend(symbolStrokeColor=INK, symbolStrokeWidth=1.5)
        ),
    )
    return alt.layer(zero_rule(scale), bar.properties(data=data(once)), point).properties(
        height=alt.Step(34)
    )
