"""The throughput–latency curve, with the objectives' lines, and what is answered past them."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from bakeoff.model.capacity import CapacityReport
from bakeoff.report import figures
from bakeoff.report.charts.palette import INK, QUIET
from bakeoff.report.charts.theme import Drawing, Frame, colours, data, log_scale, log_y, named
from bakeoff.report.charts.ticks import ratio_ticks
from bakeoff.report.document import Chart, printable
from bakeoff.report.kinds.capacity_headline import headline, ranked


def capacity_charts(report: CapacityReport) -> list[Chart | None]:
    """A curve for each quantile that an objective bounds, then the goodput."""
    quantiles = dict.fromkeys(bound.quantile for each in report.objectives for bound in each.bounds)
    return [*(_latency(report, name) for name in quantiles), _goodput(report)]


def _latency(report: CapacityReport, quantile: str) -> Chart | None:
    rows = [
        {"name": printable(entry.name), "rate": point.rate, "value": us}
        for entry in report.entries
        for point in entry.curve
        if (us := point.quantiles_us.get(quantile))
    ]
    if not rows:
        return None
    return Chart(
        slug=f"latency-{quantile.replace('.', '-')}",
        title=f"{quantile} at each rate",
        reading=(
            f"The {quantile} latency from when a request was due, at each offered rate, all its"
            " slices together. Dashed: what the objective allows. The upright line is the knee: the"
            " capacity, where the curve crosses."
        ),
        alt_text=f"{quantile} latency over offered rate: {headline(report)}",
        draw=lambda frame: _draw_latency(report, quantile, rows, frame),
    )


def _draw_latency(
    report: CapacityReport, quantile: str, rows: Sequence[dict[str, Any]], frame: Frame
) -> Drawing:
    limits: list[dict[str, Any]] = [
        {"value": bound.limit_us, "text": f"{quantile} ≤ {figures.duration(bound.limit_us)}"}
        for each in report.objectives
        for bound in each.bounds
        if bound.quantile == quantile
    ]
    bounding = [
        each.text
        for each in report.objectives
        if any(bound.quantile == quantile for bound in each.bounds)
    ]
    places = [place for text in bounding for place in ranked(report, text)]
    knees: list[dict[str, Any]] = [
        {
            "name": printable(entry.name),
            "rate": capacity.requests_per_s,
            "text": figures.rate(capacity.requests_per_s),
            "at": 8 + 15 * (place % 6),
        }
        for place, (entry, capacity) in enumerate(places)
    ]
    x, y = _rates(rows, frame), log_y("value", _values(rows, limits), quantile, time=True)
    bounded = alt.Chart(data(limits)).encode(y=y)
    knee = alt.Chart(data(knees)).encode(x=x, color=_signs(report, frame)["color"])
    layers = [
        bounded.mark_rule(color=INK, strokeDash=[5, 4]),
        bounded.mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=QUIET).encode(
            x=alt.value(0), text=alt.Text("text:N")
        ),
        *_curves(report, rows, x, y, frame),
        knee.mark_rule(strokeWidth=1, opacity=0.7),
        knee.mark_text(align="right", dx=-4).encode(
            y=alt.Y("at:Q", scale=None, axis=None), text=alt.Text("text:N")
        ),
    ]
    return alt.layer(*layers).properties(height=320)


def _goodput(report: CapacityReport) -> Chart | None:
    rows = [
        {"name": printable(entry.name), "rate": point.rate, "value": point.goodput}
        for entry in report.entries
        for point in entry.curve
        if point.goodput > 0
    ]
    if not rows:
        return None
    past = "; ".join(
        f"{entry.name} {figures.rate(entry.beyond.goodput)} of {figures.rate(entry.beyond.rate)}"
        for entry in report.entries
        if entry.beyond
    )
    return Chart(
        slug="goodput",
        title="What is answered of what is offered",
        reading=(
            "Right answers per second at each rate. On the dashed line all that is offered is"
            " answered; a server that holds its throughput past saturation runs level, one that"
            " collapses falls."
        ),
        alt_text=f"Goodput over offered rate: {past}.",
        draw=lambda frame: _draw_goodput(report, rows, frame),
    )


def _draw_goodput(report: CapacityReport, rows: Sequence[dict[str, Any]], frame: Frame) -> Drawing:
    rates = [row["rate"] for row in rows]
    all_answered = [{"rate": rate, "value": rate} for rate in (min(rates), max(rates))]
    x = _rates(rows, frame)
    y = log_y("value", [*_values(rows, []), *rates], "right answers/s")
    diagonal = alt.Chart(data(all_answered)).mark_line(
        color=QUIET, strokeDash=[5, 4], strokeWidth=1
    )
    layers = [diagonal.encode(x=x, y=y), *_curves(report, rows, x, y, frame)]
    return alt.layer(*layers).properties(height=280)


def _values(*every: Sequence[dict[str, Any]]) -> list[float]:
    return [row["value"] for rows in every for row in rows]


def _curves(
    report: CapacityReport, rows: Sequence[dict[str, Any]], x: alt.X, y: alt.Y, frame: Frame
) -> list[alt.Chart]:
    """A line for each contender, with its points."""
    base = alt.Chart(data(rows)).encode(x=x, y=y, **_signs(report, frame))
    return [base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=28, opacity=1)]


def _signs(report: CapacityReport, frame: Frame) -> dict[str, Any]:
    return named(colours([printable(entry.name) for entry in report.entries], None), frame)


def _rates(rows: Sequence[dict[str, Any]], frame: Frame) -> alt.X:
    scale, _ = log_scale([row["rate"] for row in rows])
    bottom, top = scale.to_dict()["domain"]
    axis = alt.Axis(
        title="requests/s offered, logarithmic",
        format=",~f",
        grid=False,
        labelOverlap=True,
        values=ratio_ticks(bottom, top, frame.ticks),
    )
    return alt.X("rate:Q", scale=scale, axis=axis)
