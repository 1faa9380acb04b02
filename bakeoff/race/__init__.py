"""The composition: calls the stages one after another, and keeps what they leave."""

from bakeoff.race.audit import audit
from bakeoff.race.capacity import (
    Climbed,
    capacity,
    is_capacity,
    report_capacity,
    resume_capacity,
)
from bakeoff.race.crosscheck import crosscheck
from bakeoff.race.folder import run_verdict
from bakeoff.race.grid import Gridded, is_grid, race_grid, report_grid, resume_grid
from bakeoff.race.race import Finished, race, rejudge, resume
from bakeoff.race.replay import Replayed, is_replay, replay, report_replay, resume_replay
from bakeoff.race.stages import Load, Servers, Stages, Watch

__all__ = [
    "Climbed",
    "Finished",
    "Gridded",
    "Load",
    "Replayed",
    "Servers",
    "Stages",
    "Watch",
    "audit",
    "capacity",
    "crosscheck",
    "is_capacity",
    "is_grid",
    "is_replay",
    "race",
    "race_grid",
    "rejudge",
    "replay",
    "report_capacity",
    "report_grid",
    "report_replay",
    "resume",
    "resume_capacity",
    "resume_grid",
    "resume_replay",
    "run_verdict",
]
