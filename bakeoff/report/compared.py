"""Two runs compared, for a terminal of any width from 60 columns on."""

from collections.abc import Callable, Iterator

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from bakeoff.model.compare import RunChange, RunFacts, RunFigures, RunsComparison
from bakeoff.report import figures, terminal
from bakeoff.report.figures import MISSING
from bakeoff.report.fitted import fitted, marked
from bakeoff.report.tables import Table
from bakeoff.report.words import listed, printable

STYLES = {"faster": "bold green", "slower": "bold red", "can't tell": "bold", None: ""}
PLAIN = (
    "Requests per second, CPU, memory and p99 are as they were measured: the machine's drift"
    " between the runs is in them, so there is no finding on them."
)
_Cell = Callable[[RunFigures], str]
_PLAIN_COLUMNS: tuple[tuple[str, _Cell], ...] = (
    ("requests/s", lambda one: figures.rate(one.requests_per_s)),
    ("CPU per request", lambda one: figures.duration(one.server_cpu_us_per_request)),
    ("memory loaded", lambda one: figures.mib(one.memory_mib)),
    ("p99", lambda one: figures.duration(one.p99_us)),
)


class Compared:
    """A rich renderable of a whole comparison; it fits itself to the width that it is given."""

    def __init__(self, found: RunsComparison) -> None:
        self.found = found

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A sentence for each contender, the table or tables, then what must be known."""
        found = self.found
        for change in found.changes:
            if change.name != found.reference:
                yield Text(printable(sentence(found, change)), style=STYLES[change.finding])
        yield Text()
        yield from fitted(changes_table(found), console, options, ())
        yield from _left_out(found)
        yield from terminal.gates(found.gates, found.ranked_by)
        for change in found.changes:
            if change.before.version != change.after.version:
                yield Text(printable(_versions(change)))
        for warning in found.warnings:
            yield marked("!", "bold yellow", warning + _unlike(found))
        for label, facts in (("Before", found.before), ("After", found.after)):
            yield Text.assemble((f"{label}: ", "bold"), printable(_facts(facts)))
        yield Text(PLAIN, style="dim")


def sentence(found: RunsComparison, change: RunChange) -> str:
    """What became of one contender."""
    said = f"{change.name}: {change.reason}"
    if change.ratio is not None and change.low is not None and change.high is not None:
        middle, low, high = figures.interval(change.ratio, change.low, change.high)
        by = f"its ratio to {found.reference} is {middle} times what it was ({low} to {high})"
        if change.finding == "can't tell":
            seen = figures.percent(change.minimum_detectable_effect)
            said = f"Can't tell whether {change.name} changed: {by}; {seen} would have been seen"
        else:
            said = f"{change.name} became {change.finding}: {by}"
    return f"{said}{_unlike(found)}."


def _unlike(found: RunsComparison) -> str:
    """What stands in every line of runs of unlike machines."""
    if not found.unlike:
        return ""
    keys = listed(each.partition(":")[0] for each in found.unlike)
    return f" (unlike machines: {keys} {'differs' if len(found.unlike) == 1 else 'differ'})"


def changes_table(found: RunsComparison) -> Table:
    """Each contender of both runs: the change with its interval, then the plain figures."""
    heads = ["contender", "change (95 % interval)", "finding", "ratio before", "ratio after"]
    for head, _ in _PLAIN_COLUMNS:
        heads += [f"{head} before", f"{head} after"]
    return Table(
        slug="changes",
        title="What changed",
        note=PLAIN,
        heads=tuple(heads),
        rows=tuple(_row(found, change) for change in found.changes),
    )


def _row(found: RunsComparison, change: RunChange) -> tuple[str, ...]:
    unlike = " (unlike machines)" if found.unlike and change.finding else ""
    place = "reference" if change.name == found.reference else MISSING
    cells = [
        printable(change.name),
        figures.ratio_times(change.ratio, change.low, change.high),
        f"{change.finding}{unlike}" if change.finding else place,
        *(
            figures.ratio_times(one.ratio, one.low, one.high)
            for one in (change.before, change.after)
        ),
    ]
    for _, cell in _PLAIN_COLUMNS:
        cells += [cell(change.before), cell(change.after)]
    return tuple(cells)


def _left_out(found: RunsComparison) -> Iterator[Text]:
    for which, names in (("earlier", found.only_before), ("later", found.only_after)):
        if names:
            yield Text(printable(f"Only in the {which} run: {listed(names)}."))


def _versions(change: RunChange) -> str:
    old, new = (one.version or "unknown" for one in (change.before, change.after))
    return f"{change.name}: version {old} before, {new} after."


def _facts(facts: RunFacts) -> str:
    return (
        f"{facts.run}, {facts.cpu_model}, kernel {facts.kernel}, bakeoff {facts.bakeoff},"
        f" engine {facts.engine}"
    )
