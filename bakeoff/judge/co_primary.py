"""Gates by two figures: what a race is ranked by, and server CPU per request.

Two builds of one server that make the same calls are billed alike by the kernel, and a neighbour
that starves both of load moves their throughput and not what a request costs. So a gate fails where
it fails by either figure, and holds where it holds by both. The two share the 5 % of one.

That two builds make the same calls is not counted. It is taken for so where their answers come in
equally many writes, and where the kernel's time per request differs by no more than chance: that of
a whole draw, since most kernels split CPU time by ticks of some ms.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from math import isfinite, nan
from typing import Literal

import numpy as np

from bakeoff.judge import bounds
from bakeoff.judge.compare import Comparison, Pairs, family
from bakeoff.judge.gate import decided, result, weighed
from bakeoff.judge.history import History
from bakeoff.judge.paired import Paired, pair_up
from bakeoff.judge.widths import width
from bakeoff.model.finding import Finding
from bakeoff.model.gate import GateResult
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Slice
from bakeoff.model.verdict import Verdict

DRAWS_MIN = 5
"""Of four the quantile of t is 3.2: what differs by half would not be seen."""
BY: Literal["requests_per_cpu_s"] = "requests_per_cpu_s"


def decided_by_both(
    plan: Plan,
    verdict: Verdict,
    history: History,
    pairs: Pairs,
    by_cpu: Pairs,
    at_least: Collection[str],
) -> tuple[GateResult, ...]:
    """Two results for each of the plan's gates; one where a ratio by CPU is missing.

    Ratios by CPU that do not decide take their share of the 5 % too: a level that depended on what
    was measured would not be one.
    """
    results: list[GateResult] = []
    for alone in decided(plan, verdict):
        gate, cant_tell = alone.gate, plan.cant_tell
        a, b = gate.left, gate.right or ""
        first, cpu = (each.get(frozenset((a, b))) for each in (pairs, by_cpu))
        if alone.ratio is None or first is None or cpu is None:
            results.append(alone)
            continue
        shared = [_shared(each, history.any_time) for each in (first, cpu)]
        if not all(isfinite(each.width.simultaneous) for each in shared):
            results.append(alone)
            continue
        bounded = bounds.ratio(shared[0].interval(a), a, b, at_least)
        of_cpu = shared[1].interval(a)
        unlike = tuple(_unlike_calls(verdict, history, a, b))
        results += (
            weighed(gate, cant_tell, bounded),
            result(gate, cant_tell, "doesn't decide", by=BY, reasons=unlike, ratio=of_cpu)
            if unlike
            else weighed(gate, cant_tell, of_cpu, by=BY),
        )
    return tuple(results)


def _shared(comparison: Comparison, any_time: bool) -> Comparison:
    """With the interval of one of two that are to hold at once."""
    both = width(comparison.estimate, together=2, any_time=any_time)
    return replace(comparison, width=both)


def _unlike_calls(verdict: Verdict, history: History, a: str, b: str) -> Iterator[Finding]:
    yield from (each for each in verdict.fairness if each.code == "segments_differ")
    table = _kernel_times(history, a, b)
    compared = family(table, DRAWS_MIN).get(frozenset((a, b)))
    if compared is None:
        yield Finding.of("calls_unknown", n=table.blocks_of(a, b), least=DRAWS_MIN)
    elif abs(compared.estimate.centre) > compared.width.alone:
        # More requests per second of the kernel's time are less of it per request.
        ratio = compared.interval_alone(b)
        yield Finding.of(
            "calls_differ", name=a, other=b, ratio=ratio.ratio, low=ratio.low, high=ratio.high
        )


def _kernel_times(history: History, a: str, b: str) -> Paired:
    """ln of requests per second of the kernel's time, a row for each draw."""
    time, requests = (
        pair_up(history.blocks, history.draws, (a, b), each)
        for each in (_kernel_ns, lambda slice_: float(slice_.event.requests_all))
    )
    both = np.isfinite(time.log_ratio(a, b))
    draws, first, of_draw = np.unique(
        np.stack((time.boot, time.draw))[:, both], axis=1, return_index=True, return_inverse=True
    )
    time_ns, answered = (
        np.stack([np.bincount(of_draw, column) for column in table.ln_y[both].T], axis=1)
        for table in (time, requests)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ln_y = np.log(answered / time_ns)
    return Paired(time.names, draws[0], draws[1], time.process[both][first], ln_y)


def _kernel_ns(slice_: Slice) -> float:
    return float(slice_.server_cpu.system_ns) if slice_.server_cpu else nan
