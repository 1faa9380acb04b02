"""Conditions that are taken from a run are those that the run met."""

from statistics import median

import pytest

from bakeoff.model.cut import SliceLengths
from bakeoff.model.errors import BadUsage
from bakeoff.model.simulation import Conditions
from bakeoff.plan.schedule import slice_lengths
from bakeoff.simulate import USUAL, Size, conditions_of, plan_of, records_of
from bakeoff.simulate.study import race

SIZE = Size(effect=0.05, contenders=2, duration_s=30, boots=3)
PLAN = plan_of(SIZE, USUAL, 1)
RECORDS = records_of(PLAN, SIZE, USUAL)
FOUND = conditions_of(PLAN, RECORDS)


@pytest.mark.parametrize(
    ("figure", "within"),
    [
        ("drift_sd", 0.4),
        ("requests_per_s", 0.1),
        ("gap_ms", 0.01),
        ("steals_per_s", 0.5),
    ],
)
def test_a_simulated_runs_conditions_are_found_again(figure: str, within: float) -> None:
    assert getattr(FOUND, figure) == pytest.approx(getattr(USUAL, figure), rel=within)


def test_races_under_the_conditions_found_are_judged_as_closely_as_under_the_true_ones() -> None:
    def half_width(conditions: Conditions) -> float:
        size = Size(effect=0.0, contenders=2, duration_s=8, boots=3)
        widths = [race(size, conditions, seed).half_width for seed in range(5)]
        return median(each for each in widths if each)

    assert half_width(FOUND) == pytest.approx(half_width(USUAL), rel=0.3)


def test_slices_and_connections_are_the_runs_own() -> None:
    for key in ("short_ms", "long_ms", "ramp_ms", "connections"):
        assert getattr(FOUND, key) == getattr(USUAL, key)


def test_usual_slices_are_those_that_a_race_gives_such_a_server() -> None:
    latency_us = 1e6 * USUAL.connections / USUAL.requests_per_s
    lengths = slice_lengths(USUAL.requests_per_s, latency_us)
    usual = SliceLengths(short_ms=USUAL.short_ms, long_ms=USUAL.long_ms, ramp_ms=USUAL.ramp_ms)
    assert usual == lengths


def test_a_noisier_run_has_noisier_conditions() -> None:
    noisy = USUAL.model_copy(update={"slice_sd": 0.1, "boot_sd": 0.05})
    found = conditions_of(PLAN, records_of(PLAN, SIZE, noisy))
    assert found.slice_sd == pytest.approx(0.1, rel=0.2)
    assert found.boot_sd > 4 * FOUND.boot_sd


def test_a_run_with_too_few_blocks_is_refused() -> None:
    with pytest.raises(BadUsage, match="has 16 of the 30 blocks that are needed"):
        conditions_of(PLAN, RECORDS[:20])
