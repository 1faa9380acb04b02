"""The composition: calls the stages one after another, and keeps what they leave."""

from bakeoff.race.audit import audit
from bakeoff.race.race import Finished, race, rejudge, resume
from bakeoff.race.stages import Load, Servers, Stages, Watch

__all__ = ["Finished", "Load", "Servers", "Stages", "Watch", "audit", "race", "rejudge", "resume"]
