"""Simulated races: servers as queues, on a machine with weather, to judge the judge."""

from bakeoff.simulate.conditions import USUAL, conditions_of, conditions_of_past
from bakeoff.simulate.race import Size, leave_run, plan_of, records_of
from bakeoff.simulate.study import DURATIONS_S, EFFECTS, Study, rate, search, study
