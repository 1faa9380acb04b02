"""The standings for a terminal. Where one table would be too wide, several share the figures."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bakeoff.model.gate import GateResult
from bakeoff.model.plan import RankedBy
from bakeoff.model.verdict import Verdict
from bakeoff.report import words
from bakeoff.report.figures import MISSING
from bakeoff.report.standing import Standing, standings_rows


@dataclass(frozen=True)
class Column:
    """One column: its head, and the cell that it takes from a row."""

    head: str
    cell: Callable[[Standing], str]
    justify: Literal["left", "right"] = "right"
    style: str = ""


PLACE = (
    Column("rank", lambda row: f"{row.rank} {row.letters}".strip(), "left"),
    Column("contender", lambda row: row.name, "left", "bold"),
)
SPEED = (
    Column(
        "ratio (95 % interval)",
        lambda row: f"{row.ratio} reference" if row.is_reference else row.ratio,
        "left",
    ),
    Column("n blocks", lambda row: row.n_blocks, style="dim"),
    Column("requests/s", lambda row: row.requests_per_s),
)
COST = (
    Column("p50", lambda row: row.p50),
    Column("p99", lambda row: row.p99),
    Column("server CPU\nper request", lambda row: row.server_cpu),
    Column("memory\nloaded", lambda row: row.memory_loaded),
)


class Standings:
    """A rich renderable of the whole verdict; it fits itself to the width that it is given."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The headline, the table or tables, then all that must be known beside them."""
        verdict = self.verdict
        yield Text(
            words.printable(words.headline(verdict)),
            style="bold green" if verdict.valid else "bold red",
        )
        yield Text()
        rows = standings_rows(verdict)
        if rows:
            yield from _tables(rows, console, options)
        yield from _not_ranked(verdict)
        yield from gates(verdict.gates, verdict.ranked_by)
        yield from _notes(verdict)


def standings(verdict: Verdict) -> Standings:
    """The verdict for a terminal of any width from 60 columns on."""
    return Standings(verdict)


def _tables(rows: list[Standing], console: Console, options: ConsoleOptions) -> Iterator[Table]:
    """Columns in their order, as many to a table as fit; each table says whose figures they are."""
    taken: list[Column] = []
    for column in (*SPEED, *COST):
        if taken and not fits(_table((*PLACE, *taken, column), rows), console, options):
            yield _table((*PLACE, *taken), rows)
            taken = []
        taken.append(column)
    yield _table((*PLACE, *taken), rows)


def fits(table: Table, console: Console, options: ConsoleOptions) -> bool:
    """Whether the whole table has room, without a fold."""
    unbounded = options.update(max_width=10_000)
    return Measurement.get(console, unbounded, table).maximum <= options.max_width


def _table(columns: tuple[Column, ...], rows: list[Standing]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(
            column.head,
            justify=column.justify,
            style=column.style,
            vertical="bottom",
            no_wrap=column.head != "contender",
            overflow="fold",
        )
    for row in rows:
        cells = [column.cell(row) for column in columns]
        # The twin has a ratio and no costs of its own: a row of dashes would say nothing.
        if any(cell != MISSING for cell in cells[len(PLACE) :]):
            table.add_row(*map(Text, cells), style="dim" if row.is_twin else "")
    return table


def _not_ranked(verdict: Verdict) -> Iterator[Text | Padding]:
    for entry in words.unranked(verdict):
        yield Text.assemble(
            ("✗ ", "red"),
            (words.printable(entry.name), "strike"),
            " is not ranked: ",
            words.printable(words.reasons(entry)),
        )
        measured = Text.assemble("it had ", (words.measured(entry), "strike"), style="dim")
        yield Padding(measured, (0, 0, 0, 2), expand=False)
    for skipped in verdict.skipped:
        yield Text.assemble(
            ("– ", "yellow"),
            words.printable(skipped.name),
            " was skipped: ",
            words.printable(skipped.reason),
        )
    if words.unranked(verdict) or verdict.skipped:
        yield Text()


def gates(results: Sequence[GateResult], ranked_by: RankedBy) -> Iterator[Text]:
    """A line for each gate."""
    for result in results:
        style = "green" if result.passes else "bold red"
        mark = words.GATE_MARKS[result.outcome]
        yield Text.assemble((f"{mark} ", style), words.printable(words.gate(result, ranked_by)))


def _notes(verdict: Verdict) -> Iterator[Text]:
    for warning in words.warnings(verdict):
        yield Text.assemble(("! ", "bold yellow"), words.printable(warning))
    if verdict.fairness:
        yield Text("Unequal work:", style="bold")
    for sentence in verdict.fairness:
        yield Text.assemble(("≠ ", "yellow"), words.printable(sentence))
    yield Text.assemble(("Noise floor: ", "bold"), words.printable(words.noise_floor(verdict)))
    yield Text(words.detectable(verdict))
    if said := words.precision(verdict):
        yield Text(said)
    if solo := words.confirmation(verdict):
        yield Text.assemble(("Confirmation: ", "bold"), words.printable(solo))
    yield Text.assemble(("Measured: ", "bold"), f"{words.mode(verdict)}.")
    if any(entry.latency_us for entry in words.ranked(verdict)):
        yield Text(words.latency_caution(verdict), style="dim")
