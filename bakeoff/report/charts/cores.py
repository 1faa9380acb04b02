"""The picture of the processors: what each of them did through the run."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from bakeoff.model.plan import Cores
from bakeoff.report import figures, series
from bakeoff.report.charts.race import Race, Sketch
from bakeoff.report.charts.theme import GRID, INK, Drawing, Frame, data

# Work in two blues, network interrupts in green, stolen time in the alarming colour.
PART_COLOURS = {"user": "#0072b2", "system": "#56b4e9", "softirq": "#009e73", "steal": "#d55e00"}
_ROW_HEIGHT, _BAND = 108, 0.68


def cores(race: Race) -> Sketch | None:
    """Use of the server's and the generator's processors over time, stacked."""
    pinned = race.verdict.cores
    cpus = list(dict.fromkeys((*pinned.server, *pinned.client)))
    shares = series.core_shares(race.blocks, cpus)
    if not shares:
        return None
    place = {cpu: row for row, cpu in enumerate(cpus)}
    rows = [
        {
            "start": share.start_s,
            "end": share.end_s,
            "part": share.part,
            "low": place[share.cpu] + 1 - _BAND * share.low,
            "high": place[share.cpu] + 1 - _BAND * share.high,
        }
        for share in shares
        if share.high > share.low
    ]
    heads = [{"at": place[cpu] + 0.12, "label": _whose(pinned, cpu)} for cpu in cpus]
    stolen = race.verdict.steal_share
    steal = f" Steal over the run: {figures.percent(stolen)}." if stolen is not None else ""
    return Sketch(
        slug="cores",
        title="What the processors did",
        reading=(
            "Each row is one processor from 0 to 100 %; what is empty was idle. Gaps are the pauses"
            " between boots. The server's row should be full and the generator's not." + steal
        ),
        alt_text=(
            f"Stacked CPU use of {len(cpus)} processors over time: user, system, softirq, steal."
        ),
        draw=lambda frame: _draw_cores(rows, heads, len(cpus), frame),
    )


def _whose(pinned: Cores, cpu: int) -> str:
    jobs = {"servers": cpu in pinned.server, "generator": cpu in pinned.client}
    return f"core {cpu}: {' and '.join(job for job, has_it in jobs.items() if has_it)}"


def _draw_cores(
    rows: Sequence[dict[str, Any]], heads: Sequence[dict[str, Any]], count: int, frame: Frame
) -> Drawing:
    scale = alt.Scale(domain=[0, count], reverse=True, nice=False, zero=True)
    nothing = alt.Axis(title=None, labels=False, ticks=False, domain=False, grid=False)
    end = max(row["end"] for row in rows)
    x_scale = alt.Scale(domain=[min(row["start"] for row in rows), end], nice=False)
    x_axis = alt.Axis(title="s since the first block", grid=False, tickCount=frame.ticks)
    parts = (
        alt.Chart(data(rows))
        .mark_rect(strokeWidth=0)
        .encode(
            x=alt.X("start:Q", scale=x_scale, axis=x_axis),
            x2="end:Q",
            y=alt.Y("low:Q", scale=scale, axis=nothing),
            y2="high:Q",
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=list(PART_COLOURS), range=list(PART_COLOURS.values())),
                legend=alt.Legend(symbolType="square"),
            ),
        )
    )
    edges = [{"at": row + line} for row in range(count) for line in (1 - _BAND, 1)]
    lines = alt.Chart(data(edges)).mark_rule(color=GRID).encode(y=alt.Y("at:Q", scale=scale))
    labels = (
        alt.Chart(data(heads))
        .mark_text(align="left", baseline="top", color=INK, dx=2)
        .encode(y=alt.Y("at:Q", scale=scale), x=alt.value(0), text="label:N")
    )
    return alt.layer(lines, parts, labels).properties(height=_ROW_HEIGHT * count)
