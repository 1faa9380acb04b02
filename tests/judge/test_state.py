"""How ratios follow the machine: slopes are found where there are some, and hardly elsewhere."""

from itertools import combinations

import numpy as np
import pytest

from bakeoff.judge.by_cpu import DRAWS_MIN, States, by_state, feel_unlike, states
from bakeoff.judge.compare import Comparison, Pairs, width
from bakeoff.judge.spread import estimate
from bakeoff.judge.standings import listed
from bakeoff.model.samples import Block, Slice
from tests.judge.races import Race, altered, judged, row, says, with_event

BLOCKS = 16


def raced(
    slope: float, seed: int, draws: int = 20, noise: float = 0.02, ln_ratio: float = 0.0
) -> tuple[Comparison, States]:
    """a over b in draws whose ln state has an sd of 4 %; its mean ratio is that at work of 150 µs,
    and a block has `noise`."""
    rng = np.random.default_rng(seed)
    given = {(0, draw): float(np.log(150) + rng.normal(0, 0.04)) for draw in range(draws)}
    draw = np.repeat(np.arange(draws), BLOCKS)
    state = np.array([given[0, int(each)] for each in draw]) - np.log(150)
    values = ln_ratio + slope * state + rng.standard_t(4, len(draw)) * noise
    found = estimate(values, np.zeros(len(draw), np.int64), draw, draw)
    return Comparison("a", "b", found, width(found, 1), draws), given


def test_a_slope_is_measured_with_its_interval_and_the_ratio_where_the_machine_is_quiet() -> None:
    comparison, given = raced(-0.5, 1, ln_ratio=0.1)
    found = by_state(comparison, "a", given, 1)
    assert found and found.quiet.n == 20
    assert -0.7 < found.slope_low < -0.5 < found.slope_high < -0.3
    quiet = np.exp(0.1 - 0.5 * np.log(found.work_us / 150))
    assert 140 < found.work_us < 150
    assert found.quiet.low < quiet < found.quiet.high
    assert found.quiet.high / found.quiet.low < 1.06


def test_from_the_other_side_it_is_the_same_slope_turned() -> None:
    comparison, given = raced(-0.5, 1, ln_ratio=0.1)
    one, other = (by_state(comparison, name, given, 1) for name in "ab")
    assert one and other
    assert other.slope == pytest.approx(-one.slope)
    assert other.quiet.ratio == pytest.approx(1 / one.quiet.ratio)
    assert (other.slope_low, other.slope_high) == pytest.approx((-one.slope_high, -one.slope_low))


def test_intervals_of_slope_and_quiet_ratio_hold_as_often_as_they_say() -> None:
    """In 400 races each; 95 % are known to ± 2."""
    for slope in (0.0, -0.5):
        held = quiet_held = 0
        for seed in range(400):
            comparison, given = raced(slope, seed, draws=12)
            found = by_state(comparison, "a", given, 1)
            assert found
            held += found.slope_low <= slope <= found.slope_high
            truth = np.exp(slope * np.log(found.work_us / 150))
            quiet_held += not found.quiet.excludes(truth)
        assert 0.92 <= held / 400 <= 0.98
        assert quiet_held / 400 >= 0.93


def test_of_many_pairs_one_slope_by_chance_is_told_in_one_race_of_twenty() -> None:
    alarms = 0
    for seed in range(150):
        pairs: Pairs = {}
        for place, (a, b) in enumerate(combinations("rabcd", 2)):
            comparison, given = raced(0.0, 10 * seed + place)
            pairs[frozenset((a, b))] = Comparison(
                a, b, comparison.estimate, comparison.width, comparison.processes
            )
        listing = listed("rabcd", pairs, (), pairs, {}, given, within=None, measured_s=1.0)
        alarms += bool(list(feel_unlike(listing, "r")))
    assert alarms <= 0.08 * 150


def test_a_few_draws_or_a_machine_that_never_changes_tell_no_slope() -> None:
    comparison, given = raced(-0.5, 1, draws=DRAWS_MIN - 1)
    assert by_state(comparison, "a", given, 1) is None
    comparison, given = raced(-0.5, 1)
    assert by_state(comparison, "a", dict.fromkeys(given, 5.0), 1) is None
    assert by_state(comparison, "a", {}, 1) is None


def test_a_draws_state_is_the_median_of_its_slices() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=3, long_blocks=1)
    times = iter([100_000, 110_000, 120_000, 130_000, 140_000, 900_000] * 2)
    records = altered(
        race.records(),
        lambda block, each: with_event(
            each, fixed_work_ns=next(times) if block.kind == "short" else 1
        ),
    )
    found = states([each for each in records if isinstance(each, Block)])
    assert {draw: float(np.exp(ln)) for draw, ln in found.items()} == pytest.approx(
        {(0, 0): 125.0, (1, 0): 125.0}
    )


def test_a_contender_that_feels_the_machine_is_named_in_the_verdict() -> None:
    """b needs 10 % more CPU time where the fixed work takes 10 % longer, beyond what a needs."""
    race = Race({"a": 1.0, "b": 0.5, "c": 0.7}, boots=12)
    rng = np.random.default_rng(3)
    states_ = {boot: float(rng.normal(0, 0.05)) for boot in range(12)}

    def at(block: Block, each: Slice) -> Slice:
        assert each.server_cpu
        slower = np.exp(states_[block.boot])
        feels = slower**2 if each.entry == "b" else slower
        used = each.server_cpu.model_copy(
            update={"total_ns": round(each.server_cpu.total_ns * feels)}
        )
        timed = with_event(each, fixed_work_ns=round(150_000 * slower))
        return timed.model_copy(update={"server_cpu": used})

    verdict = judged(race, altered(race.records(), at))
    assert row(verdict, "b")
    assert says(verdict.warnings, "feels_machine", name="b", other="a")
    assert not says(verdict.warnings, "feels_machine", name="c", other="a")
    pair = verdict.pair("b", "a")
    assert pair and pair.by_state and pair.by_state.slope == pytest.approx(-1.0, abs=0.3)
    opposite = verdict.pair("a", "b")
    assert opposite and opposite.by_state and opposite.by_state.slope == -pair.by_state.slope
    quiet_race = judged(race)
    assert all(each.by_state is None for each in quiet_race.pairs)
