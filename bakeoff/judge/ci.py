"""Is a change slower? From the gates of a race of base and head."""

from bakeoff.model.ci import BASE, HEAD, Ci, CiOutcome, CiPlan
from bakeoff.model.machine import Machine
from bakeoff.model.verdict import Verdict


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
