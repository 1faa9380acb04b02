"""The composition: calls the stages one after another, and keeps what they leave."""

from bakeoff.race.audit import audit
from bakeoff.race.folder import run_verdict
from bakeoff.race.race import Finished, race, rejudge, resume
from bakeoff.race.replay import Replayed, is_replay, replay, report_replay, resume_replay
from bakeoff.race.stages import Load, Servers, Stages, Watch

__all__ = [
    "Finished",
    "Load",
    "Replayed",
    "Servers",
    "Stages",
    "Watch",
    "audit",
    "is_replay",
    "race",
    "rejudge",
    "replay",
    "report_replay",
    "resume",
    "resume_replay",
    "run_verdict",
]
