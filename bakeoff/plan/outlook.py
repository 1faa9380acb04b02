"""Expectations of a race: its time, its latest end, and the width of its intervals."""

from dataclasses import dataclass
from math import expm1, log1p, sqrt

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
BLOCK_HALF_WIDTH = 0.12
"""The half-width of a pair's interval, in ln ratio, times the root of its blocks."""
ANY_TIME_TIMES = 1.7
"""An interval that holds whenever a race ends is this many times as wide."""


@dataclass(frozen=True)
class OutOfReach:
    """A precision or margin that a race will probably miss: instead of ± `asked` it reaches ±
    `reached`, as shares; `needed_s` of measuring would be enough.
    """

    option: str
    asked: float
    reached: float
    needed_s: float


def out_of_reach(plan: Plan, block_half_width: float) -> OutOfReach | None:
    """The precision or margin of `plan` that is too small for its time; None: it is large enough,
    or nothing is known, as with latencies.

    The whole interval of equal servers must be within a margin. `block_half_width`: see
    `BLOCK_HALF_WIDTH`.
    """
    option, asked = ("precision", plan.precision) if plan.precision else ("within", plan.within)
    if asked is None or plan.mode == "open" or plan.solo:
        return None
    block_s = len(plan.entries) * plan.slice_ms_min / 1000
    half_width = block_half_width / sqrt(plan.duration_s * (1 - plan.long_share) / block_s)
    half_width *= ANY_TIME_TIMES if plan.may_end_early else 1.0
    times = half_width / log1p(asked)
    if times <= 1:
        return None
    return OutOfReach(f"--{option}", asked, expm1(half_width), plan.duration_s * times**2)


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
