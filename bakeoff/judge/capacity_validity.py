"""What makes a contender's capacities invalid, and what only casts a shadow: a sentence each."""

from collections.abc import Sequence

from bakeoff.judge.curve import AT, nearest
from bakeoff.judge.history import History
from bakeoff.judge.tally import ERROR_GROUPS, Tally
from bakeoff.judge.validity import NEAR_LIMIT, connections, death, outings
from bakeoff.judge.warmth import unsteady_boots
from bakeoff.model.capacity import CurvePoint
from bakeoff.model.plan import Plan


def reasons_of(plan: Plan, name: str, seen: History, spent: Tally) -> tuple[str, ...]:
    """Why the contender has no capacity; refusals under overload are no reason, wrong bytes are."""
    if not spent.slices:
        return ("none of its slices was measured: the run ended before its turn",)
    wrong = sum(
        count for kind, count in spent.error_kinds.items() if ERROR_GROUPS.get(kind) == "mismatch"
    )
    first = f"; the first: {spent.first_bad.detail}" if spent.first_bad else ""
    found = [
        death(name, seen),
        f"{wrong:,} of {spent.attempts:,} answers were wrong{first}" if wrong else "",
        connections(plan, name, seen),
    ]
    return tuple(reason for reason in found if reason)


def warnings_of(
    seen: History, name: str, points: Sequence[CurvePoint], capacity: float | None
) -> list[str]:
    """What a reader of one contender's figures should know."""
    found = [out] if (out := outings(name, seen)) else []
    if unsteady := unsteady_boots(name, seen):
        found.append(
            f"its warm-up reached no steady state in {unsteady} of {len(seen.warmups)} boots"
        )
    at = nearest(points, capacity, AT) if capacity else None
    if at and at.client_busy > NEAR_LIMIT:
        found.append(
            f"the load generator was busy {at.client_busy:.0%} of the time at its capacity: it may "
            "hold more"
        )
    return found


def run_warnings(plan: Plan, whole: History, seen: History, complete: bool) -> list[str]:
    """What a reader of all figures should know."""
    found = []
    if not complete:
        found.append("the run ended before its time: its intervals are wider than planned")
    if plan.cores.shared:
        found.append("server and generator share a core: capacities are those of the two together")
    if len(plan.cores.server) > 1:
        found.append(f"the servers had {len(plan.cores.server)} cores")
    left_out = len(whole.blocks) - len(seen.blocks)
    if left_out:
        found.append(
            f"{left_out} of {len(whole.blocks)} blocks were left out: the host took the cores away"
        )
    if len(seen.boots) == 1:
        found.append("there was one boot: what differs from boot to boot is only a prior's guess")
    return found
