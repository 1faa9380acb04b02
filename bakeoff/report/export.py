"""A run in the formats of other tools that docs/decisions/ci.md names."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

from bakeoff.model.ci import Ci
from bakeoff.model.history import IndexedFigure, IndexedRace, IndexedRun
from bakeoff.model.ratio import Ratio
from bakeoff.report.document import printable
from bakeoff.report.kinds.ci import headline
from bakeoff.report.kinds.shared import gate, gate_text

Format = Literal["bencher", "otava", "openmetrics", "comment"]
"""`comment` is made by `kinds.ci`: it contains only text that can't be misused."""


class _Value(NamedTuple):
    value: float
    low: float | None = None
    high: float | None = None


class _Figure(NamedTuple):
    """A figure of a contender: `name` as in report.csv. In OpenMetrics it is multiplied by `scale`
    to a base unit, and is called `bakeoff_{of}_{unit}`."""

    name: str
    of: str
    unit: str
    help: str
    scale: float = 1


_RATIOS = (
    _Figure("ratio", "", "ratio", "How many times better than the reference it is."),
    _Figure("cpu_ratio", "cpu", "ratio", "Requests per second of server CPU over the reference's."),
)
_FIGURES = (
    _Figure("requests_per_s", "", "requests_per_second", "Requests answered per second."),
    _Figure("latency_p50_us", "latency_p50", "seconds", "Median latency.", 1e-6),
    _Figure("latency_p99_us", "latency_p99", "seconds", "Latency that 1 % exceed.", 1e-6),
    _Figure("first_byte_p50_us", "first_byte_p50", "seconds", "Median time to first byte.", 1e-6),
    _Figure(
        "first_byte_p99_us",
        "first_byte_p99",
        "seconds",
        "Time to first byte that 1 % exceed.",
        1e-6,
    ),
    _Figure("cpu_us_per_request", "cpu", "seconds_per_request", "Server CPU per request.", 1e-6),
    _Figure("memory_mib", "memory", "bytes", "Memory (Pss) while loaded.", 2**20),
)


class _Measured(NamedTuple):
    """A contender, with its figures: none if it is not valid. `name` is unique."""

    name: str
    race: IndexedRace
    entry: IndexedFigure
    values: Mapping[_Figure, _Value]


def _measured(run: IndexedRun) -> Iterator[_Measured]:
    for race in run.races:
        for entry in race.figures:
            pair = race.pair(entry.name, race.reference)
            values = {of: _ratio(getattr(pair, of.name)) for of in _RATIOS if pair}
            for figure in _FIGURES:
                value = getattr(entry, figure.name)
                values[figure] = None if value is None else _Value(value)
            known = {figure: value for figure, value in values.items() if value and entry.valid}
            name = f"{race.part} {entry.name}" if len(run.races) > 1 else entry.name
            yield _Measured(printable(name), race, entry, known)


def _ratio(given: Ratio | None) -> _Value | None:
    return _Value(given.ratio, given.low, given.high) if given else None


def bencher(run: IndexedRun, commit: str = "") -> str:  # noqa: ARG001
    benchmarks = {
        measured.name: {
            figure.name: {
                key: value
                for key, value in zip(("value", "lower_value", "upper_value"), of, strict=True)
                if value is not None
            }
            for figure, of in measured.values.items()
        }
        for measured in _measured(run)
        if measured.values
    }
    return json.dumps(benchmarks, indent=2) + "\n"


def otava(run: IndexedRun, commit: str = "") -> str:
    """A row for Otava's CSV importer: time and attributes, then a column for each figure of each
    contender. Runs of the same contenders have the same columns, so their rows can be joined."""
    columns = {
        "time": run.began_at.isoformat(),
        "run": printable(run.name),
        "commit": commit,
        "bakeoff": printable(run.bakeoff),
        "machine_class": run.machine_class,
    }
    for measured in sorted(_measured(run), key=lambda measured: measured.name):
        for figure in (*_RATIOS, *_FIGURES):
            value = measured.values.get(figure)
            columns[f"{measured.name} {figure.name}"] = str(value.value) if value else ""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows((columns.keys(), columns.values()))
    return text.getvalue()


def openmetrics(run: IndexedRun, commit: str = "") -> str:
    """OpenMetrics text: gauges in base units, with the time at which the run began.

    A ratio's interval is in two gauges beside it, `bakeoff_low_ratio` and `bakeoff_high_ratio`.
    """
    time_s = f"{run.began_at.timestamp():.3f}"
    about = {
        "run": run.name,
        "kind": run.kind,
        "commit": commit,
        "bakeoff": run.bakeoff,
        "machine_class": run.machine_class,
    }
    lines = [
        "# TYPE bakeoff_run info",
        "# HELP bakeoff_run What was measured, and where.",
        f"bakeoff_run_info{_labels(about)} 1 {time_s}",
    ]
    contenders = [(_labels(_of(measured)), measured.values) for measured in _measured(run)]
    for figure in (*_RATIOS, *_FIGURES):
        for bound, key in (("", "value"), ("low", "low"), ("high", "high")):
            samples = [
                f"{labels} {value * figure.scale!r} {time_s}"
                for labels, values in contenders
                if (value := getattr(values.get(figure), key, None)) is not None
            ]
            if samples:
                family = "_".join(
                    part for part in ("bakeoff", figure.of, bound, figure.unit) if part
                )
                end = f" The {bound} end of the 95 % interval." if bound else ""
                lines += [
                    f"# TYPE {family} gauge",
                    f"# UNIT {family} {figure.unit}",
                    f"# HELP {family} {figure.help}{end}",
                    *(f"{family}{sample}" for sample in samples),
                ]
    return "\n".join([*lines, "# EOF", ""])


def _of(measured: _Measured) -> dict[str, str]:
    race, entry = measured.race, measured.entry
    return {
        "contender": measured.name,
        "reference": race.reference,
        "workload": race.workload,
        "protocol": entry.protocol,
        "load": race.load,
    }


def _labels(labels: Mapping[str, str]) -> str:
    quoted = (
        '{}="{}"'.format(name, printable(value).replace("\\", r"\\").replace('"', r"\""))
        for name, value in labels.items()
        if value
    )
    return f"{{{','.join(quoted)}}}"


FORMATS: Mapping[str, Callable[[IndexedRun, str], str]] = {
    "bencher": bencher,
    "otava": otava,
    "openmetrics": openmetrics,
}


SUITE = "bakeoff"


def junit(result: Ci) -> str:
    """Each gate: failed, skipped where it can't be told and passes, or passed."""
    suite = _suite(len(result.race.gates))
    for checked in result.race.gates:
        case = ET.SubElement(suite, "testcase", classname=SUITE, name=printable(gate_text(checked)))
        said = gate(checked, result.race.ranked_by).text
        if result.outcome == "not raced":
            _add(suite, case, "error", headline(result))
        elif not checked.passes:
            _add(suite, case, "failure", said)
        elif checked.outcome == "can't tell":
            _add(suite, case, "skipped", said)
        ET.SubElement(case, "system-out").text = printable(f"{headline(result)} {said}")
    return _text(suite)


def junit_without_race(kind: str, message: str) -> str:
    """One case that was not raced; `kind` is `error` or `skipped`."""
    suite = _suite(1)
    case = ET.SubElement(suite, "testcase", classname=SUITE, name="base and head are raced")
    _add(suite, case, kind, message)
    return _text(suite)


def _suite(tests: int) -> ET.Element:
    counts = {"tests": str(tests), "failures": "0", "errors": "0", "skipped": "0"}
    return ET.Element("testsuite", {"name": SUITE, **counts})


def _add(suite: ET.Element, case: ET.Element, kind: str, message: str) -> None:
    first, *_ = message.splitlines()
    told = ET.SubElement(case, kind, message=printable(first))
    told.text = "\n".join(map(printable, message.splitlines()))
    counter = {"failure": "failures", "error": "errors", "skipped": "skipped"}[kind]
    suite.set(counter, str(int(suite.get(counter, "0")) + 1))


def _text(suite: ET.Element) -> str:
    ET.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suite, encoding="unicode")}\n'
