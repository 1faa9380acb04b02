"""Races that never ran: servers as queues, on a machine with weather, to judge the judge."""

from bakeoff.simulate.conditions import USUAL, conditions_of
from bakeoff.simulate.past import SimulatedRun, simulated_run
from bakeoff.simulate.race import Size, plan_of, records_of
from bakeoff.simulate.study import Study, rate, search, study

__all__ = [
    "USUAL",
    "SimulatedRun",
    "Size",
    "Study",
    "conditions_of",
    "plan_of",
    "rate",
    "records_of",
    "search",
    "simulated_run",
    "study",
]
