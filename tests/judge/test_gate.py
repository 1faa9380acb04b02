"""What was asked of a race, gates and a precision, is decided by whole intervals."""

from typing import Any

import pytest

from bakeoff.judge import gate as gates
from bakeoff.judge import judge
from bakeoff.model.finding import Finding
from bakeoff.model.gate import CantTell, Gate, GateResult
from bakeoff.model.ratio import Ratio
from bakeoff.model.verdict import Precision, Verdict
from bakeoff.plan.gates import race_gate
from tests.judge.facts import MACHINE
from tests.judge.races import Race, codes


def weighed(sign: str, factor: float, low: float, high: float) -> str:
    gate = Gate.model_validate(
        {"text": "", "left": "a", "sign": sign, "factor": factor, "right": "b"}
    )
    return gates.weighed(
        gate, "pass", Ratio(ratio=(low + high) / 2, low=low, high=high, n=30)
    ).outcome


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
        assert result.ratio == pair.ratio


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
    (reason,) = result.reasons
    assert (reason.code, codes(reason.because)) == ("not_valid", ["wrong_answers"])


def test_one_that_never_came_up_fails_its_gate_with_the_reason() -> None:
    out = {boot: {"same": "its build failed"} for boot in range(3)}
    (result,) = results(["old >= 0.1 * same"], out=out)
    assert (result.outcome, result.passes) == ("fails", False)
    assert result.reasons == (Finding.of("absent", name="same", reason="its build failed"),)


def test_too_few_blocks_decide_nothing() -> None:
    (result,) = results(["slow >= 0.9 * old"], "fail", boots=1, blocks=4)
    assert (result.outcome, result.passes) == ("can't tell", False)
    assert codes(result.reasons) == ["few_paired_blocks"]


def precision(race: Race, asked: float | None) -> Precision | None:
    plan = race.plan().model_copy(update={"precision": asked})
    return judge(plan, {}, race.records(), MACHINE, complete=True).precision


def test_it_is_the_widest_interval_between_neighbours_that_counts() -> None:
    race = Race({"a": 1, "b": 0.99, "c": 0.5}, boots=8, blocks=40)
    plan = race.plan().model_copy(update={"precision": 0.5})
    verdict = judge(plan, {}, race.records(), MACHINE, complete=True)
    neighbours = [verdict.pair("a", "b"), verdict.pair("b", "c")]
    widest = max(pair.ratio.ends[1] / pair.ratio.ratio - 1 for pair in neighbours if pair)
    measured = precision(race, 0.5)
    assert measured and measured.reached == pytest.approx(widest)
    assert measured.met and measured.more_s is None


def test_what_is_missing_is_foretold_by_the_root_of_the_time() -> None:
    race = Race({"a": 1, "b": 1}, boots=8, blocks=40, seed=2)
    reached = precision(race, 0.5)
    assert reached and reached.reached
    half_of_it = precision(race, reached.reached / 2)
    assert half_of_it and not half_of_it.met
    spent_s = 2 * 8 * 40 * 0.02
    assert half_of_it.more_s == pytest.approx(3 * spent_s, rel=0.02)


def test_boots_that_differ_are_not_cured_by_time() -> None:
    measured = precision(Race({"a": 1, "b": 1}, boots=8, boot_sd=0.05), 0.001)
    assert measured and not measured.met and measured.more_s is None


def test_without_blocks_enough_it_is_not_met_and_nothing_is_foretold() -> None:
    measured = precision(Race({"a": 1, "b": 1}, boots=1, blocks=4), 0.5)
    assert measured == Precision(asked=0.5, reached=None, met=False, more_s=None)


def test_who_asks_for_none_is_told_of_none() -> None:
    assert precision(Race({"a": 1, "b": 1}), None) is None


def test_a_race_is_complete_before_its_time_once_it_is_reached_and_the_boots_are_through() -> None:
    race = Race({"a": 1, "b": 1}, boots=8, blocks=40)

    def complete(boots: int, **asked: object) -> bool:
        plan = race.plan().model_copy(update={"boots": boots, **asked})
        return judge(plan, {}, race.records(), MACHINE, complete=False).complete

    assert complete(8, precision=0.5)
    assert complete(8, until="decided")
    assert not complete(9, precision=0.5)
    assert not complete(9, until="decided")
    assert not complete(8, precision=0.0001)
    assert not complete(8)


def decided(
    ratio: float, draws: int = 8, noise: float = 0.01, gates: list[str] | None = None, **asked: Any
) -> bool | None:
    race = Race({"new": ratio, "old": 1.0}, boots=draws, noise=noise)
    planned = tuple(race_gate(text, tuple(race.ratios)) for text in gates or ())
    update = {"until": "decided", "gates": planned, **asked}
    plan = race.plan().model_copy(update=update)
    return judge(plan, race.receipts(), race.records(), MACHINE, complete=False).decided


def test_a_race_is_decided_by_a_pair_that_is_told_apart_or_equivalent() -> None:
    assert decided(1.2) and decided(1.0)
    assert not decided(1.0, noise=0.2)
    assert decided(1.2, until=None) is None, "nobody asked"


def test_it_is_never_decided_by_fewer_than_five_draws() -> None:
    assert decided(2.0, draws=5) and not decided(2.0, draws=4)


def test_with_a_margin_it_is_decided_on_either_side_of_that() -> None:
    assert decided(1.2, within=0.1) and decided(1.0, within=0.1)
    assert decided(1.05) and decided(1.05, within=0.1)
    assert not decided(1.05, within=0.05)


def test_gates_are_the_question_where_there_are_any() -> None:
    assert decided(1.05, gates=["new >= 0.98 * old"])
    assert not decided(1.05, gates=["new >= 1.05 * old"])
    assert decided(1.2, gates=["new >= 1.5 * old"]), "that it fails is an answer"


def test_of_three_every_pair_has_to_be_decided() -> None:
    race = Race({"a": 1.0, "b": 1.2, "c": 1.2}, boots=12, noise=0.03)
    plan = race.plan().model_copy(update={"until": "decided", "within": 0.005})
    verdict = judge(plan, {}, race.records(), MACHINE, complete=False)
    findings = {frozenset((each.a, each.b)): each.finding for each in verdict.pairs}
    assert findings[frozenset("ab")] == findings[frozenset("ac")] == "faster"
    assert findings[frozenset("bc")] == "can't tell" and verdict.decided is False
