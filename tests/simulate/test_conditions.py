"""Conditions that are taken from a run are those that the run met."""

from math import log
from statistics import median

import pytest

from bakeoff.judge import judge
from bakeoff.model.errors import BadUsage
from bakeoff.model.simulation import Conditions
from bakeoff.model.verdict import Verdict
from bakeoff.simulate import USUAL, Size, conditions_of, conditions_of_past, plan_of, records_of
from bakeoff.simulate.race import MACHINE, PLANTED, REFERENCE
from bakeoff.simulate.study import race

SIZE = Size(effect=0.05, contenders=2, duration_s=30, boots=3)
PLAN = plan_of(SIZE, USUAL, 1)
RECORDS = records_of(PLAN, SIZE, USUAL)
FOUND = conditions_of(PLAN, RECORDS)


@pytest.mark.parametrize(
    ("figure", "within"),
    [("drift_sd", 0.4), ("requests_per_s", 0.1), ("gap_ms", 0.01), ("steals_per_s", 0.5)],
)
def test_a_simulated_runs_conditions_are_found_again(figure: str, within: float) -> None:
    assert getattr(FOUND, figure) == pytest.approx(getattr(USUAL, figure), rel=within)


def test_races_under_the_conditions_found_are_judged_as_closely_as_under_the_true_ones() -> None:
    def half_width(conditions: Conditions) -> float:
        size = Size(effect=0.0, contenders=2, duration_s=10, boots=1)
        widths = [race(size, conditions, seed).half_width for seed in range(7)]
        return median(each for each in widths if each)

    assert half_width(FOUND) == pytest.approx(half_width(USUAL), rel=0.4)


def test_connections_and_whether_processes_last_are_the_runs_own() -> None:
    assert (FOUND.connections, FOUND.lasting) == (USUAL.connections, False)
    lasting = USUAL.model_copy(update={"lasting": True})
    assert conditions_of(PLAN, records_of(PLAN, SIZE, lasting)).lasting


def test_a_noisier_run_has_noisier_conditions() -> None:
    noisy = USUAL.model_copy(update={"slice_sd": 0.1, "boot_sd": 0.05})
    found = conditions_of(PLAN, records_of(PLAN, SIZE, noisy))
    assert found.slice_sd == pytest.approx(0.1, rel=0.2)
    assert found.boot_sd > 4 * FOUND.boot_sd


def test_a_run_with_too_few_blocks_is_refused() -> None:
    with pytest.raises(BadUsage, match=r" 16 .* 30 blocks"):
        conditions_of(PLAN, RECORDS[:20])


def verdicts(n: int, **changed: object) -> list[Verdict]:
    """Of so many races under the usual conditions but for those `changed`."""
    size, conditions = Size(0.05, 2, 10, 1), USUAL.model_copy(update=changed)
    plans = [plan_of(size, conditions, seed) for seed in range(n)]
    return [
        judge(plan, {}, records_of(plan, size, conditions), MACHINE, complete=True)
        for plan in plans
    ]


def test_a_history_predicts_the_width_of_its_own_races() -> None:
    past = verdicts(5)
    found = conditions_of_past(past)
    assert found and not found.lasting
    assert found.source == "this machine's history, 5 ratios of all contenders"
    size = Size(effect=0.0, contenders=2, duration_s=10, boots=1)
    predicted = [race(size, found, seed).half_width or 0.0 for seed in range(5)]
    seen = [
        log(pair.ratio.high / pair.ratio.low) / 2
        for each in past
        for pair in each.pairs
        if pair.ratio.high and pair.ratio.low
    ]
    assert median(predicted) == pytest.approx(median(seen), rel=0.4)


def test_a_pair_has_its_own_races_of_the_history() -> None:
    past = verdicts(1)
    assert conditions_of_past(past, (PLANTED, REFERENCE))
    assert conditions_of_past(past, (PLANTED, "another")) is None
    assert conditions_of_past([]) is None


def test_a_history_of_lasting_processes_predicts_lasting_ones() -> None:
    found = conditions_of_past(verdicts(1, lasting=True))
    assert found and found.lasting
