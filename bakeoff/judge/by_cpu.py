"""The second verdict, by server CPU per request: where it differs from the first, and why.

In a closed loop the requests that a server answers are its busy time over its CPU time per request.
So the ratios by throughput and by CPU are apart by the ratio of two busy shares, and where that is
more than chance, the one whose throughput is too low was held back: by the load generator, by its
upstream, or because it waited.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log

from bakeoff.judge.validity import SATURATED
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.finding import Finding
from bakeoff.model.pairs import Pair
from bakeoff.model.plan import Plan

KERNEL_APART = 0.1
"""Of two servers' CPU time the kernel's part differs by this."""


def differing(
    plan: Plan, entries: Sequence[VerdictEntry], pairs: Sequence[Pair]
) -> tuple[Finding, ...]:
    """The pairs on which the two verdicts differ, each with the cause: opposite orders first, then
    the widest gaps; those that only one interval is too wide for last."""
    rows = {entry.name: entry for entry in entries}
    found = [
        (pair, _cause(plan, pair, rows))
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
    """It is said of the one that is ahead by CPU, or where that can't be told, of the first."""
    ordered = pair.cpu_finding in ("faster", "slower")
    ahead = pair.cpu_finding if ordered else pair.finding
    said = pair.turned() if ahead == "slower" else pair
    assert said.cpu_ratio
    return Finding.of(
        "cpu_differs",
        cause,
        name=said.a,
        other=said.b,
        finding=said.finding,
        cpu_finding=said.cpu_finding,
        ratio=said.cpu_ratio.ratio,
        low=said.cpu_ratio.low,
        high=said.cpu_ratio.high,
    )


def _cause(plan: Plan, pair: Pair, rows: Mapping[str, VerdictEntry]) -> Finding:
    assert pair.cpu_ratio
    held = [rows[pair.a if pair.ratio.ratio < pair.cpu_ratio.ratio else pair.b]]
    if plan.mode == "open" or pair.finding == "can't tell":
        # A p99 does not measure work, and of two bounds either may be too low.
        bounded = [rows[name] for name in (pair.a, pair.b) if rows[name].at_least]
        held = bounded or ([rows[pair.a], rows[pair.b]] if plan.mode == "open" else held)
    causes = (
        _too_wide(plan, pair),
        _limits(plan, held),
        _waits(held),
        _kernels(rows[pair.a], rows[pair.b]),
    )
    return next((cause for each in causes for cause in each), Finding.of("cause_unknown"))


def _too_wide(plan: Plan, pair: Pair) -> Iterator[Finding]:
    """Of two figures that may be the same, one has the narrower interval."""
    own, cpu = pair.ratio, pair.cpu_ratio
    if cpu is None or own.low is None or own.high is None or plan.mode == "open":
        return
    if pair.finding == "can't tell" and not own.excludes(cpu.ratio):
        yield Finding.of("interval_too_wide", by=plan.ranked_by)
    elif pair.cpu_finding == "can't tell" and not cpu.excludes(own.ratio):
        yield Finding.of("interval_too_wide", by="requests_per_cpu_s")


def _limits(plan: Plan, held: Sequence[VerdictEntry]) -> Iterator[Finding]:
    """What kept them from showing how fast they are."""
    if plan.cores.shared:
        yield Finding.of("cores_shared")
    limits = {entry.name: _limit(entry) for entry in held}
    for limit in ("upstream", "client", "both", "rate"):
        if names := [name for name, own in limits.items() if own == limit]:
            yield Finding.of("limit_hides", names=names, limit=limit)


def _limit(entry: VerdictEntry) -> str:
    codes = [each.code for each in entry.at_least]
    if codes:
        return "upstream" if "upstream_limit" in codes else "client"
    return entry.limited_by


def _waits(held: Sequence[VerdictEntry]) -> Iterator[Finding]:
    for entry in held:
        if entry.server_busy is not None and entry.server_busy < SATURATED:
            yield Finding.of("server_waited", name=entry.name, server_busy=entry.server_busy)


def _kernels(*entries: VerdictEntry) -> Iterator[Finding]:
    """The kernel's part of their CPU time differs."""
    costs = [(each.name, each.cpu_us_per_request) for each in entries]
    shares = {
        name: cost.server_system / cost.server
        for name, cost in costs
        if cost.server and cost.server_system is not None
    }
    known = list(shares.values())
    if len(known) == len(entries) and max(known) - min(known) >= KERNEL_APART:
        yield Finding.of("kernel_bills", names=list(shares), shares=known)
