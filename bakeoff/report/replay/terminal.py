"""A replay for a terminal."""

from collections.abc import Iterator

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bakeoff.model.replay import ClaimResult, ComparisonResult, Replay
from bakeoff.report.replay import words
from bakeoff.report.replay.tables import rows_table
from bakeoff.report.words import printable

MARKS = {
    "holds": ("✓", "green"),
    "does not hold": ("✗", "red"),
    "can't tell": ("?", "yellow"),
}


class ReplayStandings:
    """A rich renderable of a whole replay."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The headline, each comparison's table with its notes, then the claims."""
        replay = self.replay
        yield Text(printable(words.headline(replay)), style="bold")
        yield Text(printable(f"{replay.article.title} ({replay.article.published})"))
        yield Text(f"Measured: {words.mode(replay)}.", style="dim")
        for one in replay.comparisons:
            yield Text()
            yield from _comparison(replay, one)
        yield Text()
        yield Text("Claims", style="bold")
        for claim in replay.claims:
            yield from _claim(claim)


def replay_standings(replay: Replay) -> ReplayStandings:
    """The replay for a terminal of any width from 60 columns on."""
    return ReplayStandings(replay)


def _comparison(replay: Replay, one: ComparisonResult) -> Iterator[Text | Table | Padding]:
    yield Text.assemble((printable(one.title), "bold"), f"  {printable(words.load(replay, one))}")
    if one.skipped:
        yield Text.assemble(("– ", "yellow"), "skipped: ", printable(one.skipped))
        return
    yield _table(one)
    for row in one.rows:
        if row.skipped:
            yield Text.assemble(
                ("– ", "yellow"), printable(row.name), " has no figures: ", printable(row.skipped)
            )
    for said in (*words.agreements(one), *words.in_a_row(one)):
        yield Text(printable(said))
    yield Text(printable(f"Changed: {'; '.join(one.changes)}."), style="dim")


def _table(one: ComparisonResult) -> Table:
    found = rows_table(one)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for place, head in enumerate(found.heads):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    for cells in found.rows:
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table


def _claim(claim: ClaimResult) -> Iterator[Text | Padding]:
    mark, colour = MARKS[claim.finding]
    yield Text.assemble(
        (f"{mark} {claim.finding}: ", colour), printable(claim.text), overflow="fold"
    )
    yield Padding(Text(printable(words.claim(claim)), style="dim"), (0, 0, 0, 2), expand=False)
    if claim.unequal:
        unequal = Text.assemble(("unequal work: ", "yellow"), printable(claim.unequal))
        yield Padding(unequal, (0, 0, 0, 2), expand=False)
