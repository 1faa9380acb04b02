"""The throughput–latency curve, with the objectives' lines, and what is answered past them."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from bakeoff.model.capacity import CapacityReport, Objective
from bakeoff.report import figures
from bakeoff.report.capacity import words
from bakeoff.report.charts import Picture, drawn
from bakeoff.report.charts.race import Sketch
from bakeoff.report.charts.speed import TIME_LABEL
from bakeoff.report.charts.theme import (
    INK,
    QUIET,
    Drawing,
    Frame,
    colour_scale,
    colours,
    data,
    log_scale,
    ratio_ticks,
)
from bakeoff.report.words import printable


def capacity_pictures(report: CapacityReport) -> list[Picture]:
    """A curve for each quantile that an objective bounds, then the goodput."""
    quantiles = dict.fromkeys(bound.quantile for each in report.objectives for bound in each.bounds)
    return drawn((*(_latency(report, name) for name in quantiles), _goodput(report)))


def _latency(report: CapacityReport, quantile: str) -> Sketch | None:
    rows = [
        {"name": printable(entry.name), "rate": point.rate, "us": us}
        for entry in report.entries
        for point in entry.curve
        if (us := point.quantiles_us.get(quantile))
    ]
    if not rows:
        return None
    spoken = words.headline(report)
    return Sketch(
        slug=f"latency-{quantile.replace('.', '-')}",
        title=f"{quantile} at each rate",
        reading=(
            f"The {quantile} latency from when a request was due, at each offered rate, all its"
            " slices together. Dashed: what the objective allows. The upright line is the knee: the"
            " capacity, where the curve crosses."
        ),
        alt_text=f"{quantile} latency over offered rate: {spoken}",
        draw=lambda frame: _draw_latency(report, quantile, rows, frame),
    )


def _draw_latency(
    report: CapacityReport, quantile: str, rows: Sequence[dict[str, Any]], frame: Frame
) -> Drawing:
    limits: list[dict[str, Any]] = [
        {"us": bound.limit_us, "text": f"{quantile} ≤ {figures.duration(bound.limit_us)}"}
        for each in report.objectives
        for bound in each.bounds
        if bound.quantile == quantile
    ]
    x = _rates(rows, frame)
    scale, values = log_scale([row["us"] for row in (*rows, *limits)])
    y = alt.Y(
        "us:Q",
        scale=scale,
        axis=alt.Axis(title=f"{quantile}, logarithmic", labelExpr=TIME_LABEL, values=values),
    )
    base = alt.Chart(data(rows)).encode(x=x, y=y, color=_colour(report, frame))
    bounded = alt.Chart(data(limits)).encode(y=y)
    layers = [
        bounded.mark_rule(color=INK, strokeDash=[5, 4]),
        bounded.mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=QUIET).encode(
            x=alt.value(0), text="text:N"
        ),
        base.mark_line(strokeWidth=2),
        base.mark_point(filled=True, size=28, opacity=1),
        *_knees(report, quantile, x, frame),
    ]
    return alt.layer(*layers).properties(height=320)


def _knees(report: CapacityReport, quantile: str, x: alt.X, frame: Frame) -> list[alt.Chart]:
    bounding = {each.text for each in report.objectives if _bounds(each, quantile)}
    rows = [
        {
            "name": printable(entry.name),
            "rate": capacity.requests_per_s,
            "text": figures.rate(capacity.requests_per_s),
            "place": 8 + 15 * (place % 3),
        }
        for place, (entry, capacity) in enumerate(
            pair for text in bounding for pair in words.ranked(report, text)
        )
    ]
    if not rows:
        return []
    knees = alt.Chart(data(rows)).encode(x=x, color=_colour(report, frame))
    return [
        knees.mark_rule(strokeWidth=1, opacity=0.7),
        knees.mark_text(align="right", dx=-4).encode(
            y=alt.Y("place:Q", scale=None, axis=None), text="text:N"
        ),
    ]


def _bounds(objective: Objective, quantile: str) -> bool:
    return any(bound.quantile == quantile for bound in objective.bounds)


def _goodput(report: CapacityReport) -> Sketch | None:
    rows = [
        {"name": printable(entry.name), "rate": point.rate, "goodput": point.goodput}
        for entry in report.entries
        for point in entry.curve
        if point.goodput > 0
    ]
    if not rows:
        return None
    return Sketch(
        slug="goodput",
        title="What is answered of what is offered",
        reading=(
            "Right answers per second at each rate. On the dashed line all that is offered is"
            " answered; a server that holds its throughput past saturation runs level, one that"
            " collapses falls."
        ),
        alt_text="Goodput over offered rate: " + _past(report),
        draw=lambda frame: _draw_goodput(report, rows, frame),
    )


def _past(report: CapacityReport) -> str:
    said = [
        f"{entry.name} {figures.rate(entry.beyond.goodput)} of {figures.rate(entry.beyond.rate)}"
        for entry in report.entries
        if entry.beyond
    ]
    return "; ".join(said) + "."


def _draw_goodput(report: CapacityReport, rows: Sequence[dict[str, Any]], frame: Frame) -> Drawing:
    x = _rates(rows, frame)
    scale, values = log_scale([*(row["goodput"] for row in rows), *(row["rate"] for row in rows)])
    axis = alt.Axis(title="right answers/s, logarithmic", format=",~f", values=values)
    y = alt.Y("goodput:Q", scale=scale, axis=axis)
    all_answered = [{"rate": rate, "goodput": rate} for rate in _ends(rows)]
    base = alt.Chart(data(rows)).encode(x=x, y=y, color=_colour(report, frame))
    layers = [
        alt.Chart(data(all_answered))
        .mark_line(color=QUIET, strokeDash=[5, 4], strokeWidth=1)
        .encode(x=x, y=y),
        base.mark_line(strokeWidth=2),
        base.mark_point(filled=True, size=28, opacity=1),
    ]
    return alt.layer(*layers).properties(height=280)


def _ends(rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    rates = [row["rate"] for row in rows]
    return min(rates), max(rates)


def _rates(rows: Sequence[dict[str, Any]], frame: Frame) -> alt.X:
    low, high = _ends(rows)
    scale, _ = log_scale([low, high])
    bottom, top = scale.to_dict()["domain"]
    axis = alt.Axis(
        title="requests/s offered, logarithmic",
        format=",~f",
        grid=False,
        labelOverlap=True,
        values=ratio_ticks(bottom, top, frame.ticks),
    )
    return alt.X("rate:Q", scale=scale, axis=axis)


def _colour(report: CapacityReport, frame: Frame) -> alt.Color:
    given = colours([printable(entry.name) for entry in report.entries], None)
    legend = alt.Legend(columns=2 if frame.narrow else 5, symbolType="stroke", symbolStrokeWidth=3)
    return alt.Color("name:N", scale=colour_scale(given), legend=legend)
