"""The history as a report: its content, and a contender's lines over time with their steps."""

from collections.abc import Sequence
from datetime import datetime

from bakeoff.model.history import ContenderLine, Line, LineStep, Past, RunLine
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.flat import flat
from bakeoff.report.sentences import listed, sentences

SHOWN_POINTS = 12
"""The number of a line's latest runs that a table shows; the data has all."""


def document(past: Past) -> doc.Document:
    return doc.Document(
        title=f"{past.contender} over time",
        headline=headline(past),
        summary=tuple(_section(line) for line in past.lines),
        data=tuple(row for line in past.lines for row in _data(line)),
    )


def headline(past: Past) -> str:
    runs = sum(len(line.points) for line in past.lines)
    lines = figures.plural(len(past.lines), "line")
    newest = max(
        ((step, line) for line in past.lines for step in line.steps),
        key=lambda found: found[0].began_at,
        default=None,
    )
    if newest is None:
        return f"No step in {lines} with {figures.plural(runs, 'run')}."
    step, line = newest
    return f"Its latest step: {said(step, line)}."


def said(step: LineStep, line: Line) -> str:
    ratio, low, high = figures.parts(step.ratio)
    return (
        f"{day(step.began_at)}, {setting(line)}: its ratio to {line.reference} became {ratio} "
        f"times what it was ({low} to {high}); {listed(sentences(step.causes))}"
    )


def setting(line: Line) -> str:
    return f"{line.key.workload}, {line.key.protocol}, {line.key.load}"


def day(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")


def minute(at: datetime) -> str:
    """A time to the minute, as 2026-11-23 09:30, in UTC."""
    return at.strftime("%Y-%m-%d %H:%M")


def _section(line: Line) -> doc.Section:
    key = line.key
    machine = f"{key.cpu_model}, {figures.plural(key.cpus, 'core')}, class {key.machine_class}"
    blocks: tuple[doc.Block, ...] = (
        doc.Text(f"{level(line)} Machine: {machine}."),
        doc.List("Steps", tuple(_step(step, line) for step in reversed(line.steps)), outcomes=True),
        points_table(line),
    )
    return doc.Section(setting(line), blocks)


def level(line: Line) -> str:
    if line.now is None:
        return f"{figures.plural(len(line.points), 'run')}, none with a ratio to {line.reference}."
    ratio, low, high = figures.parts(line.now.ratio)
    runs = figures.plural(line.now.ratio.n, "run")
    return f"Since {day(line.now.since)}: {ratio} of {line.reference} ({low} to {high}, {runs})."


def _step(step: LineStep, line: Line) -> doc.Item:
    sign: doc.Sign = "✓" if step.ratio.ratio > 1 else "✗"
    return doc.Item(said(step, line), sign)


def points_table(line: Line) -> doc.Table:
    shown = line.points[: -SHOWN_POINTS - 1 : -1]
    older = len(line.points) - len(shown)
    return doc.tabulated(
        "Latest runs",
        shown,
        (
            ("began", lambda point: minute(point.began_at)),
            (f"ratio to {line.reference}", lambda point: figures.ratio_of(point.ratio)),
            ("requests/s", lambda point: figures.rate(point.requests_per_s)),
            ("p99", lambda point: figures.duration(point.latency_p99_us)),
            ("CPU per request", lambda point: figures.duration(point.cpu_us_per_request)),
            ("memory", lambda point: figures.mib(point.memory_mib)),
            ("version", lambda point: point.version or MISSING),
        ),
        note=f"{figures.plural(older, 'earlier run')} not shown." if older else "",
        text=("version",),
    )


def _data(line: Line) -> Sequence[doc.DataRow]:
    levels_at = {step.at for step in line.steps}
    return [
        {
            "contender": line.key.contender,
            "workload": line.key.workload,
            "protocol": line.key.protocol,
            "load": line.key.load,
            "machine_class": line.key.machine_class,
            "reference": line.reference,
            "step": place in levels_at,
            **flat(point),
        }
        for place, point in enumerate(line.points)
    ]


def shelf(contenders: Sequence[ContenderLine], runs: Sequence[RunLine], total: int) -> doc.Document:
    return doc.Document(
        title="History",
        headline=(
            f"{figures.plural(total, 'run')} of {figures.plural(len(contenders), 'contender')}."
            if total
            else "No run yet: each adds itself when it ends. Make one with: bakeoff race"
        ),
        summary=(
            doc.tabulated(
                "Contenders",
                contenders,
                (
                    ("contender", lambda line: line.contender),
                    ("language", lambda line: line.language or MISSING),
                    ("races", lambda line: figures.count(line.races)),
                    ("latest", lambda line: day(line.last_at)),
                ),
                text=("language",),
            ),
            doc.List(
                "Latest runs",
                tuple(
                    doc.Item(f"{run.kind}: {run.headline}", label=minute(run.began_at))
                    for run in runs
                ),
            ),
        ),
        data=tuple(contender.model_dump(mode="json") for contender in contenders),
    )
