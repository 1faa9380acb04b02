"""The picture of the processors: what the server's and the generator's did over the run."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from bakeoff.report import figures
from bakeoff.report.charts import series
from bakeoff.report.charts.palette import GRID, INK
from bakeoff.report.charts.race import Race
from bakeoff.report.charts.theme import Drawing, Frame, by_pixel, data
from bakeoff.report.document import Chart

# Work in two blues, network interrupts in green, stolen time in the alarming colour.
PART_COLOURS = {"user": "#0072b2", "system": "#56b4e9", "softirq": "#009e73", "steal": "#d55e00"}
_ROW, _BAND = 108, 74


def cores(race: Race) -> Chart | None:
    """Use of the server's and the generator's processors over time, stacked."""
    pinned = race.verdict.cores
    jobs: dict[int, list[str]] = {}
    for job, cpus in (("servers", pinned.server), ("generator", pinned.client)):
        for cpu in cpus:
            jobs.setdefault(cpu, []).append(job)
    shares = series.core_shares(race.blocks, list(jobs))
    if not shares:
        return None
    bottom = {cpu: _ROW * (place + 1) for place, cpu in enumerate(jobs)}
    rows = [
        {
            "start": share.start_s,
            "end": share.end_s,
            "part": share.part,
            "low": bottom[share.cpu] - _BAND * share.low,
            "high": bottom[share.cpu] - _BAND * share.high,
        }
        for share in shares
        if share.high > share.low
    ]
    heads = [
        {
            "top": bottom[cpu] - _BAND,
            "bottom": bottom[cpu],
            "text": f"core {cpu}: {' and '.join(do)}",
        }
        for cpu, do in jobs.items()
    ]
    stolen = race.verdict.steal_share
    steal = f" Steal over the run: {figures.percent(stolen)}." if stolen is not None else ""
    return Chart(
        slug="cores",
        title="What the processors did",
        reading=(
            "Each row is one processor from 0 to 100 %; what is empty was idle. Gaps are the pauses"
            f" between boots. The server's row should be full and the generator's not.{steal}"
        ),
        alt_text=(
            f"Stacked CPU use of {len(jobs)} processors over time: user, system, softirq, steal."
        ),
        draw=lambda frame: _draw(rows, heads, frame),
    )


def _draw(rows: Sequence[dict[str, Any]], heads: Sequence[dict[str, Any]], frame: Frame) -> Drawing:
    height = _ROW * len(heads)
    first, last = min(row["start"] for row in rows), max(row["end"] for row in rows)
    x, y = by_pixel(
        alt.Scale(domain=[first, last], nice=False),
        alt.Axis(title="s since the first block", grid=False, tickCount=frame.ticks),
        height,
    )
    hue = alt.Color(
        "part:N",
        scale=alt.Scale(domain=list(PART_COLOURS), range=list(PART_COLOURS.values())),
        legend=alt.Legend(symbolType="square"),
    )
    rooms = alt.Chart(data(heads))
    layers = [
        rooms.mark_rule(color=GRID).encode(y=y("top")),
        rooms.mark_rule(color=GRID).encode(y=y("bottom")),
        alt.Chart(data(rows))
        .mark_rect(strokeWidth=0)
        .encode(x=x("start"), x2=alt.X2("end"), y=y("low"), y2=alt.Y2("high"), color=hue),
        rooms.mark_text(align="left", baseline="bottom", color=INK, dx=2, dy=-6).encode(
            x=alt.value(0), y=y("top"), text=alt.Text("text:N")
        ),
    ]
    drawing: Drawing = alt.layer(*layers).properties(height=height)
    return drawing
