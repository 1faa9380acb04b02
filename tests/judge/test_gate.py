"""Gates are decided by whole intervals."""

from typing import Any

import pytest

from bakeoff.judge import gate as gates
from bakeoff.judge import judge
from bakeoff.model.gate import CantTell, Gate, GateResult
from bakeoff.model.verdict import Verdict
from bakeoff.plan.gates import race_gate
from tests.judge.races import MACHINE, Race


def weighed(sign: str, factor: float, low: float, high: float) -> str:
    gate = Gate.model_validate(
        {"text": "", "left": "a", "sign": sign, "factor": factor, "right": "b"}
    )
    return gates.weighed(gate, "pass", (low + high) / 2, low, high, 30).outcome


@pytest.mark.parametrize(
    ("sign", "low", "high", "outcome"),
    [
        (">=", 0.99, 1.01, "holds"),
        (">=", 0.98, 1.01, "holds"),
        (">", 0.98, 1.01, "can't tell"),
        (">=", 0.97, 0.99, "can't tell"),
        (">=", 0.90, 0.98, "can't tell"),
        (">", 0.90, 0.98, "fails"),
        (">=", 0.90, 0.97, "fails"),
        ("<=", 0.90, 0.97, "holds"),
        ("<=", 0.90, 0.98, "holds"),
        ("<", 0.90, 0.98, "can't tell"),
        ("<=", 0.98, 1.01, "can't tell"),
        ("<", 0.98, 1.01, "fails"),
        ("<=", 0.97, 0.99, "can't tell"),
        ("<", 0.99, 1.01, "fails"),
    ],
)
def test_the_whole_interval_decides(sign: str, low: float, high: float, outcome: str) -> None:
    assert weighed(sign, 0.98, low, high) == outcome


def judged(texts: list[str], cant_tell: CantTell = "pass", **changed: Any) -> Verdict:
    race = Race({"old": 1.0, "same": 1.0, "slow": 0.5}, **changed)
    planned = tuple(race_gate(text, (*race.ratios, "absent")) for text in texts)
    plan = race.plan().model_copy(update={"gates": planned, "cant_tell": cant_tell})
    return judge(plan, race.receipts(), race.records(), MACHINE, True)


def results(texts: list[str], cant_tell: CantTell = "pass", **changed: Any) -> list[GateResult]:
    return list(judged(texts, cant_tell, **changed).gates)


def test_the_verdict_has_its_gates_with_the_figures_of_the_pair() -> None:
    verdict = judged(["same >= 0.9 * old", "slow >= 0.9 * old", "old >= same"])
    assert [each.outcome for each in verdict.gates] == ["holds", "fails", "can't tell"]
    assert [each.passes for each in verdict.gates] == [True, False, True]
    for result, names in zip(
        verdict.gates, [("same", "old"), ("slow", "old"), ("old", "same")], strict=True
    ):
        pair = verdict.pair(*names)
        assert pair
        found = (result.ratio, result.low, result.high, result.n)
        assert found == (pair.ratio, pair.low, pair.high, pair.n)


def test_a_gate_that_nobody_can_decide_passes_or_fails_by_its_policy() -> None:
    assert [each.passes for each in results(["old >= same"], "pass")] == [True]
    assert [each.passes for each in results(["old >= same"], "fail")] == [False]
    assert results(["slow >= old"], "pass")[0].passes is False, "a gate that fails has no policy"


def test_a_gate_turned_round_says_the_same() -> None:
    for text, turned in (("slow >= 0.8 * old", "old <= 1.25 * slow"), ("old > same", "same < old")):
        one, other = results([text, turned])
        assert one.outcome == other.outcome


def test_one_whose_figures_do_not_count_fails_its_gate_with_the_reason() -> None:
    wrong = {"same": {"errors": {"mismatch_body": 1}}}
    (result,) = results(["same >= 0.1 * old"], events=wrong)
    assert (result.outcome, result.passes, result.ratio) == ("fails", False, None)
    assert result.reason.startswith("same is not valid: ")


def test_one_that_never_came_up_fails_its_gate_with_the_reason() -> None:
    out = {boot: {"same": "its build failed"} for boot in range(3)}
    (result,) = results(["old >= 0.1 * same"], out=out)
    assert (result.outcome, result.passes) == ("fails", False)
    assert result.reason == "same did not take part: its build failed"


def test_too_few_blocks_decide_nothing() -> None:
    (result,) = results(["slow >= 0.9 * old"], "fail", boots=1, blocks=5)
    assert (result.outcome, result.passes) == ("can't tell", False)
    assert result.reason == "too few blocks have both"
