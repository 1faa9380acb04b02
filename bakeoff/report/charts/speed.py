"""Pictures of throughput over the run, and of latency by percentile."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import altair as alt

from bakeoff.report import figures
from bakeoff.report.charts import series
from bakeoff.report.charts.palette import QUIET
from bakeoff.report.charts.race import Race
from bakeoff.report.charts.theme import Drawing, Frame, data, log_y, named
from bakeoff.report.document import Chart, printable
from bakeoff.report.kinds.race_trust import latency_caution

SHARE_TICKS = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)


def weather(race: Race) -> Chart | None:
    """Every slice's throughput through the run: what the machine did to all of them."""
    if race.verdict.mode == "open":
        return None  # What comes in is what was offered, whatever the machine did.
    names = {entry.name for entry in race.ranked}
    kept, stride = series.thinned(race.blocks, len(names))
    places = {(block.boot, block.block): n for n, block in enumerate(race.blocks, start=1)}
    kept_places = [places[block.boot, block.block] for block in kept]
    rows = [
        {
            "name": printable(dot.entry),
            "place": kept_places[dot.place - 1],
            "boot": dot.boot,
            "requests_per_s": dot.requests_per_s,
            "kind": f"{dot.kind} slices",
        }
        for dot in series.dots(kept, race.verdict.reference)
        if dot.entry in names and dot.requests_per_s > 0
    ]
    if not rows:
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
        draw=lambda frame: _draw_weather(race, rows, frame),
    )


def _draw_weather(race: Race, rows: Sequence[dict[str, Any]], frame: Frame) -> Drawing:
    last = len(race.blocks)
    x = alt.X(
        "place:Q",
        scale=alt.Scale(domain=[0.5, last + 0.5], nice=False, zero=False),
        axis=alt.Axis(title="block", tickCount=frame.ticks, grid=False),
    )
    highest = max(row["requests_per_s"] for row in rows)
    # Room above the lines for the names of the boots.
    reached = [*(row["requests_per_s"] for row in rows), highest * 1.25]
    signs = _signs(race, frame)
    base = alt.Chart(data(rows)).encode(
        x=x, y=log_y("requests_per_s", reached, "requests/s"), color=signs["color"]
    )
    line = base.mark_line(strokeWidth=1, opacity=0.45).encode(detail=alt.Detail("boot:N"), **signs)
    dots = base.mark_point(filled=True, size=9, opacity=0.8)
    starts = [
        {"at": place + 1.5, "boot": after.boot + 1}
        for place, (before, after) in enumerate(pairwise(race.blocks))
        if before.boot != after.boot
    ]
    rules = alt.Chart(data([{"at": 0.5, "boot": race.blocks[0].boot + 1}, *starts]))
    edge = rules.mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x=alt.X("at:Q"))
    label = rules.transform_calculate(text="'boot ' + datum.boot").mark_text(
        align="left", baseline="top", dx=5, dy=2, color=QUIET
    )
    layers = [
        edge,
        label.encode(x=alt.X("at:Q"), y=alt.value(0), text=alt.Text("text:N")),
        line,
        dots,
    ]
    return alt.layer(*layers).properties(height=280)


def _signs(race: Race, frame: Frame) -> dict[str, Any]:
    return named(
        {lane.name: race.colours[lane.name] for lane in race.lanes[: len(race.ranked)]}, frame
    )


def percentiles(race: Race) -> Chart | None:
    """Latency at each share of requests, the tail stretched out."""
    rows = [
        {"name": printable(entry.name), "nines": nines(share), "us": us}
        for entry in race.ranked
        for share, us in entry.percentiles_us
        if share < 1 and us > 0
    ]
    if not rows:
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
        draw=lambda frame: _draw_percentiles(race, rows, frame),
    )


def nines(share: float) -> float:
    """log10(1/(1−p)): 0 for no request, 1 for 90 %, 2 for 99 %."""
    return -math.log10(1 - share)


def _draw_percentiles(race: Race, rows: Sequence[dict[str, Any]], frame: Frame) -> Drawing:
    furthest = max(row["nines"] for row in rows)
    shares = [share for share in SHARE_TICKS if nines(share) <= furthest + 1e-9]
    labels = ", ".join(f"'{share * 100:.6g} %'" for share in shares)
    ticks = [nines(share) for share in shares]
    # Vega gives the place of a tick among all as `index`, from 0 to 1.
    label = f"[{labels}][round(datum.index * {max(1, len(shares) - 1)})]"
    names = list(dict.fromkeys(row["name"] for row in rows))
    # The fastest ones get the broader lines: one that lies on another can't hide it.
    breadths = [5.5, 3.2, *[1.8] * len(names)][: len(names)]
    widths = alt.Scale(type="ordinal", domain=names, range=breadths)
    lines: Drawing = (
        alt.Chart(data(rows))
        .mark_line(interpolate="monotone")
        .encode(
            x=alt.X(
                "nines:Q",
                scale=alt.Scale(domain=[0, furthest], nice=False),
                axis=alt.Axis(
                    title="share of requests", values=ticks, labelExpr=label, labelOverlap=True
                ),
            ),
            y=log_y("us", [row["us"] for row in rows], "latency", time=True),
            strokeWidth=alt.StrokeWidth("name:N", scale=widths, legend=None),
            **_signs(race, frame),
        )
        .properties(height=300)
    )
    return lines
