"""Whether a gate holds: decided by a whole interval, never by an estimate alone.

The intervals are the verdict's own, which hold for all pairs at once: a gate never says other than
the table of pairs does, and with several gates all are right together in 95 % of races. In a race
of two, the usual one behind a gate, that costs nothing: with one pair both intervals are the same.
"""

from bakeoff.model.gate import CantTell, Gate, GateResult, Outcome
from bakeoff.model.plan import Plan
from bakeoff.model.verdict import Verdict


def decided(plan: Plan, verdict: Verdict) -> tuple[GateResult, ...]:
    """The plan's gates, held against the verdict's pairs."""
    return tuple(_decided(gate, plan.cant_tell, verdict) for gate in plan.gates)


def _decided(gate: Gate, cant_tell: CantTell, verdict: Verdict) -> GateResult:
    assert gate.right is not None
    faults = [fault for name in (gate.left, gate.right) if (fault := verdict.trouble(name))]
    if faults:
        return failed(gate, cant_tell, "; ".join(faults))
    pair = verdict.pair(gate.left, gate.right)
    if pair is None:
        return undecided(gate, cant_tell, "too few blocks have both")
    return weighed(gate, cant_tell, pair.ratio, pair.low, pair.high, pair.n)


def weighed(
    gate: Gate, cant_tell: CantTell, ratio: float, low: float, high: float, n: int
) -> GateResult:
    """The gate by a ratio, its left side over its right, and its interval, from `n` blocks."""
    outcome = _outcome(gate, low, high)
    return GateResult(
        gate=gate,
        outcome=outcome,
        passes=outcome == "holds" or (outcome == "can't tell" and cant_tell == "pass"),
        cant_tell=cant_tell,
        ratio=ratio,
        low=low,
        high=high,
        n=n,
    )


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


def failed(gate: Gate, cant_tell: CantTell, reason: str) -> GateResult:
    """A gate that fails without a ratio."""
    return GateResult(gate=gate, outcome="fails", passes=False, cant_tell=cant_tell, reason=reason)


def undecided(gate: Gate, cant_tell: CantTell, reason: str) -> GateResult:
    """A gate that nobody can decide, as there is no interval."""
    return GateResult(
        gate=gate,
        outcome="can't tell",
        passes=cant_tell == "pass",
        cant_tell=cant_tell,
        reason=reason,
    )
