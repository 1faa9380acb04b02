"""Is a change slower? From the gates of one race, or of two after an alarm.

An alarm is a gate that the first race's interval breaks. It is raised where a second race, in fresh
processes, breaks the same gate. Of two equal revisions one race breaks a gate at 1 with probability
α (at most 2.5 %, one side of a 95 % interval), both with α² where their errors are independent. A
slower revision that one race finds with probability p is found with p².
"""

from bakeoff.model.ci import BASE, HEAD, Ci, CiOutcome, CiPlan
from bakeoff.model.finding import Finding
from bakeoff.model.gate import GateResult
from bakeoff.model.machine import Machine
from bakeoff.model.verdict import Verdict


def is_alarm(race: Verdict) -> bool:
    """Whether the first race has to be repeated: both sides have figures, and a gate fails."""
    return not _troubles(race) and any(gate.outcome == "fails" for gate in race.gates)


def judge_ci(
    plan: CiPlan, race: Verdict, again: Verdict | None, complete: bool, machine: Machine
) -> Ci:
    """The result of the first race and, after an alarm, of the second."""
    troubles = [*_troubles(race), *(_troubles(again) if again else ())]
    gates = race.gates
    if is_alarm(race) and not troubles:
        gates = tuple(_repeated(gate, again) for gate in race.gates)
    outcome: CiOutcome = "can't tell"
    if troubles:
        outcome = "not raced"
    elif any(gate.outcome == "fails" for gate in gates):
        outcome = "slower"
    elif all(gate.outcome in ("holds", "doesn't decide") for gate in gates):
        outcome = "not slower"
    return Ci(
        run=plan.run,
        command_line=plan.command_line,
        contender=plan.contender,
        base=plan.base,
        head=plan.head,
        outcome=outcome,
        passes=not troubles and all(gate.passes for gate in gates),
        gates=gates,
        reasons=tuple(troubles) if troubles else _why_not_told(gates),
        race=race,
        again=again,
        complete=complete,
        seed=plan.seed,
        machine=machine,
    )


def _troubles(race: Verdict) -> list[Finding]:
    """Why base or head has no figures that count."""
    return [trouble for name in (BASE, HEAD) if (trouble := race.trouble(name))]


def _repeated(gate: GateResult, again: Verdict | None) -> GateResult:
    """A gate of the first race, decided together with the second."""
    if gate.outcome != "fails":
        return gate
    same = (each for each in (again.gates if again else ()) if each.gate == gate.gate)
    second = next((each for each in same if each.by == gate.by), None)
    if second and second.outcome == "fails":
        return second
    why = Finding.of("not_measured_again")
    if second and second.ratio is not None:
        values = {"ratio": second.ratio, "low": second.low, "high": second.high}
        why = Finding.of("not_repeated", **values)
    return gate.model_copy(
        update={
            "outcome": "can't tell",
            "passes": gate.cant_tell == "pass",
            "reasons": (why,),
        }
    )


def _why_not_told(gates: tuple[GateResult, ...]) -> tuple[Finding, ...]:
    untold = (gate for gate in gates if gate.outcome != "doesn't decide")
    return tuple(reason for gate in untold for reason in gate.reasons)
