"""A grid for a terminal. Where one table would be too wide, several share its columns."""

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from bakeoff.model.grid import Grid
from bakeoff.report.fitted import fitted, marked
from bakeoff.report.grid import words
from bakeoff.report.grid.tables import rates_table, ratios_table
from bakeoff.report.words import printable

FOLDING = ("cell", "leads")
"""Columns that may fold, and between their words only."""


class GridStandings:
    """A rich renderable of a whole grid; it fits itself to the width that it is given."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The headline, the tables, then all that must be known beside them."""
        grid = self.grid
        judged = any(cell.leaders for cell in grid.cells)
        yield Text(printable(words.headline(grid)), style="bold green" if judged else "bold red")
        yield Text.assemble(("Cells: ", "bold"), f"{'; '.join(words.axes(grid))}.")
        for table in (ratios_table(grid), rates_table(grid)):
            if table.rows:
                yield Text()
                yield Text(table.title, style="bold")
                yield from fitted(table, console, options, FOLDING)
                yield Text(table.note, style="dim")
        yield Text()
        for change in grid.changes:
            yield marked("⇄", "cyan", words.change(grid, change))
        for said in words.skipped(grid):
            yield marked("–", "yellow", f"skipped: {said}")
        for said in words.left_out(grid):
            yield marked("✗", "red", said)
        for said in words.warnings(grid):
            yield marked("!", "bold yellow", said)


def grid_standings(grid: Grid) -> GridStandings:
    """The grid for a terminal of any width from 60 columns on."""
    return GridStandings(grid)
