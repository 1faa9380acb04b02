"""Pictures of throughput over the run, and of latency by percentile."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise, repeat

from bakeoff.report import figures
from bakeoff.report.charts import series
from bakeoff.report.charts.race import Race
from bakeoff.report.charts.scale import Axis, Looks, key, looks, plot, time, x_scale, y_scale
from bakeoff.report.charts.svg import QUIET, Corner, dots, line, polyline, quiet, stacked
from bakeoff.report.document import Chart, Drawing, Frame, printable
from bakeoff.report.kinds.race_trust import latency_caution

SHARE_TICKS = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)


def weather(race: Race) -> Chart | None:
    """Every slice's throughput through the run: the machine's effect on all of them."""
    if race.verdict.mode == "open":
        return None  # In an open loop throughput is the offered rate, whatever the machine did.
    names = {entry.name for entry in race.ranked}
    kept, stride = series.thinned(race.blocks, len(names))
    places = {(block.boot, block.block): n for n, block in enumerate(race.blocks, start=1)}
    kept_places = [places[block.boot, block.block] for block in kept]
    points = [
        replace(dot, place=kept_places[dot.place - 1])
        for dot in series.dots(kept, race.verdict.reference)
        if dot.entry in names and dot.requests_per_s > 0
    ]
    if not points:
        return None
    drawn = "every block" if stride == 1 else f"one block in {stride}"
    return Chart(
        slug="weather",
        title="Throughput over the run",
        reading=(
            f"Requests per second of each slice, a line per contender and boot, {drawn} drawn."
            " Where all lines move together, the machine did it:"
            " that is why ratios are taken within a block."
        ),
        alt_text=f"Throughput of {len(names)} contenders over {len(race.blocks)} blocks.",
        draw=lambda frame: _draw_weather(race, points, frame),
    )


def _draw_weather(race: Race, points: Sequence[series.Dot], frame: Frame) -> Drawing:
    x = x_scale(0.5, len(race.blocks) + 0.5, frame)
    rates = [point.requests_per_s for point in points]
    # Room above the lines for the names of the boots.
    y = y_scale([*rates, max(rates) * 1.25], 280)
    parts = []
    starts = [(0.5, race.blocks[0].boot)] + [
        (place + 0.5, after.boot)
        for place, (before, after) in enumerate(pairwise(race.blocks), start=1)
        if before.boot != after.boot
    ]
    for place, boot in starts:
        at = x.at(place)
        parts.append(line(at, y.end, at, y.begin, stroke=QUIET, stroke_dasharray="3 3"))
        parts.append(quiet(f"boot {boot + 1}", at + 5, y.end + 13))
    by_line: dict[tuple[str, int], list[Corner]] = {}
    for point in points:
        corner = (x.at(point.place), y.at(point.requests_per_s))
        by_line.setdefault((printable(point.entry), point.boot), []).append(corner)
    own = _looks(race)
    for (name, _), corners in by_line.items():
        parts.append(polyline(corners, opacity=0.45, **own[name]))
        parts.append(dots(corners, 3.2, stroke=own[name]["stroke"]))
    axes = x.axis("block", frame.ticks), y.axis(f"{race.verdict.unit}s/s, logarithmic", 8)
    return stacked([key(own, frame), plot(*axes, parts)], gap=8)


def _looks(race: Race) -> Looks:
    names = [printable(entry.name) for entry in race.ranked]
    return looks({name: race.colours[name] for name in names})


def percentiles(race: Race) -> Chart | None:
    curves = {
        printable(entry.name): [
            (nines(share), us) for share, us in entry.percentiles_us if share < 1 and us > 0
        ]
        for entry in race.ranked
    }
    if not any(curves.values()):
        return None
    spoken = "; ".join(
        f"{printable(entry.name)} p50 {figures.duration(entry.latency_us.p50)},"
        f" p99 {figures.duration(entry.latency_us.p99)}"
        for entry in race.ranked
        if entry.latency_us
    )
    return Chart(
        slug="percentiles",
        title="How long an answer takes",
        reading=(
            "Latency that this share of requests did not exceed; each step to the right leaves out"
            " ten times fewer slow requests. Lines end where fewer than ten requests are left."
            f" {latency_caution(race.verdict)}"
        ),
        alt_text=f"Latency percentiles: {spoken}.",
        draw=lambda frame: _draw_percentiles(race, curves, frame),
    )


def nines(share: float) -> float:
    """log10(1/(1−p)): 0 for no request, 1 for 90 %, 2 for 99 %."""
    return -math.log10(1 - share)


def _draw_percentiles(
    race: Race, curves: Mapping[str, Sequence[tuple[float, float]]], frame: Frame
) -> Drawing:
    points = [point for curve in curves.values() for point in curve]
    x = x_scale(0, max(1.0, *(place for place, _ in points)), frame)
    y = y_scale([us for _, us in points], 300)
    shares = [
        (place, f"{share * 100:.6g} %")
        for share in SHARE_TICKS
        if (place := nines(share)) <= x.high + 1e-9
    ]
    own = _looks(race)
    # The fastest ones get broader lines, so that a line on top can't hide them.
    breadths = chain((5.5, 3.2), repeat(1.8))
    parts = [
        polyline(((x.at(a), y.at(b)) for a, b in curve), stroke_width=breadth, **own[name])
        for (name, curve), breadth in zip(curves.items(), breadths, strict=False)
    ]
    latency = y.axis("latency, logarithmic", 8, time)
    drawn = plot(Axis(x, "share of requests", shares), latency, parts, grid=True)
    return stacked([key(own, frame), drawn], gap=8)
