"""The part of a race that checks the rest: the same entries, one up at a time."""

from bakeoff.model.plan import Plan
from bakeoff.plan.decide import SOLO_WINDOW_S

CONFIRM_SHARE = 1 / 3
"""Of the race's measured time, on top of it."""
ROUNDS_MIN = 10
"""Fewer give no ratio; more cost more starts and warm-ups than a check is worth."""


def confirming(plan: Plan) -> Plan:
    """A solo race of the same entries for a third of the time, in windows of 2 s at most.

    Without the twin: it would show a second noise floor, and every start costs a warm-up.
    """
    entries = tuple(entry for entry in plan.entries if not entry.twin_of)
    duration_s = plan.duration_s * CONFIRM_SHARE
    return plan.model_copy(
        update={
            "run": f"{plan.run}-confirm",
            "entries": entries,
            "duration_s": duration_s,
            "boots": max(ROUNDS_MIN, round(duration_s / (len(entries) * SOLO_WINDOW_S))),
            "solo": True,
            "confirm": False,
            "gates": (),
            "precision": None,
        }
    )
