"""The pictures of a replay: the article's bars beside ours, and the forest plot of its claims."""

from collections.abc import Callable, Sequence

from bakeoff.model.article import Row
from bakeoff.model.replay import ClaimResult, RowResult
from bakeoff.report import figures
from bakeoff.report.charts.bars import Bar, Panel, bars
from bakeoff.report.charts.forest import Group, Lane, Sign, forest, open_ended
from bakeoff.report.charts.svg import FINDINGS, colours
from bakeoff.report.document import Chart
from bakeoff.report.kinds.published import (
    Part,
    label,
    measured,
    published_mib,
    published_runs,
    rate_here,
)

_BARS_NOTE = (
    "Each axis starts at zero and has its own length: compare the shapes. The machines differ, so"
    " the figures do too."
)
_MEMORY_NOTE = (
    "The article's figures are resident sets, added up; ours are Pss, which counts shared memory"
    " once."
)
_SIGNS: dict[str, Sign] = {"holds": "circle", "does not hold": "cross", "can't tell": "diamond"}


def speed(part: Part, every: Sequence[Part]) -> Chart | None:
    if part.skipped or not part.measured:
        return None
    in_a_row = {runs.row: runs.requests_per_s for runs in part.measured.in_a_row}
    panels = _panels(
        part,
        every,
        "requests/s",
        figures.rate,
        lambda row: (row.published.value("requests_per_s"), published_runs(row.published)),
        lambda here: (here.requests_per_s, in_a_row.get(here.name, ())),
        rate_here,
    )
    published, here = (any(len(bar.runs) > 1 for bar in panel.bars) for panel in panels)
    reading = [_BARS_NOTE]
    if published:
        reading += ["A published bar is the mean of the article's runs; its line, least to most."]
    if here:
        reading += ["A line on a bar of ours is the least to the most of our runs in a row."]
    return _chart(part, "speed", "Requests per second", " ".join(reading), panels)


def memory(part: Part, every: Sequence[Part]) -> Chart | None:
    panels = _panels(
        part,
        every,
        "MiB",
        figures.mib,
        lambda row: (published_mib(row.published), ()),
        lambda here: (here.memory_mib, ()),
        lambda here: figures.mib(here.memory_mib),
    )
    if part.skipped or not all(any(bar.parts for bar in panel.bars) for panel in panels):
        return None
    return _chart(part, "memory", "Memory", f"{_MEMORY_NOTE} {_BARS_NOTE}", panels)


_Value = tuple[float | None, Sequence[float]]


def _panels(
    part: Part,
    every: Sequence[Part],
    unit: str,
    write: Callable[[float | None], str],
    of_published: Callable[[Row], _Value],
    of_measured: Callable[[RowResult], _Value],
    write_measured: Callable[[RowResult], str],
) -> tuple[Panel, Panel]:
    """Published and measured panels, by functions that give a row's value and its runs."""
    names = dict.fromkeys(row.name for other in every for row in other.published.rows)
    # The same in every comparison.
    hues = colours(list(names))

    def bar(name: str, row: Row, value: _Value, written: str, missing: str) -> Bar:
        figure, runs = value
        if figure is None:
            return Bar(name, hues[row.name], (), missing)
        return Bar(name, hues[row.name], [(figure, 1.0)], written, runs)

    published = [
        bar(label(row), row, value, write(value[0]), "no figure")
        for row, _ in part.rows
        for value in [of_published(row)]
    ]
    ours = [
        bar(row.name, row, of_measured(here), write_measured(here), "not measured")
        if here and not here.skipped
        else bar(row.name, row, (None, ()), "", "skipped")
        for row, here in part.rows
    ]
    return Panel(unit, published, "Published"), Panel(unit, ours, "Here")


def _chart(part: Part, slug: str, what: str, reading: str, panels: tuple[Panel, Panel]) -> Chart:
    spoken = (
        f"{panel.title}: {', '.join(f'{bar.name} {bar.figure}' for bar in panel.bars)}"
        for panel in panels
    )
    return Chart(
        f"{slug}-{part.published.name}",
        f"{what}: the article's figures and ours",
        reading,
        f"Bars of {panels[0].unit}. {'. '.join(spoken)}.",
        lambda frame: bars(panels, frame),
    )


def claims(results: Sequence[ClaimResult]) -> Chart | None:
    lanes = [
        Lane(
            f"{place}. {claim.text}",
            (claim.finding, figures.ratio_of(ratio)),
            ratio,
            FINDINGS[claim.finding],
            sign=_SIGNS[claim.finding],
            shaded=(claim.above, claim.below),
            ring=claim.published,
        )
        for place, claim in enumerate(results, start=1)
        if (ratio := claim.measured) and (ratio.low is None or ratio.low > 0)
    ]
    if not lanes:
        return None
    spoken = "; ".join(
        f"{place}. {claim.finding}, {measured(claim)}"
        for place, claim in enumerate(results, start=1)
        if claim.measured
    )
    return Chart(
        slug="claims",
        title="The claims that could be measured",
        reading=(
            "Each line is a measured 95 % interval; the sign on it is the ratio, its shape the"
            " finding. The shaded range is what was claimed, the ring what was published; dashed,"
            " both rows level. Claims that could not be measured are in the list alone."
            f"{open_ended(lanes)}"
        ),
        alt_text=f"Claims: {spoken}.",
        draw=lambda frame: forest([Group(lanes)], "ratio, logarithmic", frame),
    )
