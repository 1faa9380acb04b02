"""A report's table in a terminal: where it would be too wide, several share its columns."""

import textwrap
from collections.abc import Collection, Iterator, Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from bakeoff.report.tables import Table
from bakeoff.report.terminal import fits
from bakeoff.report.words import printable

FOLDED_WIDTH, HEAD_WIDTH = 27, 12


def fitted(
    table: Table, console: Console, options: ConsoleOptions, folding: Collection[str]
) -> Iterator[RenderableType]:
    """Columns in their order, as many to a table as fit; each table says whose figures they are.

    `folding` has the heads of columns that may fold, between their words only.
    """
    taken: list[int] = []
    for place in range(1, len(table.heads)):
        if taken and not fits(_grid(table, [*taken, place], folding), console, options):
            yield _grid(table, taken, folding)
            taken = []
        taken.append(place)
    if taken:
        yield _grid(table, taken, folding)


def _grid(table: Table, places: Sequence[int], folding: Collection[str]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for place in (0, *places):
        head = table.heads[place]
        folds = head in folding
        grid.add_column(
            "\n".join(textwrap.wrap(head, HEAD_WIDTH)),
            justify="right" if place else "left",
            style="" if place else "bold",
            vertical="bottom",
            max_width=FOLDED_WIDTH if folds else None,
            no_wrap=not folds,
            overflow="fold",
        )
    for cells in table.rows:
        grid.add_row(*(Text(cells[place]) for place in (0, *places)))
    return grid


def marked(mark: str, mark_style: str, said: str, style: str = "") -> Grid:
    """A sign, and beside it the sentence, which keeps to its own column where it folds."""
    line = Grid.grid(padding=(0, 1, 0, 0))
    line.add_column(no_wrap=True)
    line.add_column(overflow="fold")
    line.add_row(Text(mark, style=mark_style), Text(printable(said), style=style))
    return line
