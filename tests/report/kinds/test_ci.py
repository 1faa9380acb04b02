"""What a pull request is told of a result that anybody may have written."""

import re

from bakeoff.model.finding import Finding
from bakeoff.report.kinds.ci import comment
from tests.judge.test_ci import beside, decided, priced, verdict

HARM = "@all ![x](https://evil.example/x.png) <img src=x> EVIL"


def test_it_has_the_outcome_both_ratios_and_every_gate() -> None:
    text = comment(decided(beside(priced(verdict("holds", ratio=0.99)), "fails")))
    assert text.startswith("**bakeoff: slower**\n")
    ratios = re.findall(r"\| (\S+) × ?|\| (\d\.\d+)×", text)
    assert len(ratios) == 2
    assert "- the gate `>= 0.98`: holds" in text
    assert "- the gate `>= 0.98` by server CPU: fails" in text
    assert "aaaaaaaaaa" in text


def test_no_text_of_the_result_gets_into_it() -> None:
    """Each free text of the contract is one that the run's own code may have chosen."""
    result = decided(beside(priced(verdict("can't tell")), "doesn't decide"))
    reason = Finding.of("absent", name=HARM, reason=HARM)
    revision = result.base.model_copy(update={"name": HARM, "subject": HARM})
    gates = tuple(
        each.model_copy(
            update={
                "gate": each.gate.model_copy(update={"text": HARM, "left": HARM, "right": HARM}),
                "reasons": (reason,),
            }
        )
        for each in result.race.gates
    )
    entries = tuple(
        each.model_copy(update={"title": HARM, "version": HARM, "reasons": (reason,)})
        for each in result.race.entries
    )
    race = result.race.model_copy(
        update={"gates": gates, "entries": entries, "workload": HARM, "workload_summary": HARM}
    )
    changes = {"contender": HARM, "base": revision, "head": revision, "reasons": (reason,)}
    hostile = result.model_copy(update={**changes, "race": race, "command_line": (HARM,)})
    assert comment(hostile) == comment(result)
