"""One ratio measured twice: in two runs, or in turns and solo."""

from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from bakeoff.judge import Run, compare_runs, confirmed, judge, standings
from bakeoff.judge.compare import family
from bakeoff.judge.paired import Paired
from bakeoff.judge.runs import change
from bakeoff.model.compare import RunChange, RunsComparison
from bakeoff.model.errors import BadUsage
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Machine
from bakeoff.model.pairs import Pair
from bakeoff.model.plan import Cores
from bakeoff.model.verdict import Verdict
from bakeoff.plan.gates import runs_gate
from tests.judge.facts import MACHINE
from tests.judge.levels import Drawn
from tests.judge.races import Race, codes, judged, says
from tests.judge.test_coverage import MOST_ERRORS, RACES
from tests.ratios import known


def run(
    seed: int = 1, machine: Machine = MACHINE, plan: dict[str, Any] | None = None, **changed: Any
) -> Run:
    race = Race(**{"ratios": {"ref": 1.0, "a": 0.5, "b": 2.0}, "seed": seed, **changed})
    planned = race.plan().model_copy(update={"run": f"run-{seed}", **(plan or {})})
    verdict = judge(planned, race.receipts(), race.records(), machine, True)
    return Run(verdict, race.receipts())


def change_of(comparison: RunsComparison, name: str) -> RunChange:
    return next(each for each in comparison.changes if each.name == name)


def test_what_became_slower_is_found_through_any_weather() -> None:
    later = run(2, ratios={"ref": 1.0, "a": 0.4, "b": 2.0}, scale=3.0)
    comparison = compare_runs(run(1), later)
    assert comparison.reference == "ref"
    slower = change_of(comparison, "a")
    assert slower.finding == "slower"
    low, high = known(slower.ratio).ends
    assert low < 0.8 < high
    same = change_of(comparison, "b")
    assert same.finding == "can't tell"
    assert same.minimum_detectable_effect and 0 < same.minimum_detectable_effect < 0.05
    assert same.after.requests_per_s > 2.5 * same.before.requests_per_s
    assert change_of(comparison, "ref").finding is None


def test_compared_the_other_way_round_it_says_the_opposite() -> None:
    one, other = run(1), run(2, ratios={"ref": 1.0, "a": 0.4, "b": 2.0})
    there, back = (change_of(compare_runs(*both), "a") for both in ((one, other), (other, one)))
    assert (there.finding, back.finding) == ("slower", "faster")
    forth, turned = known(there.ratio), known(back.ratio).inverted()
    assert (forth.ratio, forth.low) == pytest.approx((turned.ratio, turned.low))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"plan": {"connections": 8}}, "connections: 64 and 8"),
        ({"connection": "close"}, "connection: keep-alive and close"),
        ({"plan": {"mode": "open", "rate": 500.0}}, "mode: closed and open; rate: None and 500.0"),
        ({"plan": {"pipeline": 4}}, "pipeline: 1 and 4"),
        ({"plan": {"workers": 2}}, "workers of ref: 1 and 2"),
        ({"solo": True, "long_blocks": 5}, "one contender up at a time: no and yes"),
        (
            {"cores": Cores(server=(0, 1), client=(2,))},
            "cores: 1 for servers, 1 for the generator and 2 for servers, 1 for the generator",
        ),
        (
            {"cores": Cores(server=(0,), client=(0,))},
            "1 for servers, 1 for the generator and 1 for servers, 1 for the generator, shared",
        ),
    ],
)
def test_runs_that_were_not_measured_alike_are_refused_with_both_values(
    changed: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadUsage) as caught:
        compare_runs(run(1), run(2, **changed))
    assert says in str(caught.value)
    assert "run-1 and run-2 were measured differently" in str(caught.value)


def test_other_workloads_are_refused() -> None:
    other = run(2)
    verdict = other.verdict.model_copy(update={"workload": "empty"})
    with pytest.raises(BadUsage, match=r"workload: hello .* empty"):
        compare_runs(run(1), Run(verdict, {}))


def test_which_core_it_was_is_no_matter() -> None:
    assert compare_runs(run(1), run(2, cores=Cores(server=(2,), client=(3,)))).reference == "ref"


def test_unlike_machines_are_refused_unless_it_is_said() -> None:
    other = run(2, machine=MACHINE.model_copy(update={"cpu_model": "another", "cpus": 8}))
    with pytest.raises(BadUsage, match=r"cpu_model: a processor .* another; cpus: 2 .* 8"):
        compare_runs(run(1), other)
    comparison = compare_runs(run(1), other, unlike_machines=True)
    assert [each.values["key"] for each in comparison.unlike] == ["cpu_model", "cpus"]


def test_a_run_is_not_compared_with_itself() -> None:
    with pytest.raises(BadUsage, match=" run-1"):
        compare_runs(run(1), run(1))


def test_the_reference_can_be_chosen_and_stands_in_both_runs() -> None:
    one, other = run(1), run(2)
    assert compare_runs(one, other, reference="b").reference == "b"
    with pytest.raises(BadUsage, match=r"^--reference: aa .* a\?"):
        compare_runs(one, other, reference="aa")


def test_the_later_runs_reference_is_taken_where_it_is_in_both() -> None:
    without = run(2, ratios={"new": 1.0, "a": 0.5, "b": 2.0})
    assert compare_runs(run(1, ratios={"b": 1.0, "a": 0.5}), without).reference == "b"
    comparison = compare_runs(run(1, ratios={"x": 1.0, "b": 2.0, "a": 0.5}), without)
    assert comparison.reference in ("a", "b"), "neither reference is in both"
    assert (comparison.only_before, comparison.only_after) == (("x",), ("new",))


def test_one_contender_in_both_has_figures_and_no_finding() -> None:
    comparison = compare_runs(run(1), run(2, ratios={"a": 1.0, "z": 2.0}))
    assert comparison.reference is None
    (alone,) = comparison.changes
    assert (alone.name, alone.finding, alone.ratio) == ("a", None, None)
    assert alone.reason == Finding.of("only_one_in_both")
    assert alone.before.requests_per_s and alone.after.requests_per_s


def test_nobody_in_both_is_refused() -> None:
    with pytest.raises(BadUsage, match=r"run-1 .*ref.*run-2"):
        compare_runs(run(1), run(2, ratios={"x": 1.0, "y": 2.0}))


def test_one_that_is_invalid_in_a_run_has_its_reason_and_no_finding() -> None:
    wrong = {"a": {"errors": {"mismatch_body": 1}}}
    comparison = compare_runs(run(1), run(2, events=wrong))
    assert change_of(comparison, "a").finding is None
    reason = change_of(comparison, "a").reason
    assert reason and reason.code == "not_valid"
    with pytest.raises(BadUsage, match=r"^--reference: a .* run-2"):
        compare_runs(run(1), run(2, events=wrong), reference="a")


def test_a_reference_that_changed_is_said() -> None:
    one, other = run(1), run(2)
    assert compare_runs(one, other).warnings == ()
    sources = other.receipts["ref"].model_copy(update={"source_sha256": "1" * 64})
    for later, finding in (
        (Run(other.verdict, {"ref": sources}), Finding.of("reference_sources", reference="ref")),
        (
            Run(renamed(other.verdict, "ref 2.0"), {}),
            Finding.of("reference_version", reference="ref", before="ref 1.0", after="ref 2.0"),
        ),
        (Run(renamed(other.verdict, ""), {}), Finding.of("reference_unknown", reference="ref")),
    ):
        assert compare_runs(one, later).warnings == (finding,)


def test_another_engine_is_said() -> None:
    other = run(2, machine=MACHINE.model_copy(update={"engine": "0.2.0"}))
    engines = Finding.of("engines_differ", before="0.1.0", after="0.2.0")
    assert compare_runs(run(1), other).warnings == (engines,)


def at(number: int, **state: float | None) -> Run:
    """A run in this state of the machine."""
    one = run(number)
    pairs = tuple(each.model_copy(update=state) for each in one.verdict.pairs)
    return Run(one.verdict.model_copy(update={"pairs": pairs}), one.receipts)


def test_another_distance_of_the_cores_is_said() -> None:
    before = at(1, core_trip_ns=85.0)
    apart = Finding.of("distances_differ", before_ns=85.0, after_ns=400.0)
    assert compare_runs(before, at(2, core_trip_ns=400.0)).warnings == (apart,)
    for near in (60.0, 110.0, None):
        assert compare_runs(before, at(2, core_trip_ns=near)).warnings == ()


def test_another_speed_of_the_core_is_said() -> None:
    before = at(1, fixed_work_us=218.0)
    slower = Finding.of("speeds_differ", before_us=218.0, after_us=304.0)
    assert compare_runs(before, at(2, fixed_work_us=304.0)).warnings == (slower,)
    for alike in (205.0, 232.0, None):
        assert compare_runs(before, at(2, fixed_work_us=alike)).warnings == ()


def test_where_long_slices_count_in_one_run_alone_it_is_said() -> None:
    long = run(2, long_blocks=10, long_ratios={"ref": 1.0, "a": 0.4, "b": 2.0})
    short = run(1, long_blocks=10)
    assert compare_runs(short, long).warnings == (Finding.of("slice_kinds_differ", name="a"),)


def renamed(verdict: Verdict, version: str) -> Verdict:
    entries = tuple(
        each.model_copy(update={"version": version}) if each.name == "ref" else each
        for each in verdict.entries
    )
    return verdict.model_copy(update={"entries": entries})


def test_a_gate_holds_one_contender_against_itself() -> None:
    later = run(2, ratios={"ref": 1.0, "a": 0.4, "b": 2.0, "new": 1.0})
    texts = ["a >= 0.95", "b >= 95%", "b >= 1", "new >= 1"]
    planned = [runs_gate(text, ("a", "b", "new")) for text in texts]
    results = compare_runs(run(1), later, gates=planned, cant_tell="fail").gates
    assert [each.outcome for each in results] == ["fails", "holds", "can't tell", "fails"]
    assert [each.passes for each in results] == [False, True, False, False]
    missing = Finding.of("absent", name="new", reason="it was not measured")
    assert results[3].reasons == (Finding.of("in_run", missing, run="run-1"),)
    with pytest.raises(BadUsage, match="--gate ref >= 1: ref "):
        compare_runs(run(1), run(2), gates=[runs_gate("ref >= 1", ("ref",))])


# How often it errs: two races each time, of servers whose truth is known.


TURNS = Drawn(draws=12, blocks=10, connections=0.003, process=0.003)
ROUNDS = Drawn(boots=10, draws=1, blocks=1, process=0.004)


def pair_of(paired: Paired) -> Pair:
    """a over b as a verdict has it."""
    pairs = family(paired, 10)
    (pair,) = standings.listed("ab", pairs, (), {}, {}, {}, {}, {}, within=None, measured_s=1.0)
    return pair


def pair(rng: np.random.Generator, truth: float, drawn: Drawn) -> Pair:
    """`a` over `b` of one race; `truth` is a's ln advantage."""
    paired = drawn.race(rng)
    paired.ln_y[:, 0] += truth
    paired.ln_y[:] += rng.normal(0, 0.5)  # Today the machine is another one.
    return pair_of(paired)


def findings(truth: float, drawn: Drawn = TURNS) -> list[str]:
    rng = np.random.default_rng(3)
    return [
        change(pair(rng, 0.3, drawn), pair(rng, 0.3 + truth, drawn))[0].told() for _ in range(RACES)
    ]


@pytest.mark.parametrize("boots", [1, 6])
def test_equal_servers_under_other_weather_changed_in_five_percent_at_most(boots: int) -> None:
    drawn = replace(TURNS, boots=boots, draws=12 // boots, boot=0.001 * (boots - 1))
    assert sum(each != "can't tell" for each in findings(0.0, drawn)) <= MOST_ERRORS


def test_a_planted_change_is_found_with_the_right_sign() -> None:
    said = findings(-0.03)
    assert said.count("slower") >= 0.9 * RACES
    assert "faster" not in said


def test_the_detectable_change_is_found_in_four_of_five_races_at_least() -> None:
    rng = np.random.default_rng(4)
    sizes = [change(pair(rng, 0.3, TURNS), pair(rng, 0.3, TURNS))[1] for _ in range(25)]
    said = findings(-log(1 + float(np.median([size for size in sizes if size]))))
    assert said.count("slower") >= binom.ppf(0.001, RACES, 0.8)


RATIOS = {"ref": 1.0, "a": 0.5}


def alone(a: float, **changed: object) -> Verdict:
    """A solo race of ten rounds, in which `a` has this ratio."""
    ratios = {"ref": 1.0, "a": a}
    return judged(Race(ratios, boots=10, blocks=0, long_blocks=1, solo=True, seed=9, **changed))  # type: ignore[arg-type]


def test_where_the_two_agree_the_solo_ratio_stands_beside_and_nothing_is_warned_of() -> None:
    race = judged(Race(RATIOS))
    entry = confirmed(race, alone(0.5)).entry("a")
    assert entry and entry.solo
    assert entry.solo_agrees is True
    low, high = entry.solo.ends
    assert low < 0.5 < high
    assert entry.solo.n == 10
    before = race.entry("a")
    assert before and entry.warnings == before.warnings
    assert (entry.ratio, entry.rank) == (before.ratio, before.rank)


def test_a_disagreement_is_a_warning_with_both_figures() -> None:
    entry = confirmed(judged(Race(RATIOS)), alone(0.4)).entry("a")
    assert entry and entry.solo
    assert entry.solo_agrees is False
    assert says(
        entry.warnings, "solo_differs", ratio=known(entry.ratio).ratio, solo_ratio=entry.solo.ratio
    )


def test_the_reference_has_nothing_to_confirm() -> None:
    entry = confirmed(judged(Race(RATIOS)), alone(0.4)).entry("ref")
    assert entry and (entry.solo, entry.solo_agrees) == (None, None)


def test_a_solo_part_that_is_not_there_or_ended_early_is_said() -> None:
    race = judged(Race(RATIOS, boots=5))
    assert codes(confirmed(race, None).warnings) == ["not_confirmed"]
    cut = alone(0.5).model_copy(update={"complete": False})
    assert codes(confirmed(race, cut).warnings) == ["solo_cut_short"]


def test_one_that_could_not_be_confirmed_says_why() -> None:
    race = judged(Race(RATIOS))
    few = judged(Race(RATIOS, boots=3, blocks=0, long_blocks=1, solo=True))
    wrong = alone(0.5, events={"a": {"errors": {"mismatch_body": 1}}})
    for solo, because in ((few, []), (wrong, ["not_valid"])):
        entry = confirmed(race, solo).entry("a")
        assert entry and entry.solo is None
        assert [codes(each.because) for each in entry.warnings] == [because]


def test_agreement_is_denied_to_what_agrees_in_five_percent_at_most() -> None:
    rng = np.random.default_rng(8)
    wrong = sum(
        change(pair_of(TURNS.race(rng)), pair_of(ROUNDS.race(rng)))[0].excludes(1)
        for _ in range(RACES)
    )
    assert wrong <= MOST_ERRORS
