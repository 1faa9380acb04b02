"""The parts of the comparison, each against its definition or against scipy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import t, trim_mean
from scipy.stats.mstats import trimmed_mean_ci

from bakeoff.judge import boot_spread
from bakeoff.judge.bootstrap import replicates, sample
from bakeoff.judge.equivalence import equivalent
from bakeoff.judge.letters import letters
from bakeoff.judge.paired import Paired
from bakeoff.judge.ranks import rank_ranges
from bakeoff.judge.robust import influence, trimmed_mean
from bakeoff.judge.simultaneous import detectable, widths
from bakeoff.judge.vectors import Floats

values = arrays.arrays(np.float64, st.integers(1, 60), elements=st.floats(-5, 5))


@given(values)
def test_trimmed_mean_is_scipys(given_values: Floats) -> None:
    assert trimmed_mean(given_values) == pytest.approx(trim_mean(given_values, 0.2), abs=1e-12)


@given(values)
def test_influence_sums_to_zero(given_values: Floats) -> None:
    assert influence(given_values).sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("n", [15, 40, 400])
def test_one_pair_without_boots_has_the_t_interval_of_a_trimmed_mean(n: int) -> None:
    d = np.random.default_rng(n).standard_normal(n) * 0.03
    paired = Paired(("a", "b"), np.arange(n), np.stack([d, np.zeros(n)], axis=1))
    one = sample(paired, "a", "b", boots_are_blocks=True)
    width = widths(replicates(paired, [one], seed=3), (n,))[0]
    low, high = trimmed_mean_ci(d, limits=(0.2, 0.2), alpha=0.05)
    assert one.estimate == pytest.approx((low + high) / 2)
    assert width.alone == pytest.approx((high - low) / 2, rel=0.12)
    assert width.simultaneous == width.alone


def test_many_equal_pairs_widen_the_interval_as_tukeys_range_does() -> None:
    """Six entries: Tukey's q(.95; 6, ∞)/√2 is 2.85, against 1.96 for one pair."""
    n, names = 600, tuple("abcdef")
    noise = np.random.default_rng(1).standard_normal((n, 6))
    paired = Paired(names, np.arange(n), noise)
    samples = [sample(paired, a, b, boots_are_blocks=True) for a, b in combinations(names, 2)]
    width = widths(replicates(paired, samples, seed=1), (n,) * 15)[0]
    assert width.simultaneous / width.alone == pytest.approx(2.85 / 1.96, rel=0.05)


def test_one_boot_leaves_the_prior_and_agreeing_boots_narrow_it() -> None:
    error = np.array([1e-8])
    prior = boot_spread.posterior(np.array([0.1]), error)
    close = boot_spread.posterior(np.array([0.1, 0.1, 0.1]), error.repeat(3))
    apart = boot_spread.posterior(np.array([0.08, 0.1, 0.12]), error.repeat(3))
    medians = [boot_spread.draw(each, np.array([0.5]))[0] for each in (close, prior, apart)]
    assert medians == sorted(medians)
    assert medians[0] < 0.001 and medians[2] > 0.015


def test_detectable_effect_is_the_formula_for_one_pair() -> None:
    n, s = 50, 0.02
    error = s / np.sqrt(n)
    expected = np.expm1((t.ppf(0.975, n - 1) + t.ppf(0.8, n - 1)) * error)
    assert detectable(t.ppf(0.975, n - 1) * error, 1.0, n) == pytest.approx(expected)


def test_equivalence_needs_the_whole_interval_within_two_percent() -> None:
    assert equivalent(0.005, 0.01)
    assert not equivalent(0.015, 0.01)
    assert equivalent(-0.005, 0.01) == equivalent(0.005, 0.01)


@st.composite
def relations(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, str]]]:
    """Names in order, and pairs (faster, slower) that can be told apart."""
    names = [f"e{i}" for i in range(draw(st.integers(1, 7)))]
    pairs = list(combinations(names, 2))
    return names, [pair for pair in pairs if draw(st.booleans())]


@given(relations())
@settings(max_examples=100)
def test_a_letter_is_shared_exactly_where_no_difference_was_found(
    relation: tuple[list[str], list[tuple[str, str]]],
) -> None:
    names, faster = relation
    shown = letters(names, {frozenset(pair) for pair in faster})
    for pair in combinations(names, 2):
        assert bool(set(shown[pair[0]]) & set(shown[pair[1]])) == (pair not in faster)
    assert "a" in shown[names[0]]


@given(relations())
def test_ranks_count_who_is_surely_ahead_and_behind(
    relation: tuple[list[str], list[tuple[str, str]]],
) -> None:
    names, faster = relation
    ranks = rank_ranges(names, faster)
    for name, (best, worst) in ranks.items():
        assert 1 <= best <= worst <= len(names)
        assert best == 1 + sum(slower == name for _, slower in faster)
        assert worst == len(names) - sum(quicker == name for quicker, _ in faster)
