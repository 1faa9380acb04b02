"""What holds of any race's verdict, with any contenders and any measurements."""

from collections import defaultdict
from itertools import combinations
from math import log
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.judge import judge
from bakeoff.judge.compare import compare
from bakeoff.judge.history import History
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.samples import Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.facts import MACHINE
from tests.judge.races import Race, altered, throughput_event
from tests.ratios import known

SEEDS = range(8)


def judged(race: Race, records: list[Record] | None = None, reference: str = "") -> Verdict:
    plan = race.plan()
    if reference:
        plan = plan.model_copy(update={"reference": reference})
    return judge(plan, {}, records or race.records(), MACHINE, True)


def changed(records: list[Record], factors: dict[str, float], weather: int = 0) -> list[Record]:
    """Each entry's throughput by its factor, each block's by its own weather where seeded."""
    rng = np.random.default_rng(weather)
    day: dict[int, float] = defaultdict(lambda: float(np.exp(rng.normal(0, 1))) if weather else 1.0)
    return altered(
        records,
        lambda block, slice_: times(slice_, day[block.at_ns] * factors.get(slice_.entry, 1)),
    )


def times(slice_: Slice, factor: float) -> Slice:
    """As many answers, times `factor`."""
    quicker = throughput_event(
        round(slice_.event.requests * factor), slice_.event.window_ns // 1_000_000
    )
    return slice_.model_copy(update={"event": quicker})


def entries(verdict: Verdict) -> dict[str, VerdictEntry]:
    return {each.name: each for each in verdict.entries}


def figures(entry: VerdictEntry) -> tuple[float, float, float]:
    """Its ratio, and both ends of the interval."""
    ratio = known(entry.ratio)
    return (ratio.ratio, *ratio.ends)


def mean_half_width(race: Race, seeds: range = SEEDS) -> float:
    """Of a over b in ln ratio, over races that differ in their seed alone."""
    widths = []
    for seed in seeds:
        race.seed = seed
        pair = compare(History.of(race.records()), tuple(race.ratios))[frozenset("ab")]
        widths.append(pair.width.simultaneous)
    return float(np.mean(widths))


races = st.builds(
    lambda ratios, noise, seed, long: Race(
        {f"e{place}": ratio for place, ratio in enumerate(ratios)},
        boots=2,
        blocks=6,
        long_blocks=long,
        noise=noise,
        seed=seed,
    ),
    ratios=st.lists(st.sampled_from([0.5, 0.97, 0.99, 1.0, 1.003, 1.05]), min_size=2, max_size=5),
    noise=st.sampled_from([0.003, 0.02, 0.2]),
    seed=st.integers(0, 999),
    long=st.sampled_from([0, 4]),
)


@given(races)
@settings(max_examples=25, deadline=None)
def test_a_verdict_does_not_contradict_itself(race: Race) -> None:
    verdict = judged(race)
    rows = entries(verdict)
    told_apart = {
        frozenset((each.a, each.b)) for each in verdict.pairs if each.finding != "can't tell"
    }
    for each in verdict.pairs:
        low, high = each.ratio.ends
        assert low < each.ratio.ratio < high
        assert each.finding == ("faster" if low > 1 else "slower" if high < 1 else "can't tell")
        assert not each.equivalent or abs(log(each.ratio.ratio)) < log(
            1 + verdict.equivalence_margin
        )
        assert known(each.minimum_detectable_effect) >= high / each.ratio.ratio - 1
    for a, b in combinations(rows, 2):
        assert bool(set(rows[a].letters) & set(rows[b].letters)) == (
            frozenset((a, b)) not in told_apart
        )
    for row in verdict.entries:
        quicker = {
            each.a for each in verdict.pairs if each.finding == "faster" and each.b == row.name
        }
        quicker |= {
            each.b for each in verdict.pairs if each.finding == "slower" and each.a == row.name
        }
        beaten = {frozenset((row.name, other)) for other in rows} & told_apart
        assert row.rank == (1 + len(quicker), len(rows) - len(beaten) + len(quicker))
        low, high = known(row.ratio).ends
        assert low <= known(row.ratio).ratio <= high


@given(race=races, seed=st.integers(1, 99))
@settings(max_examples=8, deadline=None)
def test_what_all_entries_share_in_a_block_cancels(race: Race, seed: int) -> None:
    """Weather that changes the speed of whole blocks threefold moves no ratio but by rounding."""
    race.scale = 100
    usual = entries(judged(race))
    stormy = entries(judged(race, changed(race.records(), {}, weather=seed)))
    for name, row in usual.items():
        assert figures(stormy[name]) == pytest.approx(figures(row), rel=3e-4)
        assert stormy[name].letters == row.letters


@given(seed=st.integers(0, 99), factor=st.sampled_from([0.5, 2.0, 3.0]))
@settings(max_examples=6, deadline=None)
def test_twice_as_fast_is_twice_the_ratio_and_the_same_interval_around_it(
    seed: int, factor: float
) -> None:
    """Where the machine's state adds nothing: that is in proportion to ln ratio."""
    race = Race({"a": 1.0, "b": 1.0, "c": 1.1}, boots=2, blocks=8, seed=seed, scale=100)
    with patch("bakeoff.judge.state.STATE_SD", 0.0):
        usual = entries(judged(race))
        quick = entries(judged(race, changed(race.records(), {"b": factor})))
    for name, times in {"b": factor, "c": 1.0}.items():
        expected = [times * figure for figure in figures(usual[name])]
        assert figures(quick[name]) == pytest.approx(expected, rel=3e-4)


@given(races)
@settings(max_examples=8, deadline=None)
def test_the_other_reference_turns_the_ratio_round(race: Race) -> None:
    of_first = entries(judged(race, reference="e0"))["e1"]
    of_second = entries(judged(race, reference="e1"))["e0"]
    ratio, low, high = figures(of_second)
    assert figures(of_first) == pytest.approx((1 / ratio, 1 / high, 1 / low))
    assert of_first.rank == entries(judged(race, reference="e1"))["e1"].rank


@given(seed=st.integers(0, 99), names=st.permutations(["ant", "bee", "cat", "dog"]))
@settings(max_examples=8, deadline=None)
def test_names_move_no_ratio(seed: int, names: list[str]) -> None:
    ratios = (1.0, 0.98, 1.2, 0.7)
    usual = Race(dict(zip("abcd", ratios, strict=True)), boots=2, blocks=20, seed=seed)
    other = Race(dict(zip(names, ratios, strict=True)), boots=2, blocks=20, seed=seed)
    usual_rows, other_rows = entries(judged(usual)), entries(judged(other))
    for old, new in zip("abcd", names, strict=True):
        assert figures(other_rows[new]) == pytest.approx(figures(usual_rows[old]))


def test_an_interval_never_narrows_because_more_take_part() -> None:
    """On average over races: more pairs are more chances to be fooled."""
    ratios = dict.fromkeys("abcdef", 1.0)
    widths = [
        mean_half_width(Race(dict(list(ratios.items())[:count]), boots=8, blocks=15))
        for count in (2, 3, 6)
    ]
    assert widths == sorted(widths)
    assert widths[2] > 1.3 * widths[0], "Tukey's range of six is 1.45 times that of two"


def test_an_interval_never_widens_because_more_was_measured() -> None:
    """On average over races, in blocks and in boots."""
    two = {"a": 1.0, "b": 1.0}
    by_blocks = [mean_half_width(Race(two, boots=2, blocks=n, noise=0.05)) for n in (6, 20, 80)]
    assert by_blocks == sorted(by_blocks, reverse=True)
    by_boots = [mean_half_width(Race(two, boots=n, blocks=12)) for n in (2, 4, 8)]
    assert by_boots == sorted(by_boots, reverse=True)


def test_noise_and_boots_that_differ_widen_an_interval() -> None:
    two = {"a": 1.0, "b": 1.0}
    by_noise = [mean_half_width(Race(two, blocks=15, noise=each)) for each in (0.002, 0.02, 0.1)]
    assert by_noise == sorted(by_noise)
    by_spread = [mean_half_width(Race(two, blocks=15, boot_sd=each)) for each in (0.0, 0.01, 0.05)]
    assert by_spread == sorted(by_spread)
    assert by_spread[2] > 3 * by_spread[0]


@pytest.mark.parametrize("silent", [1, 3])
def test_a_few_blocks_that_went_wrong_move_a_ratio_little(silent: int) -> None:
    """Three blocks of twenty with no answer at all: within what one half-width was."""
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=20)
    records = race.records()
    spoilt = altered(
        records,
        lambda block, slice_: (
            times(slice_, 0) if slice_.entry == "b" and block.block < silent else slice_
        ),
    )
    usual, moved = (entries(judged(race, each))["b"] for each in (records, spoilt))
    before = known(usual.ratio)
    half_width = log(before.ends[1] / before.ratio)
    assert abs(log(known(moved.ratio).ratio / before.ratio)) < half_width
