"""What a pull request is told of a result that anybody may have written."""

import re

import pytest

from bakeoff.model.finding import Finding
from bakeoff.model.pairs import NextRace
from bakeoff.report.kinds.ci import comment, headline
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


@pytest.mark.parametrize(
    ("effect", "more_s", "says", "never"),
    [
        (0.014, None, "a difference of 1.4 % would have been found", "further measuring"),
        (0.014, 41.0, "of further measuring would tell", "under 20 %"),
        (2.66, 41.0, "no difference under 20 % would have been found", "266"),
        (None, None, "Can't tell whether head is slower", "would have been found"),
    ],
)
def test_one_that_cant_tell_says_what_was_missing(
    effect: float | None, more_s: float | None, says: str, never: str
) -> None:
    race = verdict("can't tell")
    (pair,) = race.pairs
    changed = {"minimum_detectable_effect": effect, "more_s": more_s}
    wide = decided(race.model_copy(update={"pairs": (pair.model_copy(update=changed),)}))
    assert says in headline(wide) and never not in headline(wide)
    assert never not in comment(wide)
    assert effect is None or says in comment(wide)


def test_its_comment_says_which_interval_is_of_this_hour_and_which_of_the_next_race() -> None:
    race = verdict("can't tell")
    expected = NextRace(ratio=1.0, low=0.97, high=1.03, basis="pair", n=7)
    known = race.model_copy(
        update={
            "earlier_races": 7,
            "pairs": tuple(e.model_copy(update={"next_race": expected}) for e in race.pairs),
        }
    )
    holds = "The interval holds for this hour of this machine"
    assert f"{holds}: another day" in comment(decided(race)), "without a history, too"
    assert f"{holds}: a race of the same length on another day is expected" in comment(
        decided(known)
    )


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
