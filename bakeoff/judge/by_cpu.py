"""The second verdict, by server CPU per request: how it follows the machine, and where it differs.

The weather of unequal servers cancels only in part: a slow machine affects one more than another.
So the draws' ln ratios by server CPU are regressed on the draws' ln time of the fixed work, by
weighted least squares, with the weights that their mean has. (In throughput other disturbances of a
slice hide the same slopes: docs/EVIDENCE.md, fixed work.)

In a closed loop the requests that a server answers are its busy time over its CPU time per request.
So the ratios by throughput and by CPU differ by the ratio of two busy shares. Where that is more
than chance, the server whose throughput is too low was held back: by the load generator, by its
upstream, or by its own waiting.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import exp, hypot, log, sqrt

import numpy as np

from bakeoff.judge.compare import CONFIDENCE, Comparison
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.state import STATE_SD, Core, States
from bakeoff.judge.validity import SATURATED
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.finding import Finding
from bakeoff.model.pairs import Pair
from bakeoff.model.plan import Plan
from bakeoff.model.ratio import ByState, Interval

DRAWS_MIN = 8
"""With fewer draws no slope is estimated."""
QUIET = 0.25
"""The share of the draws in which the fixed work took less than in a quiet one."""


def by_state(comparison: Comparison, a: str, given: States, together: int) -> ByState | None:
    """How the ratio of `a`, one of the two, follows the state, with one of `together` intervals
    that hold at once (Šidák). None: too few draws have a state, or all have the same."""
    draws = [draw for draw in comparison.estimate.draws if (draw.boot, draw.draw) in given]
    share = np.array([draw.share for draw in draws])
    effective = round(float(share.sum() ** 2 / (share**2).sum())) if len(draws) else 0
    if effective < DRAWS_MIN:
        return None
    sign = 1 if a == comparison.a else -1
    share /= share.sum()
    work = np.array([given[draw.boot, draw.draw] for draw in draws])
    ratio = sign * np.array([draw.centre for draw in draws])
    beyond = work - float(share @ work)
    if np.ptp(work) == 0:
        return None
    variance = float(share @ beyond**2)
    centre = float(share @ ratio)
    slope = float(share @ (beyond * ratio)) / variance
    residual = ratio - centre - slope * beyond
    error = sqrt(float(share @ residual**2) / (effective - 2) / variance)
    of_slope = error * t_quantile(effective - 2, (1 + CONFIDENCE ** (1 / together)) / 2)
    to_quiet = float(np.quantile(beyond, QUIET))
    quiet = comparison.log_ratio(a) + slope * to_quiet
    width = hypot(comparison.width.simultaneous, of_slope * to_quiet)
    return ByState(
        slope=slope,
        slope_low=slope - of_slope,
        slope_high=slope + of_slope,
        work_us=exp(float(np.quantile(work, QUIET))),
        quiet=Interval(
            ratio=exp(quiet), low=exp(quiet - width), high=exp(quiet + width), n=len(draws)
        ),
    )


def restless(core: Core, pairs: Iterable[Comparison]) -> Iterator[Finding]:
    """The speeds of a core whose restlessness makes more of an interval than all else."""
    parts = [(pair.width.state, pair.width.simultaneous) for pair in pairs]
    wide = any(2 * state**2 > whole**2 for state, whole in parts)
    if wide and core.speeds and core.state_sd > STATE_SD:
        quick, slow = map(exp, core.speeds)
        yield Finding.of("core_restless", quick_us=quick, slow_us=slow)


def feel_unlike(pairs: Sequence[Pair], reference: str) -> Iterator[Finding]:
    """The contenders whose ratio to the reference follows the machine by more than chance."""
    over = [pair.turned() if pair.a == reference else pair for pair in pairs]
    for pair in sorted(over, key=lambda each: each.a):
        found = pair.by_state if pair.b == reference else None
        if found and not found.slope_low <= 0 <= found.slope_high:
            yield Finding.of(
                "feels_machine",
                name=pair.a,
                other=reference,
                **found.model_dump(exclude={"quiet"}),
                quiet=found.quiet.ratio,
                quiet_low=found.quiet.low,
                quiet_high=found.quiet.high,
            )


KERNEL_APART = 0.1
"""The kernel's parts of two servers' CPU time differ where they are this far apart."""


def differing(
    plan: Plan, entries: Sequence[VerdictEntry], pairs: Sequence[Pair]
) -> tuple[Finding, ...]:
    """The pairs on which the two verdicts differ, each with the cause. Opposite orders come first,
    then the widest gaps; pairs that only too wide an interval leaves undecided come last."""
    rows = {entry.name: entry for entry in entries}
    found = [
        (pair, next(_causes(plan, pair, rows[pair.a], rows[pair.b])))
        for pair in pairs
        if pair.cpu_ratio and pair.cpu_finding != pair.finding
    ]
    found.sort(key=lambda each: _place(*each))
    return tuple(_finding(*each) for each in found)


def _place(pair: Pair, cause: Finding) -> tuple[bool, bool, float]:
    assert pair.cpu_ratio
    gap = abs(log(pair.cpu_ratio.ratio / pair.ratio.ratio))
    untold = "can't tell" in (pair.finding, pair.cpu_finding)
    return cause.code == "interval_too_wide", untold, -gap


def _finding(pair: Pair, cause: Finding) -> Finding:
    """About the one that is ahead by CPU or, where that can't be told, about the first."""
    ordered = pair.cpu_finding in ("faster", "slower")
    ahead = pair.cpu_finding if ordered else pair.finding
    turned = pair.turned() if ahead == "slower" else pair
    assert turned.cpu_ratio
    return Finding.of(
        "cpu_differs",
        cause,
        name=turned.a,
        other=turned.b,
        finding=turned.finding,
        cpu_finding=turned.cpu_finding,
        ratio=turned.cpu_ratio.ratio,
        low=turned.cpu_ratio.low,
        high=turned.cpu_ratio.high,
    )


def _causes(plan: Plan, pair: Pair, a: VerdictEntry, b: VerdictEntry) -> Iterator[Finding]:
    """Possible causes of the difference between the verdicts, the likeliest first."""
    own, cpu, is_open = pair.ratio, pair.cpu_ratio, plan.mode == "open"
    assert cpu
    # Of two figures that may be equal, the one with the narrower interval counts.
    if own.low is not None and own.high is not None and not is_open:
        if pair.finding == "can't tell" and not own.excludes(cpu.ratio):
            yield Finding.of("interval_too_wide", by=plan.ranked_by)
        elif pair.cpu_finding == "can't tell" and not cpu.excludes(own.ratio):
            yield Finding.of("interval_too_wide", by="requests_per_cpu_s")
    held = [a if own.ratio < cpu.ratio else b]
    if is_open or pair.finding == "can't tell":
        # A p99 does not measure work, and of two bounds either may be too low.
        held = [row for row in (a, b) if row.at_least] or ([a, b] if is_open else held)
    if plan.cores.shared:
        yield Finding.of("cores_shared")
    limits = {row.name: _limit(row) for row in held}
    for limit in ("upstream", "client", "both", "rate"):
        if names := [name for name, of in limits.items() if of == limit]:
            yield Finding.of("limit_hides", names=names, limit=limit)
    for row in held:
        if row.server_busy is not None and row.server_busy < SATURATED:
            yield Finding.of("server_waited", name=row.name, server_busy=row.server_busy)
    shares = {
        row.name: cost.server_system / cost.server
        for row in (a, b)
        if (cost := row.cpu_us_per_request).server and cost.server_system is not None
    }
    known = list(shares.values())
    if len(known) == 2 and max(known) - min(known) >= KERNEL_APART:
        yield Finding.of("kernel_bills", names=list(shares), shares=known)
    yield Finding.of("cause_unknown")


def _limit(entry: VerdictEntry) -> str:
    codes = [each.code for each in entry.at_least]
    if codes:
        return "upstream" if "upstream_limit" in codes else "client"
    return entry.limited_by
