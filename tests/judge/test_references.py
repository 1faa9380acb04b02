"""Our statistics against those of scipy, statsmodels and numpy, on the same random input.

Where theirs is exact and ours drawn, the tolerance is that of the draws: the 95 % quantile of
2,000 replicates varies by 2 % (one sd); the mean of ten such by 0.7 %.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import integrate
from scipy.stats import multivariate_normal, norm, t, ttest_ind
from scipy.stats.mstats import trimmed_mean_ci, trimmed_stde
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from bakeoff.judge import boot_spread, robust
from bakeoff.judge.bootstrap import Sample, replicates, sample
from bakeoff.judge.compare import compare
from bakeoff.judge.equivalence import MARGIN, equivalent
from bakeoff.judge.latency import merge
from bakeoff.judge.letters import letters
from bakeoff.judge.paired import Paired, pair_up
from bakeoff.judge.robust import degrees_of_freedom
from bakeoff.judge.simultaneous import Width, detectable, widths
from bakeoff.judge.vectors import Floats
from bakeoff.model.samples import Block
from tests.judge.races import Race, encoded, event

PAIR = frozenset("ab")


@pytest.fixture
def untrimmed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The limit in which our statistics are those of the plain mean."""
    monkeypatch.setattr(robust, "TRIM", 0.0)
    yield


def log_ratios(d: Floats, boot: Floats | None = None) -> Paired:
    """Two entries whose throughputs differ by `d`, all in one boot unless said."""
    boots = np.zeros(len(d)) if boot is None else boot
    return Paired(("a", "b"), boots.astype(np.int64), np.stack([d, np.zeros(len(d))], axis=1))


def without_boot_spread(paired: Paired) -> Sample:
    """The pair, told that processes of one program do not differ at all."""
    found = sample(paired, "a", "b", boots_are_blocks=False)
    assert found.spread is not None
    none = np.zeros_like(found.spread)
    none[0] = 1
    return replace(found, spread=none)


def mean_width(paired: Paired, one: Sample) -> Width:
    """Over ten seeds."""
    drawn = [widths(replicates(paired, [one], seed), (one.n,))[0] for seed in range(10)]
    return Width(
        alone=float(np.mean([each.alone for each in drawn])),
        simultaneous=float(np.mean([each.simultaneous for each in drawn])),
        one_sided=float(np.mean([each.one_sided for each in drawn])),
        detectable=float(np.mean([each.detectable for each in drawn])),
    )


@given(arrays.arrays(np.float64, st.integers(2, 60), elements=st.floats(-5, 5, width=32)))
def test_the_standard_error_is_tukeys_and_mclaughlins(d: Floats) -> None:
    one = sample(log_ratios(d), "a", "b", boots_are_blocks=True)
    assert one.standard_error == pytest.approx(float(trimmed_stde(d, (0.2, 0.2))), abs=1e-12)


@pytest.mark.parametrize("n", [12, 30, 200])
@pytest.mark.parametrize("boots_are_blocks", [True, False])
def test_one_pair_in_one_boot_has_the_interval_of_trimmed_t(n: int, boots_are_blocks: bool) -> None:
    """Yuen's: t with as many degrees of freedom as values are left, less one."""
    d = np.random.default_rng(n).standard_normal(n) * 0.03 + 0.01
    paired = log_ratios(d)
    one = sample(paired, "a", "b", True) if boots_are_blocks else without_boot_spread(paired)
    low, high = trimmed_mean_ci(d, limits=(0.2, 0.2), alpha=0.05)
    assert one.estimate == pytest.approx((low + high) / 2)
    assert mean_width(paired, one).alone == pytest.approx((high - low) / 2, rel=0.04)


def test_boots_that_differ_have_the_interval_within_them(untrimmed: None) -> None:
    """Three boots apart by more than their noise: the residuals' t interval, n − 3 degrees."""
    rng = np.random.default_rng(4)
    boot = np.repeat([0, 1, 2], 10)
    d = rng.standard_normal(30) * 0.01 + np.array([0.0, 0.5, -0.3])[boot]
    residuals = d - np.array([d[boot == each].mean() for each in range(3)])[boot]
    error = np.sqrt((residuals**2).sum() / 27 / 30)
    one = without_boot_spread(log_ratios(d, boot))
    assert one.standard_error == pytest.approx(error)
    width = mean_width(log_ratios(d, boot), one)
    assert width.alone == pytest.approx(t.ppf(0.975, 27) * error, rel=0.03)
    assert width.one_sided == pytest.approx(t.ppf(0.95, 27) * error, rel=0.03)


@pytest.mark.parametrize(("n", "cut"), [(4, 0), (5, 1), (9, 1), (10, 2), (100, 20)])
def test_degrees_of_freedom_are_the_values_left_less_the_centres(n: int, cut: int) -> None:
    assert degrees_of_freedom(n, 1) == n - 2 * cut - 1
    assert degrees_of_freedom(n, n) == 1, "never none"


def test_equivalent_is_what_two_one_sided_t_tests_say(untrimmed: None) -> None:
    """On 120 samples from clearly equal to clearly not; where the draws could decide it, no."""
    rng = np.random.default_rng(8)
    margin, decided = np.log1p(MARGIN), {True: 0, False: 0}
    for centre in np.linspace(-0.03, 0.03, 120):
        d = rng.standard_normal(40) * 0.03 + centre
        p, *_ = ttost_paired(d, np.zeros(40), -margin, margin)
        if 0.03 < p < 0.07:
            continue
        paired = log_ratios(d)
        one = sample(paired, "a", "b", boots_are_blocks=True)
        width = widths(replicates(paired, [one], seed=1), (40,))[0]
        assert equivalent(one.estimate, width.one_sided) == (p < 0.05)
        decided[bool(p < 0.05)] += 1
    assert min(decided.values()) > 20


@pytest.mark.parametrize("n", [15, 40, 300])
def test_the_detectable_effect_has_the_power_that_statsmodels_computes(n: int) -> None:
    """The sum of two t quantiles is within 1.5 % of the exact noncentral t."""
    error = 0.02 / np.sqrt(n)
    found = np.log1p(detectable(float(t.ppf(0.975, n - 1)) * error, 1.0, n))
    exact = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8) * 0.02
    assert found == pytest.approx(exact, rel=0.015)


@pytest.mark.parametrize("pairs", [1, 2, 3])
def test_simultaneous_intervals_hold_for_all_pairs_at_once(pairs: int) -> None:
    """Of jointly normal pairs of any correlation and scale, by scipy's multivariate normal."""
    rng = np.random.default_rng(pairs)
    factor = rng.standard_normal((pairs, pairs)) * rng.uniform(0.1, 10, pairs)[:, None]
    covariance = factor @ factor.T
    moved = rng.standard_normal((20_000, pairs)) @ factor.T
    found = widths(moved, (100,) * pairs)
    within = np.array([each.simultaneous for each in found])
    together = multivariate_normal.cdf(within, cov=covariance, lower_limit=-within)
    assert together == pytest.approx(0.95, abs=0.01)
    for each, sd in zip(found, np.sqrt(np.diag(covariance)), strict=True):
        assert each.alone == pytest.approx(norm.ppf(0.975) * sd, rel=0.04)
        assert each.one_sided == pytest.approx(norm.ppf(0.95) * sd, rel=0.04)


@pytest.mark.parametrize("pairs", [2, 5, 15])
def test_independent_pairs_have_sidaks_interval_and_like_ones_their_own(pairs: int) -> None:
    moved = np.random.default_rng(pairs).standard_normal((20_000, pairs))
    sidak = norm.ppf((1 + 0.95 ** (1 / pairs)) / 2) / norm.ppf(0.975)
    apart = widths(moved, (50,) * pairs)[0]
    assert apart.simultaneous / apart.alone == pytest.approx(sidak, rel=0.02)
    alike = widths(moved[:, :1].repeat(pairs, axis=1), (50,) * pairs)[0]
    assert alike.simultaneous == alike.alone


def integrated(at: float, centres: Floats, errors: Floats) -> float:
    """The density of τ up to a factor: half-t prior, the mean integrated out numerically."""
    sd = np.sqrt(at**2 + errors**2)
    reach = 9 * sd.max()
    mean = np.linspace(centres.min() - reach, centres.max() + reach, 1001)
    joint = norm.pdf(centres[:, None], mean, sd[:, None]).prod(axis=0)
    prior = t.pdf(at / boot_spread.PRIOR_SCALE, boot_spread.PRIOR_DEGREES)
    return float(integrate.simpson(joint, x=mean) * prior)


@pytest.mark.parametrize(
    ("centres", "errors"),
    [
        ([0.1, 0.101], [0.0017, 0.0017]),
        ([0.1, 0.11, 0.095], [0.002, 0.001, 0.004]),
        ([0.0, 0.03], [0.001, 0.001]),
        ([0.0, 0.001, 0.0, -0.001, 0.0005], [0.001] * 5),
    ],
)
def test_the_boots_spread_is_the_posterior_by_numerical_integration(
    centres: list[float], errors: list[float]
) -> None:
    y, s = np.array(centres), np.array(errors)
    grid = np.concatenate([[0], np.geomspace(1e-5, 0.5, 400)])
    density = np.array([integrated(each, y, s) for each in grid])
    cumulated = integrate.cumulative_trapezoid(density, grid, initial=0)
    exact = np.interp([0.1, 0.5, 0.9, 0.975], cumulated / cumulated[-1], grid)
    drawn = boot_spread.draw(boot_spread.posterior(y, s**2), np.array([0.1, 0.5, 0.9, 0.975]))
    assert drawn == pytest.approx(exact, rel=0.01, abs=2.5e-5)


def test_one_boot_leaves_the_half_t_prior() -> None:
    prior = boot_spread.posterior(np.array([0.3]), np.array([1e-6]))
    at = np.array([0.05, 0.5, 0.9])
    expected = t.ppf((1 + at) / 2, boot_spread.PRIOR_DEGREES) * boot_spread.PRIOR_SCALE
    assert boot_spread.draw(prior, at) == pytest.approx(expected, rel=0.01, abs=2.5e-5)


def race_of(seed: int) -> list[Block]:
    """One boot, more noise in its few long slices than in its many short ones, and a gap."""
    gap = 1 + 0.01 * (seed % 6)
    race = Race(
        {"a": 1.0, "b": 1.0},
        boots=1,
        blocks=25,
        long_blocks=8 + seed % 3,
        long_ratios={"b": gap},
        noise=0.02,
        seed=seed,
    )
    return [record for record in race.records() if isinstance(record, Block)]


def test_slices_of_two_lengths_disagree_where_welchs_test_and_the_long_interval_say_so(
    untrimmed: None,
) -> None:
    verdicts = []
    for seed in range(36):
        blocks = race_of(seed)
        short, long = (
            pair_up([each for each in blocks if each.kind == kind], "ab").log_ratio("a", "b")
            for kind in ("short", "long")
        )
        p = ttest_ind(short, long, equal_var=False).pvalue
        found = compare(blocks, "ab", False, 1)[PAIR]
        assert found.long
        own = found.long.interval_alone("a")
        outside = not own.low <= found.short.interval("a").ratio <= own.high
        assert found.disagrees == (p < 0.01 and outside)
        verdicts.append(found.disagrees)
    assert 5 < sum(verdicts) < 31


latencies = st.lists(st.tuples(st.integers(1, 2000), st.integers(1, 40)), min_size=1, max_size=8)


@given(latencies, st.integers(0, 30), st.integers(1, 1000))
@settings(max_examples=60, deadline=None)
def test_a_quantile_is_the_least_latency_that_enough_requests_stayed_within(
    counted: list[tuple[int, int]], misses: int, per_mille: int
) -> None:
    """By definition in exact fractions, and numpy's `inverted_cdf`; below 2 µs bins are 1 ns."""
    merged = merge([event(latency=encoded(tuple(counted)), misses=misses)])
    answered = np.repeat(*(np.array(each) for each in zip(*counted, strict=True)))
    expanded = np.sort(np.concatenate([answered, np.full(misses, np.inf)]))
    needed = Fraction(per_mille, 1000) * len(expanded)
    exact = next(v for n, v in enumerate(expanded, 1) if n >= needed)
    found = merged.quantile_us(per_mille / 1000)
    assert (np.inf if found is None else found * 1e3) == pytest.approx(exact)
    median = merged.quantile_us(0.5)
    numpys = np.quantile(expanded, 0.5, method="inverted_cdf")
    assert (np.inf if median is None else median * 1e3) == pytest.approx(numpys)


@given(st.integers(1, 6), st.integers(0, 2**15 - 1))
@settings(max_examples=80, deadline=None)
def test_letters_are_all_groups_that_cannot_grow(count: int, drawn: int) -> None:
    """By brute force: every largest set of entries without a difference has one letter."""
    names = "abcdef"[:count]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    different = {pair for bit, pair in enumerate(pairs) if drawn >> bit & 1}
    groups = [
        frozenset(group)
        for size in range(1, count + 1)
        for group in combinations(names, size)
        if not any(pair <= set(group) for pair in different)
    ]
    largest = {group for group in groups if not any(group < other for other in groups)}
    shown = letters(names, different)
    used = sorted({letter for those in shown.values() for letter in those})
    assert used == list("abcdefghijklmnopqrstuvwxyz"[: len(largest)])
    assert {frozenset(n for n in names if letter in shown[n]) for letter in used} == largest
    assert all(list(those) == sorted(those) for those in shown.values())


def test_a_ratio_on_the_margin_is_not_within_it() -> None:
    assert not equivalent(float(np.log1p(MARGIN)), 0.0)
    assert equivalent(float(np.log1p(MARGIN)) - 1e-9, 0.0)


def test_after_z_come_capitals_and_then_numbers() -> None:
    """Six pairs that differ, and nobody else: 64 groups, one of each pair in each."""
    names = [f"{place}{side}" for place in range(6) for side in "ab"]
    different = {frozenset((f"{place}a", f"{place}b")) for place in range(6)}
    shown = letters(names, different)
    assert shown["0a"] == "abcdefghijklmnopqrstuvwxyzABCDEF"
    assert shown["0b"] == "GHIJKLMNOPQRSTUVWXYZ" + "".join(f"{each}1" for each in "abcdefghijkl")
