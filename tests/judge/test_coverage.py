"""The judge judged: how often it errs on races whose truth is known.

A short form of the study whose figures stand in bakeoff/judge/boot_spread.py. Bounds are the
99.9 % points of the binomial distribution at the promised 5 %, so a sound judge fails these about
never, and a judge that errs twice as often fails most of the time.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import binom

from bakeoff.judge import bootstrap
from bakeoff.judge.bootstrap import replicates, sample
from bakeoff.judge.paired import Paired
from bakeoff.judge.simultaneous import widths
from bakeoff.judge.vectors import Floats

RACES = 100
MOST_ERRORS = int(binom.ppf(0.999, RACES, 0.05))


@pytest.fixture(autouse=True)
def fewer_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quantile from 400 replicates varies by 4 %; enough here, and five times as fast."""
    monkeypatch.setattr(bootstrap, "REPLICATES", 400)


def noisy(
    rng: np.random.Generator, boots: int, blocks: int, entries: int, boot_sd: float
) -> Paired:
    """Equal servers: heavy tails, a drifting machine, and a boot's own deviation per pair."""
    n = boots * blocks
    boot = np.repeat(np.arange(boots), blocks)
    tails = rng.standard_t(4, (n, entries)) * 0.015
    shifts = rng.normal(0, boot_sd / np.sqrt(2), (boots, entries))[boot]
    drift = weather(rng, n, entries)
    return Paired(tuple("abcdef"[:entries]), boot, tails + shifts + drift)


def weather(rng: np.random.Generator, blocks: int, entries: int) -> Floats:
    """The machine's speed: AR(1) from slice to slice, sd 5 %, met in random order."""
    steps = rng.normal(0, 0.05 * np.sqrt(1 - 0.95**2), blocks * entries)
    speed: Floats = lfilter([1], [1, -0.95], steps).reshape(blocks, entries)
    return rng.permuted(speed, axis=1)


def errors(boots: int, blocks: int, entries: int, boot_sd: float, truth: float = 0.0) -> int:
    """In how many of the races some interval misses the truth: `truth` is a's ln advantage."""
    rng = np.random.default_rng(11)
    missed = 0
    for race in range(RACES):
        paired = noisy(rng, boots, blocks, entries, boot_sd)
        paired.ln_y[:, 0] += truth
        samples = [sample(paired, a, b, False) for a, b in combinations(paired.names, 2)]
        found = widths(replicates(paired, samples, race), tuple(each.n for each in samples))
        missed += any(
            abs(each.estimate - (truth if each.a == "a" else 0.0)) > width.simultaneous
            for each, width in zip(samples, found, strict=True)
        )
    return missed


@pytest.mark.parametrize("boots", [1, 2, 3])
@pytest.mark.parametrize("boot_sd", [0.0, 0.003])
def test_equal_servers_are_called_different_in_five_percent_at_most(
    boots: int, boot_sd: float
) -> None:
    assert errors(boots, 50, 2, boot_sd) <= MOST_ERRORS


def test_no_pair_of_four_equal_servers_is_called_different_in_more_than_five_percent() -> None:
    assert errors(3, 30, 4, 0.003) <= MOST_ERRORS


def test_a_planted_difference_is_within_its_interval() -> None:
    assert errors(3, 40, 3, 0.003, truth=0.05) <= MOST_ERRORS


def test_resampling_a_few_boots_would_break_the_promise() -> None:
    """The canary: a plain hierarchical bootstrap of 2 boots fails the check that ours passes."""
    rng = np.random.default_rng(5)
    missed = 0
    for _ in range(RACES):
        centres = rng.normal(0, 0.003, 2) + rng.normal(0, 0.0017, 2)
        drawn = rng.choice(centres, size=(500, 2)).mean(axis=1) + rng.normal(0, 0.0012, 500)
        low, high = np.quantile(drawn, (0.025, 0.975))
        missed += not low <= 0 <= high
    assert missed > MOST_ERRORS
