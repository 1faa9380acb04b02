"""The picture of the processors: the use of the server's and the generator's over the run."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bakeoff.report import figures
from bakeoff.report.charts import series
from bakeoff.report.charts.race import Race
from bakeoff.report.charts.scale import AXIS_PX, Scale, Symbol, across, legend
from bakeoff.report.charts.svg import boxes, line, rect, stacked, text
from bakeoff.report.document import Chart, Drawing, Frame

# Work in two blues, network interrupts in green, stolen time in the alarming colour.
PART_COLOURS = {"user": "#0072b2", "system": "#56b4e9", "softirq": "#009e73", "steal": "#d55e00"}
_ROW_PX, _BAND_PX = 104, 74


def cores(race: Race) -> Chart | None:
    pinned = race.verdict.cores
    jobs: dict[int, list[str]] = {}
    for job, cpus in (("servers", pinned.server), ("generator", pinned.client)):
        for cpu in cpus:
            jobs.setdefault(cpu, []).append(job)
    shares = series.core_shares(race.blocks, list(jobs))
    if not shares:
        return None
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
        draw=lambda frame: _draw(shares, jobs, frame),
    )


def _draw(
    shares: Sequence[series.CoreShare], jobs: Mapping[int, list[str]], frame: Frame
) -> Drawing:
    first, last = min(share.start_s for share in shares), max(share.end_s for share in shares)
    scale = Scale(first, last, 1, frame.width - 1)
    bottoms = {cpu: _ROW_PX * (place + 1) for place, cpu in enumerate(jobs)}
    parts: list[Markup] = []
    for cpu, bottom in bottoms.items():
        said = f"core {cpu}: {' and '.join(jobs[cpu])}"
        parts.append(text(said, 0, bottom - _BAND_PX - 8))
        parts += (line(0, y, frame.width, y) for y in (bottom - _BAND_PX, bottom))
    for part, colour in PART_COLOURS.items():
        edges = (
            (
                scale.at(share.start_s),
                bottoms[share.cpu] - _BAND_PX * share.high,
                scale.at(share.end_s),
                bottoms[share.cpu] - _BAND_PX * share.low,
            )
            for share in shares
            if share.part == part and share.high > share.low
        )
        parts.append(boxes(edges, fill=colour))
    bottom = _ROW_PX * len(jobs)
    axis = scale.axis("s since the first block", frame.ticks)
    plot = Drawing(bottom + AXIS_PX, [*parts, *across(axis, bottom)])
    return stacked(
        [legend({part: _square(hue) for part, hue in PART_COLOURS.items()}, frame), plot]
    )


def _square(colour: str) -> Symbol:
    return lambda x, y: rect(x, y - 6, 12, 12, fill=colour)
