"""Two runs compared: the contenders whose ratio to the reference changed, and by how much."""

from collections.abc import Callable

from bakeoff.model.compare import RunChange, RunFacts, RunFigures, RunsComparison
from bakeoff.model.ratio import Ratio
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.charts import race as race_pictures
from bakeoff.report.figures import MISSING
from bakeoff.report.flat import flat
from bakeoff.report.kinds.race_trust import found_in_most
from bakeoff.report.kinds.shared import bare_ratio, gates, warned
from bakeoff.report.sentences import listed, sentence, sentences

_SIGNS: dict[str | None, doc.Sign] = {"faster": "✓", "slower": "✗", "can't tell": "?", None: "·"}
_PLAIN = (
    "Requests per second, CPU, memory and p99 are as they were measured: the machine's drift"
    " between the runs is in them, so there is no finding on them."
)


def document(result: RunsComparison) -> doc.Document:
    versions = [
        f"{change.name}: version {change.before.version or 'unknown'} before,"
        f" {change.after.version or 'unknown'} after."
        for change in result.changes
        if change.before.version != change.after.version
    ]
    alone = [
        f"Only in the {which} run: {listed(names)}."
        for which, names in (("earlier", result.only_before), ("later", result.only_after))
        if names
    ]
    unlike = _unlike(result)
    warnings = [f"{warning}{unlike}" for warning in sentences(result.warnings)]
    return doc.Document(
        title=f"{result.workload}: what changed between two runs",
        headline=headline(result),
        context=(result.before.run, result.after.run),
        summary=(
            doc.Charts(lambda: [race_pictures.changes(result)]),
            doc.List("Changes", tuple(_change(result, change) for change in _others(result)), True),
            _table(result),
            gates(result.gates, result.ranked_by),
            doc.List("Differences between the runs", doc.items("·", [*alone, *versions])),
            warned(warnings),
            doc.Text(_facts(result.before), "Before"),
            doc.Text(_facts(result.after), "After"),
        ),
        data=tuple(map(flat, result.changes)),
    )


def headline(result: RunsComparison) -> str:
    findings = [change.finding for change in _others(result)]
    faster, slower, untold = (
        findings.count(finding) for finding in ("faster", "slower", "can't tell")
    )
    if not faster + slower + untold:
        return "Nothing to compare: the runs share no two contenders with figures."
    said = [f"{slower or 'none'} became slower", f"{faster or 'none'} faster"]
    said += [f"{untold} can't be told"] if untold else []
    return f"Of {figures.plural(len(findings), 'contender')}, {listed(said)}{_unlike(result)}."


def _others(result: RunsComparison) -> list[RunChange]:
    return [change for change in result.changes if change.name != result.reference]


def _change(result: RunsComparison, change: RunChange) -> doc.Item:
    said = f"{change.name}: {sentence(change.reason) if change.reason else ''}"
    if change.ratio is not None:
        by = f"its ratio to {result.reference} is {_times(change.ratio)}"
        if change.finding == "can't tell":
            said = f"Can't tell whether {change.name} changed: {by}"
            if change.minimum_detectable_effect is not None:
                said += f"; {found_in_most(change.minimum_detectable_effect)}"
        else:
            said = f"{change.name} became {change.finding}: {by}"
    return doc.Item(f"{said}{_unlike(result)}.", _SIGNS[change.finding])


def _times(ratio: Ratio) -> str:
    """The change in words; with one end or none, what is known of it."""
    if ratio.low is not None and ratio.high is not None:
        middle, low, high = figures.interval(ratio.ratio, ratio.low, ratio.high)
        return f"{middle} times what it was ({low} to {high})"
    if ratio.low is None and ratio.high is None:
        return "not known, as the load generator was the limit"
    return f"{bare_ratio(ratio)} times what it was, as the load generator was the limit"


def _unlike(result: RunsComparison) -> str:
    """A remark in every line of runs on different machines."""
    if not result.unlike:
        return ""
    keys = listed(difference.values["key"] for difference in result.unlike)
    return f" (different machines: {keys} {'differs' if len(result.unlike) == 1 else 'differ'})"


def _table(result: RunsComparison) -> doc.Table:
    plain: tuple[tuple[str, int, Callable[[RunFigures], str]], ...] = (
        ("ratio", 9, lambda run: figures.ratio_of(run.ratio)),
        ("requests/s", 2, lambda run: figures.rate(run.requests_per_s)),
        ("CPU per request", 6, lambda run: figures.duration(run.server_cpu_us_per_request)),
        ("memory loaded", 8, lambda run: figures.mib(run.memory_mib)),
        ("p99", 7, lambda run: figures.duration(run.p99_us)),
    )
    when = ("before", "after")

    def of(at: str, write: Callable[[RunFigures], str]) -> Callable[[RunChange], str]:
        return lambda change: write(getattr(change, at))

    def finding(change: RunChange) -> str:
        if change.finding:
            return f"{change.finding}{' (different machines)' if result.unlike else ''}"
        return "reference" if change.name == result.reference else MISSING

    return doc.tabulated(
        "Before and after",
        result.changes,
        [
            ("contender", lambda change: change.name),
            ("change (95 % interval)", lambda change: figures.ratio_of(change.ratio)),
            ("finding", finding),
            *((f"{head} {at}", of(at, write)) for head, _, write in plain for at in when),
        ],
        _PLAIN,
        text=("finding",),
        bar=lambda change: change.ratio,
        spare={f"{head} {at}": spare for head, spare, _ in plain for at in when},
    )


def _facts(facts: RunFacts) -> str:
    return (
        f"{facts.run}, {facts.cpu_model}, kernel {facts.kernel}, bakeoff {facts.bakeoff},"
        f" engine {facts.engine}"
    )
