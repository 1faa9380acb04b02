"""Runs: measured in a folder, continued, judged and reported; one life for every kind."""

from bakeoff.runs.kinds.capacity import CapacityRun
from bakeoff.runs.kinds.ci import CiRun
from bakeoff.runs.kinds.day import DayRun
from bakeoff.runs.kinds.grid import GridRun
from bakeoff.runs.kinds.race import RaceRun
from bakeoff.runs.kinds.replay import ReplayRun
from bakeoff.runs.measuring.audit import audit
from bakeoff.runs.run import AnyRun, Run, execute, listed, open_run, report, resume
from bakeoff.runs.stages import Stages, Watch

__all__ = [
    "AnyRun",
    "CapacityRun",
    "CiRun",
    "DayRun",
    "GridRun",
    "RaceRun",
    "ReplayRun",
    "Run",
    "Stages",
    "Watch",
    "audit",
    "execute",
    "listed",
    "open_run",
    "report",
    "resume",
]
