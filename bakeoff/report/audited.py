"""What an audit without a race found, for a terminal."""

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as RichTable
from rich.text import Text

from bakeoff.model.audit import AuditReport
from bakeoff.report import words
from bakeoff.report.tables import Table
from bakeoff.report.terminal import fits
from bakeoff.report.work import ANSWER_COLUMNS, work_table


class Audited:
    """A rich renderable: the table, or two where one would be too wide, and the sentences."""

    def __init__(self, report: AuditReport) -> None:
        self._report = report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Who does what, who was left out, and what is unequal."""
        found = work_table(self._report.works)
        last = len(found.heads)
        whole = _columns(found, 1, last)
        if fits(whole, console, options):
            yield whole
        else:
            yield _columns(found, 1, 1 + ANSWER_COLUMNS)
            yield _columns(found, 1 + ANSWER_COLUMNS, last)
        yield Text(found.note, style="dim")
        yield Text()
        for each in self._report.skipped:
            yield Text.assemble(
                ("– ", "yellow"),
                f"{words.printable(each.name)} was skipped: {words.printable(each.reason)}",
            )
        if not self._report.unequal:
            yield Text("No unequal work was found.")
        for sentence in self._report.unequal:
            yield Text.assemble(("≠ ", "yellow"), words.printable(sentence))


def _columns(found: Table, first: int, last: int) -> RichTable:
    """The contenders and the columns from `first` up to `last`."""
    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column(found.heads[0], style="bold", overflow="fold")
    for head in found.heads[first:last]:
        table.add_column(head, justify="right", no_wrap=True)
    for row in found.rows:
        table.add_row(*map(Text, (row[0], *row[first:last])))
    return table
