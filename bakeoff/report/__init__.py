"""A verdict for people: in the terminal, as Markdown and CSV, and as a page with pictures."""

from bakeoff.report.as_csv import csv
from bakeoff.report.as_markdown import markdown
from bakeoff.report.audited import Audited
from bakeoff.report.capacity import capacities, write_capacity
from bakeoff.report.compared import Compared
from bakeoff.report.crosschecked import Crosschecked
from bakeoff.report.folder import write
from bakeoff.report.grid import grid_standings, write_grid
from bakeoff.report.replay import replay_standings, write_replay
from bakeoff.report.terminal import standings
from bakeoff.report.words import headline

__all__ = [
    "Audited",
    "Compared",
    "Crosschecked",
    "capacities",
    "csv",
    "grid_standings",
    "headline",
    "markdown",
    "replay_standings",
    "standings",
    "write",
    "write_capacity",
    "write_grid",
    "write_replay",
]
