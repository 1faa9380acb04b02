"""How long a race will take: what is expected of it, and the time after which it ends anyway."""

from bakeoff.model.cut import WARM_UP_SLICE_MS
from bakeoff.model.plan import Expected, Plan
from bakeoff.plan.schedule import warm_up_slices

START_S = 0.5
"""Starting a server, its first answers, and ending it."""
START_S_MAX = 10.0
"""What a start may take of the announced time. A server that takes longer gets more, and it is
said."""
AUDIT_S = 2.0
"""Once all servers come to rest, and are asked how they treat connections."""
WARM_UP_SHARE = 0.3
"""Of what lies between the shortest and the longest warm-up: most servers are soon steady."""
AROUND_SLICES = 0.9
"""Ramps and drains, as a share of what is measured."""
AROUND_DRAWS = 0.55
"""The same of new processes and connections, with the warm-ups of those that live longer."""
OVER_NETWORK = 2.0
"""Times as long, where each step is a call to another machine."""
JUDGING_S = 2.0
JUDGING_ENTRY_S = 0.2
TIMES_EXPECTED = 2.0
"""Measuring ends after so many times what was expected, and what servers may take to start."""
ENDING_S = 20.0
"""What is under way then ends: a start or a slice with their time-outs, servers, the report."""


def expected(plan: Plan) -> Expected:
    """What `plan` takes besides builds and its confirmation, which is a race of its own."""
    entries = len(plan.entries)
    share_s = plan.duration_s / (plan.boots * entries)
    twins = sum(entry.twin_of is not None for entry in plan.entries)
    starts = plan.boots * entries + (entries - twins if plan.probes else 0)
    known_s, unknown_s = (_warm_up_s(plan, share_s, known=known) for known in (True, False))
    warm_up_s = unknown_s * (entries - twins) + known_s * (twins + entries * (plan.boots - 1))
    around = AROUND_SLICES + (0.0 if plan.solo else AROUND_DRAWS)
    about_s = (
        AUDIT_S
        + starts * START_S
        + warm_up_s
        + plan.duration_s * (1 + around)
        + JUDGING_S
        + entries * JUDGING_ENTRY_S
    )
    if plan.cluster:
        about_s *= OVER_NETWORK
    starts_s = sum(
        min(START_S_MAX, each.contender.run.ready_timeout_s)
        for each in plan.entries
        if each.contender
    )
    return Expected(about_s=about_s, at_most_s=TIMES_EXPECTED * about_s + starts_s + ENDING_S)


def _warm_up_s(plan: Plan, share_s: float, *, known: bool) -> float:
    least, most = warm_up_slices(share_s, known, plan.warm_up_s)
    return (least + WARM_UP_SHARE * (most - least)) * WARM_UP_SLICE_MS / 1000
