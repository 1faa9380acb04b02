"""Capacities for people: in the terminal, as Markdown and CSV, and as a page with the curves."""

from bakeoff.report.capacity.folder import write_capacity
from bakeoff.report.capacity.terminal import capacities

__all__ = ["capacities", "write_capacity"]
