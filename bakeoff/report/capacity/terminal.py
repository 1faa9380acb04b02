"""Capacities for a terminal."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from bakeoff.model.capacity import CapacityReport
from bakeoff.report.capacity import tables, words
from bakeoff.report.fitted import fitted, marked
from bakeoff.report.words import printable


class Capacities:
    """A rich renderable of a whole report; it fits itself to the width that it is given."""

    def __init__(self, report: CapacityReport) -> None:
        self.report = report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The headline, the tables, then all that must be known beside them."""
        report = self.report
        yield Text(printable(words.headline(report)), style="bold")
        for table in (
            *tables.capacity_tables(report),
            tables.means_table(report),
            tables.beyond_table(report),
        ):
            if table.rows:
                yield Text()
                yield Text(table.title)
                yield from fitted(table, console, options, ())
        yield from _remarks(report)
        yield Text.assemble(("Measured: ", "bold"), f"{words.mode(report)}.")


def capacities(report: CapacityReport) -> Capacities:
    """The report for a terminal of any width from 60 columns on."""
    return Capacities(report)


def _remarks(report: CapacityReport) -> Iterator[RenderableType]:
    for entry in report.entries:
        for reason in entry.reasons:
            yield marked("✗", "red", f"{entry.name} has no capacity: {reason}")
        for said in words.without(entry, report):
            yield marked("–", "yellow", f"{entry.name} {said}")
    for skipped in report.skipped:
        yield marked("–", "yellow", f"{skipped.name} was skipped: {skipped.reason}")
    for warning in words.warnings(report):
        yield marked("!", "bold yellow", warning)
