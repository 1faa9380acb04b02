"""report.html of a grid: one file, offline and without script; all from outside is escaped."""

import shlex
from collections.abc import Sequence

from bakeoff.model.grid import Grid
from bakeoff.report.charts import Picture
from bakeoff.report.circumstances import machine_table
from bakeoff.report.grid import words
from bakeoff.report.grid.tables import rates_table, ratios_table
from bakeoff.report.render import inlined, render
from bakeoff.report.words import printable


def grid_page(grid: Grid, pictures: Sequence[Picture]) -> str:
    """The whole page as HTML."""
    headline, _, further = printable(words.headline(grid)).partition(". ")
    return render(
        "grid.html",
        title=headline.rstrip("."),
        headline=headline,
        further=further,
        grid=grid,
        facts=words.axes(grid),
        pictures=inlined(pictures),
        tables=[ratios_table(grid), rates_table(grid)],
        changes=[printable(words.change(grid, one)) for one in grid.changes],
        cells=[
            {
                "name": cell.name,
                "title": words.title(grid, cell),
                "headline": printable(words.cell_headline(cell)),
                "report": f"{cell.name}/report.html" if cell.verdict else "",
            }
            for cell in grid.cells
        ],
        left_out=[printable(said) for said in words.left_out(grid)],
        warnings=[printable(said) for said in words.warnings(grid)],
        machine=machine_table(grid.machine),
        command_line=printable(shlex.join(grid.command_line)),
    )
