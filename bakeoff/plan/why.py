"""The look for causes that follows a race."""

from collections.abc import Mapping

from bakeoff.model.history import Program
from bakeoff.model.plan import Plan
from bakeoff.model.why import WhyPlan
from bakeoff.plan.outlook import expected

WHY_S = 8.0
"""Of measured time for two contenders."""


def explaining(plan: Plan, known: Mapping[str, Program] | None = None) -> WhyPlan:
    """The look for what makes the difference between the contenders of `plan`, under its load, of
    whose programs something may be `known`."""
    entries = tuple(entry for entry in plan.entries if not entry.twin_of)
    race = plan.model_copy(
        update={
            "run": f"{plan.run}-why",
            "entries": entries,
            "duration_s": WHY_S * len(entries) / 2,
            "boots": 1,
            "solo": False,
            "instances": None,
            "confirm": False,
            "why": False,
            "gates": (),
            "precision": None,
            "until": None,
        }
    )
    race = race.model_copy(update={"expected": expected(race)})
    return WhyPlan(run=race.run, race=race, known=dict(known or {}))
