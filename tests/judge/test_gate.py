"""Gates and a precision are decided by whole intervals; gates of two builds by server CPU, too."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from bakeoff.judge import gate as gates
from bakeoff.judge import judge
from bakeoff.judge.gate import DRAWS_MIN
from bakeoff.judge.state import STATE_SD
from bakeoff.model.audit import Audit
from bakeoff.model.cut import Draw
from bakeoff.model.finding import Finding
from bakeoff.model.gate import CantTell, Gate, GateResult
from bakeoff.model.plan import Until
from bakeoff.model.ratio import Ratio
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Precision, Verdict
from bakeoff.plan.gates import race_gate
from tests.judge.facts import MACHINE, SOUND_AUDIT
from tests.judge.races import Race, altered, codes, judged
from tests.ratios import known


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


def raced(texts: list[str], cant_tell: CantTell = "pass", **changed: Any) -> Verdict:
    race = Race({"old": 1.0, "same": 1.0, "slow": 0.5}, **changed)
    planned = tuple(race_gate(text, (*race.ratios, "absent")) for text in texts)
    return judged(race, gates=planned, cant_tell=cant_tell)


def results(texts: list[str], cant_tell: CantTell = "pass", **changed: Any) -> list[GateResult]:
    return list(raced(texts, cant_tell, **changed).gates)


def test_the_verdict_has_its_gates_with_the_figures_of_the_pair() -> None:
    verdict = raced(["same >= 0.9 * old", "slow >= 0.9 * old", "old >= same"])
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
    return judged(race, precision=asked).precision


def test_it_is_the_widest_interval_between_neighbours_that_counts() -> None:
    race = Race({"a": 1, "b": 0.99, "c": 0.5}, boots=8, blocks=40)
    verdict = judged(race, precision=0.5)
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

    def complete(boots: int, **asked: Any) -> bool:
        return judged(race, complete=False, boots=boots, **asked).complete

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
    verdict = judged(race, complete=False, until="decided", within=0.005)
    findings = {frozenset((each.a, each.b)): each.finding for each in verdict.pairs}
    assert findings[frozenset("ab")] == findings[frozenset("ac")] == "faster"
    assert findings[frozenset("bc")] == "can't tell" and verdict.decided is False


TICK_NS = 4_000_000
"""Of a kernel that splits CPU time by a clock of 250 Hz."""
DRAWS, BLOCKS = 8, 8


def builds(
    seed: int = 1,
    *,
    ratio: float = 1.0,
    cost: float = 1.0,
    kernel: float = 1.0,
    noise: float = 0.02,
    draws: int = DRAWS,
    audits: dict[str, Audit] | None = None,
    until: Until | None = "decided",
) -> list[GateResult]:
    """The gate `head >= base` of a race in which head does `ratio` as much as base, and needs
    `cost` as much CPU time per request and `kernel` as much of the kernel's.

    The noise of costs is their own: of both figures, one may err alone.
    """
    blocks, both = draws * BLOCKS, {"base": 1.0, "head": ratio}
    race = Race(both, boots=1, blocks=blocks, noise=noise, seed=seed, audits=audits or {})
    rng = np.random.default_rng(seed)

    def priced(block: Block, slice_: Slice) -> Slice:
        head = slice_.entry == "head"
        own = np.exp(noise / 2 * rng.standard_t(4))
        total_ns = round(1.7e4 * slice_.event.requests_all * own * (cost if head else 1.0))
        share = 0.5 * (kernel / cost if head else 1.0)
        ticks = rng.binomial(round(total_ns / TICK_NS), share)
        system_ns = round(ticks * TICK_NS)
        cpu = CpuTime(total_ns=total_ns, user_ns=max(0, total_ns - system_ns), system_ns=system_ns)
        return slice_.model_copy(update={"server_cpu": cpu})

    records = list(in_draws(altered(race.records(), priced)))
    plan = race.plan().model_copy(
        update={
            "gates": (race_gate("head >= base", ("base", "head")),),
            "cpu_gates": True,
            "until": until,
        }
    )
    return list(judge(plan, {}, records, MACHINE, True).gates)


def in_draws(records: list[Record]) -> Iterator[Record]:
    """The records with a new draw, of new processes, every so many blocks."""
    for record in records:
        if not isinstance(record, Block):
            yield record
            continue
        draw = record.block // BLOCKS
        if record.block % BLOCKS == 0:
            both = {"base": draw, "head": draw}
            yield Draw(boot=0, draw=draw, processes=both, connections_open=both)
        yield record.model_copy(update={"draw": draw})


def test_a_gate_has_a_result_by_each_of_the_two() -> None:
    first, second = builds(ratio=1.2, cost=1 / 1.2)
    assert (first.by, second.by) == (None, "requests_per_cpu_s")
    assert (first.outcome, second.outcome) == ("holds", "holds")
    assert known(first.ratio).ratio == pytest.approx(1.2, rel=0.03)
    assert known(second.ratio).ratio == pytest.approx(1.2, rel=0.03)


def test_their_intervals_hold_whenever_the_race_ends() -> None:
    for at_any_time, planned in zip(builds(), builds(until=None), strict=True):
        assert known(known(at_any_time.ratio).low) < known(known(planned.ratio).low)


def test_what_costs_more_fails_where_throughput_shows_nothing() -> None:
    first, second = builds(cost=1.1)
    assert (first.outcome, second.outcome) == ("can't tell", "fails")
    assert (first.passes, second.passes) == (True, False)


def test_their_intervals_are_those_of_two_that_hold_at_once() -> None:
    """Each errs on its side with half of 2.5 %, so that the two together err as one did."""
    race = Race({"base": 1.0, "head": 1.0}, boots=1, blocks=64)
    gates = (race_gate("head >= base", ("base", "head")),)
    plan = race.plan().model_copy(update={"gates": gates})
    records = list(in_draws(race.records()))
    (one,) = judge(plan, {}, records, MACHINE, True).gates
    co_primary = plan.model_copy(update={"cpu_gates": True})
    two, _ = judge(co_primary, {}, records, MACHINE, True).gates
    alone, shared = known(one.ratio), known(two.ratio)
    wider = np.log(shared.ends[1] / shared.ratio) / np.log(alone.ends[1] / alone.ratio)
    # scipy: t.ppf((1 + .95**.5) / 2, 7) / t.ppf(.975, 7); 1.14 of many draws
    assert wider == pytest.approx(1.189, abs=0.02)


def test_of_unlike_builds_both_have_what_the_machines_state_adds() -> None:
    for each in builds(ratio=2.0, cost=0.5, noise=0.0002):
        low, high = known(each.ratio).ends
        assert np.log(high / low) / 2 >= 1.95 * STATE_SD * np.log(2)


def test_equals_break_a_gate_no_more_often_than_by_one_figure() -> None:
    """One side of 95 %: in 2.5 % of races, of which the two figures have half each."""
    races = 60
    alarms = unlike = 0
    for seed in range(races):
        results = builds(seed)
        alarms += any(each.outcome == "fails" for each in results)
        unlike += results[1].outcome == "doesn't decide"
    assert alarms <= binom.ppf(0.999, races, 0.025)
    assert unlike <= binom.ppf(0.999, races, 0.05), "equals make the same calls"


@pytest.mark.parametrize("kernel", [0.7, 1.4])
def test_where_the_kernel_needs_another_time_for_a_request_the_cost_does_not_decide(
    kernel: float,
) -> None:
    _, by_cpu = builds(cost=1 + (kernel - 1) / 2, kernel=kernel)
    assert (by_cpu.outcome, by_cpu.passes) == ("doesn't decide", True)
    assert known(by_cpu.ratio).ratio == pytest.approx(1 / (1 + (kernel - 1) / 2), rel=0.05)
    (why,) = by_cpu.reasons
    assert (why.code, why.values["name"], why.values["other"]) == ("calls_differ", "head", "base")
    assert why.values["ratio"] == pytest.approx(kernel, rel=0.2)


def test_more_work_outside_of_the_kernel_leaves_the_calls_as_they_are() -> None:
    _, by_cpu = builds(cost=1.3)
    assert (by_cpu.outcome, by_cpu.reasons) == ("fails", ())


def test_nor_does_it_decide_where_answers_come_in_other_numbers_of_writes() -> None:
    two = SOUND_AUDIT.model_copy(update={"segments": 2})
    _, by_cpu = builds(audits={"base": SOUND_AUDIT, "head": two})
    assert (by_cpu.outcome, codes(by_cpu.reasons)) == ("doesn't decide", ["segments_differ"])


def test_a_few_draws_do_not_say_what_calls_there_are() -> None:
    assert builds(draws=DRAWS_MIN)[1].reasons == ()
    (why,) = builds(draws=DRAWS_MIN - 1, until=None)[1].reasons
    assert (why.code, why.values) == ("calls_unknown", {"n": 4, "least": 5})


def test_without_cpu_times_throughput_decides_alone() -> None:
    race = Race({"base": 1.0, "head": 0.5}, cpu_seen=False)
    gates = (race_gate("head >= base", ("base", "head")),)
    (alone,) = judged(race, gates=gates, cpu_gates=True).gates
    assert (alone.by, alone.outcome) == (None, "fails")
