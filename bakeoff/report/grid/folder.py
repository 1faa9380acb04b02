"""The report of a grid as files in its folder."""

from pathlib import Path

from bakeoff.model.grid import Grid
from bakeoff.report.folder import put_report
from bakeoff.report.grid.as_csv import grid_csv
from bakeoff.report.grid.as_markdown import grid_markdown


def write_grid(folder: Path, grid: Grid) -> Path:
    """Write `report.html`, `report.md`, `report.csv` and `charts/*.svg`; the path of the page.

    Each file appears whole or not at all. OSError where the folder can't be written.
    """
    # Here, not above: altair takes a second, and whoever only prints needs no pictures.
    from bakeoff.report.grid.charts import grid_pictures
    from bakeoff.report.grid.page import grid_page

    pictures = grid_pictures(grid)
    html = grid_page(grid, pictures)
    return put_report(folder, pictures, grid_markdown(grid), grid_csv(grid), html)
