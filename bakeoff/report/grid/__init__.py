"""A grid for people: in the terminal, as Markdown and CSV, and as a page with one picture."""

from bakeoff.report.grid.folder import write_grid
from bakeoff.report.grid.terminal import grid_standings

__all__ = ["grid_standings", "write_grid"]
