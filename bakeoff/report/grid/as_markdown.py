"""A grid as Markdown, for a pull request or a wiki."""

import shlex

from bakeoff.model.grid import Grid
from bakeoff.report.as_markdown import escaped, listed, section
from bakeoff.report.circumstances import machine_table
from bakeoff.report.grid import words
from bakeoff.report.grid.tables import rates_table, ratios_table


def grid_markdown(grid: Grid) -> str:
    """Headline, tables, changes of places, every cell in a sentence, where it was measured."""
    paragraphs = [
        f"# A grid: {escaped('; '.join(words.axes(grid)))}",
        f"**{escaped(words.headline(grid))}**",
        *section(ratios_table(grid), level=2),
        *section(rates_table(grid), level=2),
        *listed("Who changes places", [words.change(grid, one) for one in grid.changes]),
        *listed(
            "Cells",
            [
                f"{cell.name} ({words.title(grid, cell)}): {words.cell_headline(cell)}"
                for cell in grid.cells
            ],
        ),
        *listed("Left out", words.left_out(grid)),
        *listed("Warnings", words.warnings(grid)),
        *section(machine_table(grid.machine), level=2),
        "## Measure it again",
        escaped(shlex.join(grid.command_line)),
    ]
    return "\n\n".join(paragraphs) + "\n"
