"""The judge judged: how often it errs on races whose truth is known.

A short form of the study whose figures stand in docs/EVIDENCE.md. Bounds are the 99.9 % points
of the binomial distribution at the promised 5 %, so a sound judge fails these about never, and one
that errs twice as often fails most of the time.
"""

import numpy as np
import pytest
from scipy.stats import binom

from bakeoff.judge.compare import family
from tests.judge.levels import Drawn, tried
from tests.judge_bench.anytime import ended_after, simulated

RACES = 200
MOST_ERRORS = int(binom.ppf(0.999, RACES, 0.05))
SPREADS = [0.0, 0.003, 0.02]


@pytest.mark.parametrize("sd", SPREADS)
def test_new_processes_in_each_draw_may_differ_by_as_much_as_they_like(sd: float) -> None:
    drawn = Drawn(draws=13, blocks=12, connections=sd, process=sd)
    assert tried(drawn, RACES, seed=1).missed <= MOST_ERRORS


@pytest.mark.parametrize("sd", SPREADS)
@pytest.mark.parametrize("instances", [2, 4])
def test_processes_that_take_turns_may_differ_too(instances: int, sd: float) -> None:
    drawn = Drawn(draws=16, blocks=8, instances=instances, connections=0.003, process=sd)
    assert tried(drawn, RACES, seed=2).missed <= MOST_ERRORS


@pytest.mark.parametrize("sd", SPREADS)
@pytest.mark.parametrize("boots", [5, 8])
def test_and_so_may_five_boots_and_more(boots: int, sd: float) -> None:
    drawn = Drawn(boots=boots, draws=4, blocks=8, process=0.003, boot=sd)
    assert tried(drawn, RACES, seed=3).missed <= MOST_ERRORS


@pytest.mark.parametrize("boots", [2, 3, 4])
def test_boots_that_do_not_differ_hardly_widen_an_interval(boots: int) -> None:
    one, several = (
        tried(Drawn(boots=n, draws=24 // n, blocks=16, process=0.005), RACES, seed=8)
        for n in (1, boots)
    )
    assert several.missed <= MOST_ERRORS
    assert several.alone < 1.1 * one.alone


@pytest.mark.parametrize("noisier", [1.0, 4.0])
def test_no_pair_of_four_equal_servers_is_called_different_in_more_than_five_percent(
    noisier: float,
) -> None:
    drawn = Drawn(entries=4, draws=13, blocks=6, process=0.005, noisier=noisier)
    assert tried(drawn, RACES, seed=4).missed <= MOST_ERRORS


def test_draws_of_unequal_length_are_no_excuse() -> None:
    """A boot in which the host took most blocks of some draws away."""
    rng = np.random.default_rng(5)
    missed = 0
    for _ in range(RACES):
        race = Drawn(draws=12, blocks=12, process=0.005).race(rng)
        race.ln_y[(race.draw % 3 == 0) & (rng.random(len(race.draw)) < 0.8)] = np.nan
        compared = family(race, 10)[frozenset("ab")]
        missed += abs(compared.estimate.centre) > compared.width.simultaneous
    assert missed <= MOST_ERRORS


def test_a_neighbour_that_slows_every_third_slice_neither_fools_nor_blinds() -> None:
    calm, rough = (
        tried(Drawn(draws=20, blocks=20, neighbour=share), RACES, seed=7) for share in (0.0, 0.3)
    )
    assert rough.missed <= MOST_ERRORS
    assert rough.alone < 3 * calm.alone


def test_more_draws_narrow_an_interval_and_longer_ones_hardly_do() -> None:
    few, more, longer = (
        tried(Drawn(draws=draws, blocks=blocks, process=0.01), 60, seed=6).alone
        for draws, blocks in ((8, 20), (32, 20), (8, 80))
    )
    assert more < 0.55 * few
    assert longer > 0.8 * few


@pytest.mark.parametrize("instances", [None, 4])
def test_races_of_equals_that_end_when_they_are_decided_err_as_seldom(
    instances: int | None,
) -> None:
    """Judged after each of 16 draws; with Student's quantile one in five ends with a finding."""
    rng = np.random.default_rng(9)
    drawn = Drawn(draws=16, blocks=8, instances=instances, process=0.01)
    ended = sum(ended_after(simulated(drawn, rng)) is not None for _ in range(RACES))
    assert ended <= MOST_ERRORS
