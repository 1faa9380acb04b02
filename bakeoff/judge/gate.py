"""Gates, the precision of a race, and whether it is decided: all of it by whole intervals.

The intervals are the verdict's own, which hold for all pairs at once: a gate never contradicts the
table of pairs, and several gates are all right together in 95 % of races. In a race of two, the
usual case for a gate, that costs nothing: with one pair both intervals are the same.
"""

from collections.abc import Collection, Sequence
from itertools import combinations, pairwise
from math import expm1, log1p
from typing import Any

from bakeoff.judge.compare import Pairs
from bakeoff.model.finding import Finding
from bakeoff.model.gate import CantTell, Gate, GateResult, Outcome
from bakeoff.model.plan import Plan
from bakeoff.model.ratio import Ratio
from bakeoff.model.verdict import Precision, Verdict

DECIDED_DRAWS = 5
"""A race is not ended after fewer: of four draws the error is hardly known, and an interval that
holds whenever a race ends is 12 standard errors wide."""


def is_decided(verdict: Verdict, at_least: Collection[str]) -> bool:
    """Whether more measuring has nothing to add: to any gate, or where there is none to any pair of
    valid entries. A gate by two figures fails by one of them, and holds by both. Of two that are
    both `at_least` what was measured nothing will ever be known.
    """
    if not verdict.valid:
        return False
    names = [entry.name for entry in verdict.entries if entry.valid]
    pairs = [verdict.pair(*two) for two in combinations(names, 2) if not set(two) <= set(at_least)]
    if any(pair is None or (pair.ratio.draws or 0) < DECIDED_DRAWS for pair in pairs):
        return False
    if verdict.gates:
        outcomes: dict[Gate, set[Outcome]] = {}
        for each in verdict.gates:
            outcomes.setdefault(each.gate, set()).add(each.outcome)
        return all("fails" in each or "can't tell" not in each for each in outcomes.values())
    return all(pair.decided for pair in pairs if pair)


def decided(plan: Plan, verdict: Verdict) -> tuple[GateResult, ...]:
    """The plan's gates, held against the verdict's pairs."""
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

    An end that the interval lacks decides nothing, the other one does.
    """
    return result(gate, cant_tell, _outcome(gate, *ratio.ends), ratio=ratio, **known)


def result(gate: Gate, cant_tell: CantTell, outcome: Outcome, **known: Any) -> GateResult:
    """The gate's result: with its figures, or with `reasons` where there are none."""
    passes = outcome in ("holds", "doesn't decide")
    passes |= outcome == "can't tell" and cant_tell == "pass"
    return GateResult(gate=gate, outcome=outcome, passes=passes, cant_tell=cant_tell, **known)


def _outcome(gate: Gate, low: float, high: float) -> Outcome:
    """A bound that meets the factor is on its side where the sign has an equals in it."""
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
    asked: float | None,
    names: Sequence[str],
    pairs: Pairs,
    at_least: Collection[str],
    measured_s: float,
) -> Precision | None:
    """Whether the precision that was `asked` for was reached; None: none was asked for.

    `names` are the valid entries in the order of the standings; each pair of neighbours counts, but
    for those `at_least`, whose ratios have no second end however long they are measured.
    More time gives more draws, of whatever width it takes; see `Comparison.times`.
    """
    if asked is None:
        return None
    settled = (two for two in pairwise(names) if not set(two) & set(at_least))
    neighbours = [pairs.get(frozenset(two)) for two in settled]
    half_widths = [expm1(pair.width.simultaneous) for pair in neighbours if pair]
    reached = max(half_widths, default=None)
    if reached is None or len(half_widths) < len(neighbours):
        return Precision(asked=asked, reached=reached, met=False, more_s=None)
    met = reached <= asked
    times = [pair.times(log1p(asked)) for pair in neighbours if pair]
    known = [each for each in times if each is not None]
    enough = not met and len(known) == len(times)
    return Precision(
        asked=asked,
        reached=reached,
        met=met,
        more_s=max(0.0, measured_s * (max(known) - 1)) if enough else None,
    )
