"""Expectations of a race: its time, its latest end, and the width of its intervals."""

from dataclasses import dataclass
from math import expm1, log, log1p, sqrt

from bakeoff.model.cut import WARM_UP_SLICE_MS
from bakeoff.model.plan import Expected, Plan
from bakeoff.plan.schedule import warm_up_slices

START_S = 0.5
"""A server's start, first responses and stop."""
START_S_MAX = 10.0
"""The part of the announced time for one start. A slower server gets more, and the run says so."""
AUDIT_S = 2.0
"""The audit of all servers, and the rest before it."""
WARM_UP_SHARE = 0.3
"""The share of the way from the shortest to the longest warm-up: most servers are soon steady."""
AROUND_SLICES = 0.9
"""Ramps and drains, as a share of the measured time."""
AROUND_DRAWS = 0.55
"""New processes and connections, and warm-ups of lasting ones, as a share of the measured time."""
OVER_NETWORK = 2.0
"""Times as long if each step is a call to another machine."""
JUDGING_S = 2.0
JUDGING_ENTRY_S = 0.2
TIMES_EXPECTED = 2.0
"""Measuring ends after this many times the expected time, plus the longest starts."""
ENDING_S = 20.0
"""The time after that: a start or a slice times out, servers stop, the report is written."""
BLOCK_ERROR = 0.059
"""The standard error of a pair's ln ratio, times the root of its blocks."""
PLANNED_TIMES = 2.04
"""The half-width of an interval in standard errors."""
ANY_TIME_TIMES = 3.44
"""That of one that holds whenever a race ends."""


@dataclass(frozen=True)
class OutOfReach:
    """The option that asks for more than a race of `duration_s` will probably reach, which is an
    interval of ± `reached`, as a share; `needed_s` of measuring would be enough.
    """

    option: str
    duration_s: float
    reached: float
    needed_s: float


def out_of_reach(plan: Plan, block_error: float) -> OutOfReach | None:
    """The smallest of the precision, margin and gates of `plan`, if it is too small for its time;
    None: it is large enough, or nothing is known, as with latencies.

    The whole interval of equal servers must be within a margin, or on one side of a gate's factor.
    `block_error`: see `BLOCK_ERROR`.
    """
    asked = {
        f"--{name} {share * 100:g}%": log1p(share)
        for name, share in (("precision", plan.precision), ("within", plan.within))
        if share
    }
    # With a margin, that of the gates is the same.
    gates = () if plan.within else plan.gates
    asked |= {f"--gate {gate.text}": abs(log(gate.factor)) for gate in gates if gate.factor != 1}
    if not asked or plan.mode == "open" or plan.solo:
        return None
    option = min(asked, key=asked.__getitem__)
    block_s = len(plan.entries) * plan.slice_ms_min / 1000
    error = block_error / sqrt(plan.duration_s * (1 - plan.long_share) / block_s)
    half_width = error * (ANY_TIME_TIMES if plan.may_end_early else PLANNED_TIMES)
    times = half_width / asked[option]
    if times <= 1:
        return None
    return OutOfReach(option, plan.duration_s, expm1(half_width), plan.duration_s * times**2)


def expected(plan: Plan) -> Expected:
    """The time of `plan` without builds and its confirmation, which is a race of its own."""
    entries = len(plan.entries)
    share_s = plan.duration_s / (plan.boots * entries)
    twins = sum(entry.twin_of is not None for entry in plan.entries)
    starts = plan.boots * entries + (entries - twins if plan.probes else 0)
    known_s, unknown_s = (
        (least + WARM_UP_SHARE * (most - least)) * WARM_UP_SLICE_MS / 1000
        for known in (True, False)
        for least, most in [warm_up_slices(share_s, known, plan.warm_up_s)]
    )
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
        min(START_S_MAX, entry.contender.run.ready_timeout_s)
        for entry in plan.entries
        if entry.contender
    )
    return Expected(about_s=about_s, at_most_s=TIMES_EXPECTED * about_s + starts_s + ENDING_S)
