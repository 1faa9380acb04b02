"""The throughput–latency curve, with the objectives' lines, and the answers past them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from bakeoff.model.capacity import CapacityReport
from bakeoff.model.workload import Unit
from bakeoff.report import figures
from bakeoff.report.charts.scale import (
    HEAD_PX,
    Axis,
    Looks,
    Scale,
    key,
    looks,
    plot,
    time,
    x_scale,
    y_scale,
)
from bakeoff.report.charts.svg import (
    INK,
    QUIET,
    Corner,
    colours,
    dots,
    line,
    polyline,
    quiet,
    stacked,
    text,
)
from bakeoff.report.document import Chart, Drawing, Frame, printable
from bakeoff.report.kinds.capacity_headline import headline, ranked

Curves = Mapping[str, Sequence[Corner]]
"""A contender's points: the offered rate, and its result."""


def capacity_charts(report: CapacityReport) -> list[Chart | None]:
    quantiles = dict.fromkeys(
        bound.quantile for objective in report.objectives for bound in objective.bounds
    )
    return [*(_latency(report, name) for name in quantiles), _goodput(report)]


def _latency(report: CapacityReport, quantile: str) -> Chart | None:
    curves = {
        printable(entry.name): [
            (point.rate, us) for point in entry.curve if (us := point.quantiles_us.get(quantile))
        ]
        for entry in report.entries
    }
    if not any(curves.values()):
        return None
    return Chart(
        slug=f"latency-{quantile.replace('.', '-')}",
        title=f"{quantile} at each rate",
        reading=(
            f"The {quantile} latency from when a {report.unit} was due, at each offered rate, all"
            " its slices together. Dashed: what the objective allows. The upright line is the knee:"
            " the capacity, where the curve crosses."
        ),
        alt_text=f"{quantile} latency over offered rate: {headline(report)}",
        draw=lambda frame: _draw_latency(report, quantile, curves, frame),
    )


def _draw_latency(report: CapacityReport, quantile: str, curves: Curves, frame: Frame) -> Drawing:
    bounds = {
        slo.text: bound.limit_us
        for slo in report.objectives
        for bound in slo.bounds
        if bound.quantile == quantile
    }
    own = looks(colours(list(curves)))
    x, y = _scales(curves, bounds.values(), 320, frame)
    parts = []
    for limit_us in bounds.values():
        at = y.at(limit_us)
        parts.append(line(x.begin, at, x.end, at, stroke=INK, stroke_dasharray="5 4"))
        said = f"{quantile} ≤ {figures.duration(limit_us)}"
        parts.append(quiet(said, x.begin + 4, at - 4))
    parts += _curves(curves, own, x, y)
    knees = (
        (printable(entry.name), capacity.requests_per_s)
        for objective in bounds
        for entry, capacity in ranked(report, objective)
    )
    for place, (name, rate) in enumerate((name, rate) for name, rate in knees if rate):
        at, colour = x.at(rate), own[name]["stroke"]
        parts.append(line(at, HEAD_PX, at, y.begin, stroke=colour, opacity=0.7))
        down = HEAD_PX + 12 + 15 * (place % 6)
        parts.append(text(figures.rate(rate), at - 4, down, fill=colour, text_anchor="end"))
    axes = _offered(x, report.unit, frame), y.axis(f"{quantile}, logarithmic", 8, time)
    return stacked([key(own, frame), plot(*axes, parts)], gap=8)


def _goodput(report: CapacityReport) -> Chart | None:
    curves = {
        printable(entry.name): [
            (point.rate, point.goodput) for point in entry.curve if point.goodput > 0
        ]
        for entry in report.entries
    }
    if not any(curves.values()):
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
        draw=lambda frame: _draw_goodput(curves, report.unit, frame),
    )


def _draw_goodput(curves: Curves, unit: Unit, frame: Frame) -> Drawing:
    own = looks(colours(list(curves)))
    x, y = _scales(curves, [rate for curve in curves.values() for rate, _ in curve], 280, frame)
    ends = [(x.at(rate), y.at(rate)) for rate in (x.low, x.high)]
    parts = [polyline(ends, stroke=QUIET, stroke_dasharray="5 4"), *_curves(curves, own, x, y)]
    axes = _offered(x, unit, frame), y.axis("right answers/s, logarithmic", 8)
    return stacked([key(own, frame), plot(*axes, parts)], gap=8)


def _scales(
    curves: Curves, further: Iterable[float], height: float, frame: Frame
) -> tuple[Scale, Scale]:
    points = [point for curve in curves.values() for point in curve]
    rates = [rate for rate, _ in points]
    x = x_scale(min(rates), max(rates), frame, is_log=True)
    return x, y_scale([*(value for _, value in points), *further], height)


def _curves(curves: Curves, own: Looks, x: Scale, y: Scale) -> Iterator[Markup]:
    for name, curve in curves.items():
        corners = [(x.at(rate), y.at(value)) for rate, value in curve]
        yield polyline(corners, stroke_width=2, **own[name])
        yield dots(corners, 6, stroke=own[name]["stroke"])


def _offered(x: Scale, unit: Unit, frame: Frame) -> Axis:
    return x.axis(f"{unit}s/s offered, logarithmic", frame.ticks)
