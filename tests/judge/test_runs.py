"""Two runs compared."""

from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from bakeoff.judge import Run, bootstrap, compare_runs, judge
from bakeoff.judge.bootstrap import replicates, sample
from bakeoff.judge.change import change
from bakeoff.judge.paired import Paired
from bakeoff.judge.simultaneous import widths
from bakeoff.model.compare import RunChange, RunsComparison
from bakeoff.model.errors import BadUsage
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores
from bakeoff.model.verdict import Pair, Verdict
from bakeoff.plan.gates import runs_gate
from tests.judge.races import MACHINE, Race
from tests.judge.test_coverage import noisy

RACES = 100
MOST_ERRORS = int(binom.ppf(0.999, RACES, 0.05))


def run(
    seed: int = 1, machine: Machine = MACHINE, plan: dict[str, Any] | None = None, **changed: Any
) -> Run:
    race = Race(**{"ratios": {"ref": 1.0, "a": 0.5, "b": 2.0}, "seed": seed, **changed})
    planned = race.plan().model_copy(update={"run": f"run-{seed}", **(plan or {})})
    verdict = judge(planned, race.receipts(), race.records(), machine, True)
    return Run(verdict, race.receipts())


def found(comparison: RunsComparison, name: str) -> RunChange:
    return next(each for each in comparison.changes if each.name == name)


def test_what_became_slower_is_found_through_any_weather() -> None:
    later = run(2, ratios={"ref": 1.0, "a": 0.4, "b": 2.0}, scale=3.0)
    comparison = compare_runs(run(1), later)
    assert comparison.reference == "ref"
    slower = found(comparison, "a")
    assert slower.finding == "slower"
    assert slower.low and slower.high and slower.low < 0.8 < slower.high
    same = found(comparison, "b")
    assert same.finding == "can't tell"
    assert same.minimum_detectable_effect and 0 < same.minimum_detectable_effect < 0.05
    assert same.after.requests_per_s > 2.5 * same.before.requests_per_s
    assert found(comparison, "ref").finding is None


def test_compared_the_other_way_round_it_says_the_opposite() -> None:
    one, other = run(1), run(2, ratios={"ref": 1.0, "a": 0.4, "b": 2.0})
    there, back = (found(compare_runs(*both), "a") for both in ((one, other), (other, one)))
    assert (there.finding, back.finding) == ("slower", "faster")
    assert there.ratio and back.ratio and there.low and back.high
    assert there.ratio == pytest.approx(1 / back.ratio)
    assert there.low == pytest.approx(1 / back.high)


def test_the_interval_adds_both_runs_uncertainties_as_squares() -> None:
    comparison = compare_runs(run(1), run(2, noise=0.05))
    each = found(comparison, "a")
    assert each.low and each.high
    squares = [
        log(side.high / side.low) ** 2
        for side in (each.before, each.after)
        if side.low and side.high
    ]
    assert len(squares) == 2
    assert log(each.high / each.low) ** 2 == pytest.approx(sum(squares))


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
    assert "run-1 and run-2 were not measured alike" in str(caught.value)


def test_other_workloads_are_refused() -> None:
    other = run(2)
    verdict = other.verdict.model_copy(update={"workload": "empty"})
    with pytest.raises(BadUsage, match="workload: hello and empty"):
        compare_runs(run(1), Run(verdict, {}))


def test_which_core_it_was_is_no_matter() -> None:
    assert compare_runs(run(1), run(2, cores=Cores(server=(2,), client=(3,)))).reference == "ref"


def test_unlike_machines_are_refused_unless_it_is_said() -> None:
    other = run(2, machine=MACHINE.model_copy(update={"cpu_model": "another", "cpus": 8}))
    with pytest.raises(BadUsage, match=r"cpu_model: a processor and another; cpus: 2 and 8"):
        compare_runs(run(1), other)
    comparison = compare_runs(run(1), other, unlike_machines=True)
    assert comparison.unlike == ("cpu_model: a processor and another", "cpus: 2 and 8")


def test_a_run_is_not_compared_with_itself() -> None:
    with pytest.raises(BadUsage, match="both are the run run-1"):
        compare_runs(run(1), run(1))


def test_the_reference_can_be_chosen_and_stands_in_both_runs() -> None:
    one, other = run(1), run(2)
    assert compare_runs(one, other, reference="b").reference == "b"
    with pytest.raises(BadUsage, match=r"--reference: aa is not in both runs; did you mean a\?"):
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
    assert "absolute throughput is all that is left" in alone.reason
    assert alone.before.requests_per_s and alone.after.requests_per_s


def test_nobody_in_both_is_refused() -> None:
    with pytest.raises(BadUsage, match=r"no contender is in both runs: run-1 has .*ref.*run-2"):
        compare_runs(run(1), run(2, ratios={"x": 1.0, "y": 2.0}))


def test_one_that_is_invalid_in_a_run_has_its_reason_and_no_finding() -> None:
    wrong = {"a": {"errors": {"mismatch_body": 1}}}
    comparison = compare_runs(run(1), run(2, events=wrong))
    assert found(comparison, "a").finding is None
    assert found(comparison, "a").reason.startswith("a is not valid: ")
    with pytest.raises(BadUsage, match="--reference: its figures don't count: a is not valid"):
        compare_runs(run(1), run(2, events=wrong), reference="a")


def test_a_reference_that_changed_is_said() -> None:
    one, other = run(1), run(2)
    assert compare_runs(one, other).warnings == ()
    sources = other.receipts["ref"].model_copy(update={"source_sha256": "1" * 64})
    (said,) = compare_runs(one, Run(other.verdict, {"ref": sources})).warnings
    assert said.startswith("ref, the reference, has other sources in the later run")
    (said,) = compare_runs(one, Run(renamed(other.verdict, "ref 2.0"), {})).warnings
    assert said.startswith("ref, the reference, is ref 1.0 in the earlier run and ref 2.0 in the")
    (said,) = compare_runs(one, Run(renamed(other.verdict, ""), {})).warnings
    assert said.startswith("nothing says whether ref, the reference, is the same program")


def test_another_engine_is_said() -> None:
    other = run(2, machine=MACHINE.model_copy(update={"engine": "0.2.0"}))
    (said,) = compare_runs(run(1), other).warnings
    assert said.startswith("the load came from the engine 0.1.0 in the earlier run and 0.2.0 in")


def test_where_long_slices_count_in_one_run_alone_it_is_said() -> None:
    long = run(2, long_blocks=10, long_ratios={"ref": 1.0, "a": 0.4, "b": 2.0})
    short = run(1, long_blocks=10)
    (said,) = compare_runs(short, long).warnings
    assert said.startswith("a: the figure of long slices counts in one run")


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
    assert results[3].reason == "run-1: new did not take part: it was not measured"
    with pytest.raises(BadUsage, match="ref is the reference: its own change can't be seen"):
        compare_runs(run(1), run(2), gates=[runs_gate("ref >= 1", ("ref",))])


# How often it errs: two races each time, of servers whose truth is known.


def pair(rng: np.random.Generator, truth: float, boots: int, seed: int) -> Pair:
    """`a` over `b` of one race of three; `truth` is a's ln advantage. Weather drifts within."""
    paired: Paired = noisy(rng, boots, 50, 3, 0.003)
    paired.ln_y[:, 0] += truth
    paired.ln_y[:] += rng.normal(0, 0.5)  # Today the machine is another one.
    samples = [sample(paired, a, b, False) for a, b in combinations(paired.names, 2)]
    width = widths(replicates(paired, samples, seed), tuple(each.n for each in samples))[0]
    found = samples[0]
    return Pair(
        a="a",
        b="b",
        ratio=np.exp(found.estimate),
        low=np.exp(found.estimate - width.simultaneous),
        high=np.exp(found.estimate + width.simultaneous),
        n=found.n,
        finding="can't tell",
        equivalent=False,
        minimum_detectable_effect=width.detectable,
    )


def findings(truth: float, boots: int) -> list[str]:
    rng = np.random.default_rng(3)
    return [
        change(pair(rng, 0.3, boots, race), pair(rng, 0.3 + truth, boots, race)).finding
        for race in range(RACES)
    ]


@pytest.fixture
def fewer_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quantile from 400 replicates varies by 4 %; enough here, and five times as fast."""
    monkeypatch.setattr(bootstrap, "REPLICATES", 400)


@pytest.mark.usefixtures("fewer_replicates")
@pytest.mark.parametrize("boots", [1, 3])
def test_equal_servers_under_other_weather_changed_in_five_percent_at_most(boots: int) -> None:
    assert sum(each != "can't tell" for each in findings(0.0, boots)) <= MOST_ERRORS


@pytest.mark.usefixtures("fewer_replicates")
def test_a_planted_change_is_found_with_the_right_sign() -> None:
    said = findings(-0.05, 3)
    assert said.count("slower") >= 0.9 * RACES
    assert "faster" not in said


@pytest.mark.usefixtures("fewer_replicates")
def test_the_detectable_change_is_found_in_four_of_five_races_at_least() -> None:
    rng = np.random.default_rng(4)
    size = change(pair(rng, 0.3, 3, 1), pair(rng, 0.3, 3, 2)).detectable
    assert findings(-log(1 + size), 3).count("slower") >= binom.ppf(0.001, RACES, 0.8)
