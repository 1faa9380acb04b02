"""Our statistics against those of scipy, statsmodels and numpy, on the same random input."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import (
    multivariate_normal,
    nct,
    norm,
    studentized_range,
    t,
    trim_mean,
    ttest_1samp,
    ttest_ind,
)
from scipy.stats.mstats import trimmed_mean_ci
from statsmodels.regression.linear_model import WLS
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.power import TTestPower

from bakeoff.judge import compare, spread
from bakeoff.judge.capacity import half_widths
from bakeoff.judge.history import History
from bakeoff.judge.latency import merge
from bakeoff.judge.paired import pair_up
from bakeoff.judge.standings import letters
from bakeoff.model.samples import Block
from tests.judge.races import Race, encoded, event

PAIR = frozenset("ab")


@pytest.fixture
def untrimmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit in which our statistics are those of the plain mean."""
    monkeypatch.setattr("bakeoff.judge.spread.TRIM", 0.0)


def by_level(d: spread.Floats, *levels: int) -> spread.Estimate:
    """Blocks within draws within processes within boots: how many of each, from boots down; what
    is left out is one."""
    boots, processes, draws = (*levels, *(1,) * (3 - len(levels)))
    place = np.arange(len(d))
    per_boot, per_process = len(d) // boots, len(d) // boots // processes
    draw = place % per_boot // (per_process // draws)
    return spread.estimate(d, place // per_boot, draw, place % per_boot // per_process)


@given(arrays.arrays(np.float64, st.integers(4, 60), elements=st.floats(-5, 5, width=32)))
def test_the_standard_error_of_one_draw_is_yuens(d: spread.Floats) -> None:
    """Of values that are left: scipy's with a second sample that does not vary."""
    one = by_level(d)
    assert one.centre == pytest.approx(trim_mean(d, 0.4), abs=1e-9)
    if spread.degrees_of_freedom(len(d)) and one.errors[0].value > 1e-6:
        beyond = ttest_ind(d + 100, np.zeros(99), trim=0.4, equal_var=False)
        assert one.errors[0].value == pytest.approx((one.centre + 100) / beyond.statistic)


@pytest.mark.parametrize("n", [10, 30, 200])
def test_one_draw_has_the_interval_of_trimmed_t(n: int) -> None:
    """With as many degrees of freedom as values are left, less one; scipy's error is that of many
    values."""
    d = np.random.default_rng(n).standard_normal(n) * 0.03 + 0.01
    low, high = trimmed_mean_ci(d, limits=(0.4, 0.4), alpha=0.05)
    one = by_level(d)
    assert one.centre == pytest.approx((low + high) / 2)
    assert compare.width(one, 1).alone == pytest.approx(
        (high - low) / 2 * np.sqrt(spread.exactness(n))
    )


@pytest.mark.parametrize("levels", [(1, 1, 7), (1, 7, 1), (7, 1, 1)])
def test_groups_of_one_size_that_differ_have_students_interval(levels: tuple[int, ...]) -> None:
    """On whichever level they are: new connections, processes or boots."""
    rng = np.random.default_rng(4)
    d = rng.standard_normal(70) * 0.01 + rng.standard_normal(7).repeat(10)
    centres = [trim_mean(each, 0.4) for each in d.reshape(7, 10)]
    interval = ttest_1samp(centres, 0).confidence_interval()
    one = by_level(d, *levels)
    # What differs by so much more than its blocks has equal weights, but for their errors.
    assert one.centre == pytest.approx(np.mean(centres), rel=1e-3)
    assert compare.width(one, 1).alone == pytest.approx(
        (interval.high - interval.low) / 2, rel=1e-4
    )


def test_groups_that_agree_by_chance_have_the_error_of_their_blocks(untrimmed: None) -> None:
    d = np.tile([-0.01, 0.01, 0.03, -0.03], 15)
    one = by_level(d, 3)
    error = float(d.std()) * np.sqrt(60 / 57) / np.sqrt(60)
    assert one.errors[0].value == pytest.approx(0.0, abs=1e-12)
    assert compare.width(one, 1).alone == pytest.approx(t.ppf(0.975, 57) * error)


def test_processes_that_agree_by_chance_have_the_error_of_their_draws(untrimmed: None) -> None:
    """Six processes, of which each has draws that differ by far more than the processes do."""
    draws = np.array([-0.02, 0.02, 0.05, -0.05])
    one = by_level(np.tile(draws, 6).repeat(10), 1, 6, 4)
    error = np.sqrt((draws**2).sum() * 6 / 23 / 24)
    assert one.errors[1].value == pytest.approx(0.0, abs=1e-12)
    assert compare.width(one, 1).alone == pytest.approx(t.ppf(0.975, 23) * error)


def alike(rng: np.random.Generator, draws: int, blocks: int) -> spread.Floats:
    """Draws that differ, with the same blocks about each: all of them weigh the same."""
    of_each = rng.normal(0, 0.01, blocks)
    values: spread.Floats = (rng.normal(0, 0.05, draws)[:, None] + of_each).ravel()
    return values


def test_an_error_is_by_draws_by_processes_and_of_blocks() -> None:
    """Of ten processes one had two draws; trimming leaves two of the six blocks of each."""
    process = np.array([0, 0, *range(1, 10)]).repeat(6)
    d = alike(np.random.default_rng(6), 11, 6)
    one = spread.estimate(d, np.zeros(66, np.int64), np.arange(11).repeat(6), process)
    assert [each.freedom for each in one.errors] == [10, 8, 11]


@pytest.mark.parametrize(("boots", "freedom"), [(2, 11 + 1), (3, 11 + 2), (4, 11 + 3), (6, 5)])
def test_the_error_of_few_boots_is_pooled_with_that_of_draws(boots: int, freedom: int) -> None:
    one = by_level(alike(np.random.default_rng(7), 12, 10), boots, 1, 12 // boots)
    assert [each.freedom for each in one.errors[:2]] == [11, freedom]


@pytest.mark.parametrize("among", [2, 3, 5, 31])
@pytest.mark.parametrize("freedom", [1, 4, 20, 400])
def test_the_pairs_of_a_race_have_the_studentised_range(among: int, freedom: int) -> None:
    expected = studentized_range.ppf(0.95, among, freedom) / np.sqrt(2)
    assert compare.tukey(among, freedom) == pytest.approx(expected, rel=1e-4)


def drawn(rng: np.random.Generator, *sizes: int) -> spread.Estimate:
    """Draws of so many blocks each, with a new process for each."""
    draw = np.arange(len(sizes)).repeat(sizes)
    return spread.estimate(
        rng.normal(0, 0.01, len(draw)), np.zeros(len(draw), np.int64), draw, draw
    )


@given(st.tuples(st.integers(6, 60), st.integers(6, 60)))
def test_blocks_of_several_draws_have_the_degrees_of_freedom_of_yuen_and_dixon(
    sizes: tuple[int, int],
) -> None:
    one = drawn(np.random.default_rng(1), *sizes)
    a, b = (np.arange(float(size)) for size in sizes)
    expected = ttest_ind(a, b, trim=0.4).df
    assert one.errors[-1].freedom == one.block.freedom == expected


def test_draws_of_which_one_block_is_left_say_nothing_of_blocks() -> None:
    rng = np.random.default_rng(2)
    single, few, some = drawn(rng, 5), drawn(rng, 5, 3, 5, 1), drawn(rng, 5, 10, 3, 10)
    assert compare.width(single, 1).alone == np.inf
    assert [each.freedom for each in few.errors] == [3] and few.spread.block_sd is None
    assert [each.freedom for each in some.errors] == [2, 2]
    of_tens = drawn(np.random.default_rng(3), 10, 10)
    with_fives = drawn(np.random.default_rng(3), 10, 10, 5, 5)
    assert with_fives.spread.block_sd == pytest.approx(of_tens.spread.block_sd)


@pytest.mark.parametrize("long_blocks", [5, 6])
def test_slices_of_two_lengths_in_few_draws_have_the_freedom_of_their_blocks(
    long_blocks: int,
) -> None:
    rng = np.random.default_rng(4)
    short, long = drawn(rng, *(10,) * 4), drawn(rng, *(long_blocks,) * 4)
    gap, _, freedom = compare._gap(short, long)
    if long_blocks == 5:
        assert (gap, freedom) == (0.0, 1.0)
    else:
        assert gap != 0.0 and 4 <= freedom <= 8


def test_an_estimate_is_that_of_a_random_effects_meta_analysis(untrimmed: None) -> None:
    """Draws of unequal length and noise: as statsmodels has it (DerSimonian and Laird; HC2)."""
    rng = np.random.default_rng(9)
    n = np.array([6, 30, 12, 50, 9, 20])
    draw = np.repeat(np.arange(6), n)
    d = rng.standard_normal(len(draw)) * 0.04 * (1 + draw % 3) + rng.normal(0, 0.1, 6)[draw]
    one = spread.estimate(d, np.zeros(len(d), np.int64), draw, draw)
    own = np.array([d[draw == each].var(ddof=1) for each in range(6)])
    shrunk = ((n - 1) * own + spread.SHRINKING * np.median(own)) / (n - 1 + spread.SHRINKING)
    centres = np.array([d[draw == each].mean() for each in range(6)])
    pooled = combine_effects(centres, shrunk / n, method_re="dl")
    assert pooled.tau2 > 0 and one.centre == pytest.approx(pooled.mean_effect_re)
    mean = WLS(centres, np.ones(6), weights=1 / (pooled.tau2 + shrunk / n))
    assert one.errors[0].value == pytest.approx(mean.fit(cov_type="HC2").bse[0])
    assert one.errors[-1].value == pytest.approx(
        np.sqrt(1 / (1 / (pooled.tau2 + shrunk / n)).sum())
    )


def test_processes_of_unequal_shares_have_fewer_degrees_of_freedom(untrimmed: None) -> None:
    """As many as equal ones would have that add up to the same: the first one has half of twelve
    draws."""
    draw = np.arange(12).repeat(2)
    process = np.maximum(0, draw - 5)
    offsets = np.random.default_rng(5).normal(0, 0.05, 12)
    d = offsets[draw] + np.tile([-0.01, 0.01], 12)
    _, by_process, *_ = spread.estimate(d, np.zeros(24, np.int64), draw, process).errors
    assert by_process.freedom == round(1 / (0.5**2 + 6 / 12**2)) - 1
    moves = np.bincount(process, d - d.mean()) / 24
    squares = moves**2 / (1 - np.bincount(process) / 24)
    assert by_process.value == pytest.approx(np.sqrt(squares.sum()))


def test_spreads_of_balanced_levels_are_those_of_nested_analysis_of_variance(
    untrimmed: None,
) -> None:
    """20 boots × 6 processes × 5 draws × 8 blocks: mean squares by hand (Searle, 1971)."""
    rng = np.random.default_rng(2)
    shape = (20, 6, 5, 8)
    d = np.zeros(shape)
    for level, sd in ((1, 0.03), (2, 0.02), (3, 0.01), (4, 0.005)):
        d += rng.normal(0, sd, shape[:level] + (1,) * (4 - level))
    means = [d.mean(axis=tuple(range(level, 4)), keepdims=True) for level in range(5)]
    sizes = np.cumprod((1, *shape))
    squares = [
        ((lower - upper) ** 2).sum() * sizes[-1] / sizes[level + 1]
        for level, (upper, lower) in enumerate(pairwise(means))
    ]
    mean_squares = [each / (sizes[level + 1] - sizes[level]) for level, each in enumerate(squares)]
    expected = [
        np.sqrt((mean_squares[level] - mean_squares[level + 1]) / np.prod(shape[level + 1 :]))
        for level in range(3)
    ]
    found = by_level(d.ravel(), 20, 6, 5).spread
    # Draws are weighted by their own errors, which differ a little.
    spreads = [found.boot_sd, found.process_sd, found.connections_sd]
    assert spreads == pytest.approx(expected, rel=2e-3)
    assert found.block_sd == pytest.approx(np.sqrt(mean_squares[3]))
    assert (found.blocks, found.draws, found.processes, found.boots) == (4800, 600, 120, 20)


@pytest.mark.parametrize("n", [15, 40, 300])
def test_the_detectable_effect_has_the_power_that_statsmodels_computes(n: int) -> None:
    """The sum of two t quantiles is within 1.5 % of the exact noncentral t."""
    error = 0.02 / np.sqrt(n)
    ours = np.log1p(compare.detectable(*(float(t.ppf(p, n - 1)) * error for p in (0.975, 0.8))))
    exact = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8) * 0.02
    assert ours == pytest.approx(exact, rel=0.015)


@pytest.mark.parametrize("pairs", [2, 5, 15])
def test_independent_pairs_hold_together_in_exactly_95_percent(pairs: int) -> None:
    one = by_level(np.random.default_rng(1).standard_normal(20).repeat(10), 1, 1, 20)
    each = compare.width(one, pairs)
    together = (2 * t.cdf(each.simultaneous / one.errors[0].value, 19) - 1) ** pairs
    assert together == pytest.approx(0.95)
    assert compare.width(one, 1).simultaneous == compare.width(one, 1).alone == each.alone


@pytest.mark.parametrize("pairs", [1, 2, 3])
def test_capacities_hold_for_all_pairs_at_once(pairs: int) -> None:
    """Of jointly normal pairs of any correlation and scale, by scipy's multivariate normal."""
    rng = np.random.default_rng(pairs)
    factor = rng.standard_normal((pairs, pairs)) * rng.uniform(0.1, 10, pairs)[:, None]
    covariance = factor @ factor.T
    moved = rng.standard_normal((20_000, pairs)) @ factor.T
    within = half_widths(moved)
    together = multivariate_normal.cdf(within, cov=covariance, lower_limit=-within)
    assert together == pytest.approx(0.95, abs=0.01)


def race_of(seed: int) -> list[Block]:
    """One boot, more noise in its few long slices than in its many short ones, and a gap."""
    gap = 1 + 0.01 * (seed % 8)
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
    for seed in range(60):
        blocks = race_of(seed)
        short, long = (
            pair_up([each for each in blocks if each.kind == kind], [], "ab").log_ratio("a", "b")
            for kind in ("short", "long")
        )
        p = ttest_ind(short, long, equal_var=False).pvalue
        ours = compare.compare(History.of(blocks), "ab")[PAIR]
        assert ours.long and ours.short
        own = ours.long.interval_alone("a")
        outside = not own.low <= ours.short.interval("a").ratio <= own.high
        assert ours.slice_length_matters == (p < compare.DISAGREEMENT_ALPHA and outside)
        verdicts.append(ours.slice_length_matters)
    assert 10 < sum(verdicts) < 50


latencies = st.lists(
    st.tuples(st.one_of(st.integers(1, 2000), st.integers(1, 50_000_000_000)), st.integers(1, 40)),
    min_size=1,
    max_size=8,
)


@given(st.lists(latencies, min_size=1, max_size=3), st.integers(0, 30), st.integers(1, 1000))
@settings(max_examples=60)
def test_a_quantile_is_the_least_latency_that_enough_requests_stayed_within(
    slices: list[list[tuple[int, int]]], misses: int, per_mille: int
) -> None:
    """By definition in exact fractions, and numpy's `inverted_cdf`, of all slices together."""
    merged = merge([event(latency=encoded(tuple(each)), misses=misses) for each in slices])
    misses *= len(slices)
    bins = HdrHistogram(1, 60_000_000_000, 3)
    counted = [(bins.get_highest_equivalent_value(v), n) for each in slices for v, n in each]
    answered = np.repeat(*(np.array(each) for each in zip(*counted, strict=True)))
    expanded = np.sort(np.concatenate([answered, np.full(misses, np.inf)]))
    needed = Fraction(per_mille, 1000) * len(expanded)
    exact = next(v for n, v in enumerate(expanded, 1) if n >= needed)
    ours = merged.quantile_us(per_mille / 1000)
    assert (np.inf if ours is None else ours * 1e3) == pytest.approx(exact)
    median = merged.quantile_us(0.5)
    numpys = np.quantile(expanded, 0.5, method="inverted_cdf")
    assert (np.inf if median is None else median * 1e3) == pytest.approx(numpys)


@given(st.integers(1, 6), st.integers(0, 2**15 - 1))
@settings(max_examples=80)
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
    assert "a" in shown[names[0]]


@pytest.mark.parametrize(("freedom", "alpha"), [(4, 0.05), (7, 0.05), (31, 0.05), (31, 0.005)])
def test_an_interval_of_any_time_ends_where_the_bayes_factor_is_one_over_alpha(
    freedom: int, alpha: float
) -> None:
    """The integral of noncentral t densities over the effects, over Student's density."""
    error, n = compare.any_time_quantile(freedom, alpha), freedom + 1
    effect = np.linspace(-12, 12, 20_001)
    density = nct.pdf(error, freedom, effect * np.sqrt(n))
    prior = norm.pdf(effect, scale=np.sqrt(compare.EFFECT_VARIANCE))
    mixed = np.trapezoid(density * prior, effect)
    assert mixed / t.pdf(error, freedom) == pytest.approx(1 / alpha, rel=1e-6)


def test_of_four_draws_and_fewer_an_interval_of_any_time_is_wide_or_has_no_ends() -> None:
    assert [compare.any_time_quantile(freedom, 0.05) for freedom in (1, 2)] == [np.inf, np.inf]
    assert compare.any_time_quantile(3, 0.05) > 2 * compare.any_time_quantile(4, 0.05)


def test_after_z_come_capitals_and_then_numbers() -> None:
    """Six pairs that differ, and nobody else: 64 groups, one of each pair in each."""
    names = [f"{place}{side}" for place in range(6) for side in "ab"]
    different = {frozenset((f"{place}a", f"{place}b")) for place in range(6)}
    shown = letters(names, different)
    assert shown["0a"] == "abcdefghijklmnopqrstuvwxyzABCDEF"
    assert shown["0b"] == "GHIJKLMNOPQRSTUVWXYZ" + "".join(f"{each}1" for each in "abcdefghijkl")


values = arrays.arrays(np.float64, st.integers(1, 60), elements=st.floats(-5, 5))


@given(values)
def test_trimmed_mean_is_scipys(given_values: spread.Floats) -> None:
    assert spread.trimmed_mean(given_values) == pytest.approx(
        trim_mean(given_values, 0.4), abs=1e-12
    )
