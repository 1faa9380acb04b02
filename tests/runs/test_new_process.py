"""How long a new process takes to be as good as a warm one, from pairs of slices of the two."""

import random

import pytest

from bakeoff.model.cut import NewProcess
from bakeoff.runs.measuring.new_process import warm_after_ms

PAIR_MS = 40


def pairs(*stages: float, noise: float = 0.01, seed: int = 0, of: int = 6) -> tuple[float, ...]:
    """Stages of so many pairs, each so much above the warm process, in ln."""
    chance = random.Random(seed)
    return tuple(chance.gauss(stage, noise) for stage in stages for _ in range(of))


def test_one_that_is_as_good_at_once_needs_no_warm_up() -> None:
    assert warm_after_ms(NewProcess(pair_ms=PAIR_MS, time_ln=pairs(0, 0), cpu_ln=pairs(0, 0))) == 0


@pytest.mark.parametrize(("stages", "after_ms"), [((0.4, 0, 0), 240), ((0.9, 0.3, 0, 0), 480)])
def test_it_needs_as_long_as_until_two_stages_in_a_row_are_as_good(
    stages: tuple[float, ...], after_ms: int
) -> None:
    new = NewProcess(pair_ms=PAIR_MS, time_ln=pairs(*stages), cpu_ln=pairs(*stages, seed=1))
    assert warm_after_ms(new) == after_ms


def test_one_that_is_better_than_the_first_is_warm() -> None:
    better = pairs(-0.2, -0.2)
    assert warm_after_ms(NewProcess(pair_ms=PAIR_MS, time_ln=better, cpu_ln=better)) == 0


@pytest.mark.parametrize("stages", [(0.4, 0.3, 0.2, 0.1), (0.4, 0, 0.4, 0), (0,)])
def test_one_that_needs_longer_or_was_not_seen_for_two_stages_is_not_known_to_be_warm(
    stages: tuple[float, ...],
) -> None:
    assert warm_after_ms(NewProcess(pair_ms=PAIR_MS, time_ln=pairs(*stages))) is None


def test_a_warm_up_that_throughput_hides_is_seen_in_cpu_time() -> None:
    new = NewProcess(pair_ms=PAIR_MS, time_ln=pairs(0, 0, 0), cpu_ln=pairs(0.2, 0, 0))
    assert warm_after_ms(new) == 240


def test_where_wall_time_is_too_noisy_cpu_time_decides() -> None:
    wild = pairs(0.5, -0.5, 0.5, 0.5, noise=0.4)
    assert warm_after_ms(NewProcess(pair_ms=PAIR_MS, time_ln=wild, cpu_ln=pairs(0, 0, 0, 0))) == 0
    assert warm_after_ms(NewProcess(pair_ms=PAIR_MS, time_ln=wild, cpu_ln=wild)) is None


def test_slow_ones_have_three_pairs_at_least_in_a_stage() -> None:
    slow = pairs(0.4, 0, 0, of=3)
    assert warm_after_ms(NewProcess(pair_ms=160, time_ln=slow)) == 480


@pytest.mark.parametrize("noise", [0.01, 0.03, 0.08])
def test_noise_is_seldom_taken_for_a_warm_up(noise: float) -> None:
    news = [
        NewProcess(
            pair_ms=PAIR_MS,
            time_ln=pairs(0, 0, noise=2 * noise, seed=seed),
            cpu_ln=pairs(0, 0, noise=noise, seed=1000 + seed),
        )
        for seed in range(100)
    ]
    assert sum(warm_after_ms(each) != 0 for each in news) <= 8
