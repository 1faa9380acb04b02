"""Gates, the precision of a race, and whether it is decided: all by whole intervals.

The intervals are the verdict's own, which hold for all pairs at once: a gate never contradicts the
table of pairs, and several gates are all right together in 95 % of races. In a race of two, the
usual case for a gate, that costs nothing: with one pair both intervals are the same.

A gate may be decided by two figures: the figure by which the race is ranked, and server CPU per
request. The kernel counts the time of two builds of one server alike if they make the same calls,
and a neighbour that starves both of load changes their throughput and not the cost of a request. So
a gate fails if it fails by either figure, and holds if it holds by both. The two share the 5 % of
one.

The calls of two builds are not counted. They are taken to be the same if their answers come in
equally many writes, and if the kernel's time per request differs by no more than chance. That time
is taken over a whole draw, since most kernels split CPU time by ticks of some ms.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from math import expm1, isfinite, log1p, nan
from typing import Any, Literal

import numpy as np

from bakeoff.judge import standings
from bakeoff.judge.compare import Pairs, family, width
from bakeoff.judge.history import History
from bakeoff.judge.paired import Paired, pair_up
from bakeoff.model.ci import BASE, HEAD, Ci, CiOutcome, CiPlan
from bakeoff.model.finding import Finding
from bakeoff.model.gate import CantTell, Gate, GateResult, Outcome
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.ratio import Ratio
from bakeoff.model.verdict import Precision, Verdict

DECIDED_DRAWS = 5
"""A race is not ended after fewer draws: with four the error is hardly known, and an interval that
holds whenever a race ends is 12 standard errors wide."""


def is_decided(verdict: Verdict, at_least: Collection[str]) -> bool:
    """Whether more measuring has nothing to add: to any gate or, without gates, to any pair of
    valid entries. A gate by two figures fails by one of them, and holds by both. Two entries that
    are both `at_least` what was measured can never be told apart."""
    if not verdict.valid:
        return False
    names = [entry.name for entry in verdict.entries if entry.valid]
    pairs = [verdict.pair(*two) for two in combinations(names, 2) if not set(two) <= set(at_least)]
    if any(pair is None or (pair.ratio.draws or 0) < DECIDED_DRAWS for pair in pairs):
        return False
    if verdict.gates:
        outcomes: dict[Gate, set[Outcome]] = {}
        for result_ in verdict.gates:
            outcomes.setdefault(result_.gate, set()).add(result_.outcome)
        return all("fails" in each or "can't tell" not in each for each in outcomes.values())
    return all(pair.decided for pair in pairs if pair)


def decided(plan: Plan, verdict: Verdict) -> tuple[GateResult, ...]:
    return tuple(_decided(gate, plan.cant_tell, verdict) for gate in plan.gates)


def _decided(gate: Gate, cant_tell: CantTell, verdict: Verdict) -> GateResult:
    assert gate.right is not None
    faults = [fault for name in (gate.left, gate.right) if (fault := verdict.trouble(name))]
    if faults:
        return result(gate, cant_tell, "fails", reasons=tuple(faults))
    pair = verdict.pair(gate.left, gate.right)
    if pair is None:
        few = Finding.of("few_paired_blocks")
        return result(gate, cant_tell, "can't tell", reasons=(few,))
    return weighed(gate, cant_tell, pair.ratio)


def weighed(gate: Gate, cant_tell: CantTell, ratio: Ratio, **known: Any) -> GateResult:
    """The gate by a ratio, its left side over its right.

    A missing end of the interval decides nothing, the other end does.
    """
    return result(gate, cant_tell, _outcome(gate, *ratio.ends), ratio=ratio, **known)


def result(gate: Gate, cant_tell: CantTell, outcome: Outcome, **known: Any) -> GateResult:
    """The gate's result: with its figures, or with `reasons` why there are none."""
    passes = outcome in ("holds", "doesn't decide")
    passes |= outcome == "can't tell" and cant_tell == "pass"
    return GateResult(gate=gate, outcome=outcome, passes=passes, cant_tell=cant_tell, **known)


def _outcome(gate: Gate, low: float, high: float) -> Outcome:
    """A bound that equals the factor is on its side where the sign includes equality."""
    if gate.sign in ("<", "<="):
        low, high = -high, -low
        factor, equal = -gate.factor, gate.sign == "<="
    else:
        factor, equal = gate.factor, gate.sign == ">="
    if low > factor or (equal and low == factor):
        return "holds"
    if high < factor or (not equal and high == factor):
        return "fails"
    return "can't tell"


def precision(
    wanted: float | None,
    names: Sequence[str],
    pairs: Pairs,
    at_least: Collection[str],
    measured_s: float,
) -> Precision | None:
    """Whether the precision that was `wanted` was reached; None: no precision was.

    `names` are the valid entries in the order of the standings; each pair of neighbours counts,
    except those that are `at_least`, whose ratios have no second end however long they are
    measured. More time gives more draws; see `Comparison.times`.
    """
    if wanted is None:
        return None
    settled = (two for two in pairwise(names) if not set(two) & set(at_least))
    neighbours = [pairs.get(frozenset(two)) for two in settled]
    half_widths = [expm1(pair.width.simultaneous) for pair in neighbours if pair]
    reached = max(half_widths, default=None)
    if reached is None or len(half_widths) < len(neighbours):
        return Precision(asked=wanted, reached=reached, met=False, more_s=None)
    met = reached <= wanted
    times = [pair.times(log1p(wanted)) for pair in neighbours if pair]
    known = [each for each in times if each is not None]
    enough = not met and len(known) == len(times)
    return Precision(
        asked=wanted,
        reached=reached,
        met=met,
        more_s=max(0.0, measured_s * (max(known) - 1)) if enough else None,
    )


DRAWS_MIN = 5
"""With four the quantile of t is 3.2: calls that differ by half would not be seen."""
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

    Ratios by CPU that do not decide take their share of the 5 % too: a level that depended on the
    measurements would not be valid.
    """
    results: list[GateResult] = []
    for alone in decided(plan, verdict):
        gate, cant_tell = alone.gate, plan.cant_tell
        a, b = gate.left, gate.right or ""
        first, cpu = (each.get(frozenset((a, b))) for each in (pairs, by_cpu))
        if alone.ratio is None or first is None or cpu is None:
            results.append(alone)
            continue
        # Each has the interval of one of two that hold at once.
        of_two = partial(
            width, together=2, any_time=history.any_time, state_sd=history.core.state_sd
        )
        shared = [replace(each, width=of_two(each.estimate)) for each in (first, cpu)]
        if not all(isfinite(comparison.width.simultaneous) for comparison in shared):
            results.append(alone)
            continue
        bounded = standings.bounded_ratio(shared[0].interval(a), a, b, at_least)
        of_cpu = shared[1].interval(a)
        unlike = tuple(_unlike_calls(verdict, history, a, b))
        results += (
            weighed(gate, cant_tell, bounded),
            result(gate, cant_tell, "doesn't decide", by=BY, reasons=unlike, ratio=of_cpu)
            if unlike
            else weighed(gate, cant_tell, of_cpu, by=BY),
        )
    return tuple(results)


def _unlike_calls(verdict: Verdict, history: History, a: str, b: str) -> Iterator[Finding]:
    yield from (each for each in verdict.fairness if each.code == "segments_differ")
    table = _kernel_times(history, a, b)
    compared = family(table, DRAWS_MIN).get(frozenset((a, b)))
    if compared is None:
        yield Finding.of("calls_unknown", n=table.blocks_of(a, b), least=DRAWS_MIN)
    elif abs(compared.estimate.centre) > compared.width.alone:
        # More requests per second of the kernel's time mean less of its time per request.
        ratio = compared.interval_alone(b)
        yield Finding.of(
            "calls_differ", name=a, other=b, ratio=ratio.ratio, low=ratio.low, high=ratio.high
        )


def _kernel_times(history: History, a: str, b: str) -> Paired:
    """ln of requests per second of the kernel's time, a row for each draw."""
    time, requests = (
        pair_up(history.blocks, history.draws, (a, b), each)
        for each in (
            lambda slice_: float(slice_.server_cpu.system_ns) if slice_.server_cpu else nan,
            lambda slice_: float(slice_.event.requests_all),
        )
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


def judge_ci(plan: CiPlan, race: Verdict, complete: bool, machine: Machine) -> Ci:
    """The result: by any gate that fails, or by all that hold."""
    troubles = [trouble for name in (BASE, HEAD) if (trouble := race.trouble(name))]
    deciding = [gate for gate in race.gates if gate.outcome != "doesn't decide"]
    outcome: CiOutcome = "can't tell"
    if troubles:
        outcome = "not raced"
    elif any(gate.outcome == "fails" for gate in deciding):
        outcome = "slower"
    elif all(gate.outcome == "holds" for gate in deciding):
        outcome = "not slower"
    return Ci(
        run=plan.run,
        command_line=plan.command_line,
        contender=plan.contender,
        base=plan.base,
        head=plan.head,
        outcome=outcome,
        passes=not troubles and all(gate.passes for gate in race.gates),
        reasons=tuple(troubles or (reason for gate in deciding for reason in gate.reasons)),
        race=race,
        complete=complete,
        seed=plan.seed,
        machine=machine,
    )
