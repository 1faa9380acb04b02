"""Many simulated load generators: together they are one, and what they lose is told."""

import numpy as np
import pytest

from bakeoff.judge import judge
from bakeoff.judge.loaders import spoiled
from bakeoff.model.samples import Block
from bakeoff.model.simulation import Conditions
from bakeoff.simulate import USUAL, Size, over_a_network, plan_of, records_of
from bakeoff.simulate.race import MACHINE
from bakeoff.simulate.study import race

SIZE = Size(effect=0.0, contenders=2, duration_s=10.0, boots=1)


def blocks_of(given: Conditions, seed: int = 1) -> list[Block]:
    plan = plan_of(SIZE, given, seed)
    return [each for each in records_of(plan, SIZE, given) if isinstance(each, Block)]


def test_together_they_measure_what_was_answered() -> None:
    for block in blocks_of(over_a_network(USUAL, loaders=5, connections=64)):
        for slice_ in block.slices:
            shares = slice_.loaders
            assert sum(each.connections for each in shares) == 64
            assert [each.connections for each in shares] == [13, 13, 13, 13, 12]
            assert slice_.event.requests == sum(each.event.requests for each in shares)
            assert slice_.event.latency_count == slice_.event.requests


def test_clocks_that_are_off_widen_the_window_of_all_and_no_ratio() -> None:
    # Of two races with unlike weather one would be ahead by that.
    exact = over_a_network(USUAL, loaders=8, drift_sd=0.0)
    off = over_a_network(USUAL, loaders=8, drift_sd=0.0, clock_error_us=2000.0)

    def mean_rate(given: Conditions) -> float:
        return float(np.mean([s.event.requests_per_s for b in blocks_of(given) for s in b.slices]))

    # The latest of eight uniform errors is 7/9 of the bound ahead of their mean: 1.6 of 100 ms.
    assert mean_rate(off) > 1.005 * mean_rate(exact)
    plan = plan_of(SIZE, off, 3)
    verdict = judge(plan, {}, records_of(plan, SIZE, off), MACHINE, complete=True)
    (pair,) = verdict.pairs
    assert pair.low and pair.high and pair.low < 1 < pair.high


def test_late_starts_cost_blocks_by_how_many_generators_there_are() -> None:
    def share(loaders: int) -> float:
        blocks = blocks_of(over_a_network(USUAL, loaders=loaders, late_share=0.03))
        return len(spoiled(blocks)) / len(blocks)

    assert share(2) < share(16)
    # With 16, a block of two slices has all on time in 0.97^32 of the cases, 38 %; a third of those
    # who are late are late by less than matters.
    assert share(16) > 0.3


def test_a_generator_that_is_lost_is_told_and_the_race_goes_on() -> None:
    given = over_a_network(USUAL, loaders=8, losses_per_hour=1500.0)
    blocks = blocks_of(given)
    lost = {name for block in blocks for slice_ in block.slices for name in slice_.lost}
    assert lost
    assert len(blocks[-1].slices[-1].loaders) == 8 - len(lost)
    assert spoiled(blocks)


def test_a_million_connections_ask_for_slices_of_seconds() -> None:
    given = over_a_network(USUAL, loaders=64, connections=1_000_000, requests_per_s=1e6)
    assert (given.short_ms, given.ramp_ms) == (4000, 1000)
    assert over_a_network(USUAL, loaders=2).short_ms == 100


def test_what_it_costs_is_counted() -> None:
    outcome = race(SIZE, over_a_network(USUAL, loaders=3), 1)
    assert outcome.scale
    assert outcome.scale.merge_ms > 0 and outcome.scale.judge_s > 0
    assert outcome.scale.samples_mib > 0 and outcome.scale.memory_mib > 10
    assert race(SIZE, USUAL, 1).scale is None


@pytest.mark.parametrize("seed", [1, 2])
def test_the_seed_decides(seed: int) -> None:
    given = over_a_network(USUAL, loaders=3, late_share=0.1, losses_per_hour=600.0)
    assert blocks_of(given, seed) == blocks_of(given, seed)
