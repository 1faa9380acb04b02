"""The speed of the servers' core, and what it adds to intervals."""

from collections.abc import Sequence
from itertools import cycle

import numpy as np
import pytest
from scipy import stats

from bakeoff.judge.history import History
from bakeoff.judge.state import RESTLESS, SLICES_MIN, STATE_SD, STEADY_SD, Core, work_us
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.races import Race, altered, codes, judged, with_event


def core(records: Sequence[Record]) -> Core:
    return History.of(records).core


def test_a_draws_state_is_the_median_of_its_slices() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=3, long_blocks=1)
    times = iter([100_000, 110_000, 125_000, 125_000, 140_000, 900_000] * 2)
    records = altered(
        race.records(),
        lambda block, each: with_event(
            each, fixed_work_ns=next(times) if block.kind == "short" else 1
        ),
    )
    found = core(records).states
    assert {draw: float(np.exp(ln)) for draw, ln in found.items()} == pytest.approx(
        {(0, 0): 125.0, (1, 0): 125.0}
    )


def test_a_core_that_rests_shows_nothing_of_the_machine() -> None:
    """Where CPU time can't be seen, slices count."""
    race = Race({"a": 1.0, "b": 1.0}, boots=1, blocks=4)

    def with_cpu(share: float | None) -> list[Record]:
        def at(_: Block, each: Slice) -> Slice:
            ns = None if share is None else round(share * each.event.window_ns)
            cpu = ns and CpuTime(user_ns=ns, system_ns=0, total_ns=ns)
            return with_event(each, fixed_work_ns=125_000).model_copy(update={"server_cpu": cpu})

        return altered(race.records(), at)

    for share, known in ((0.1, False), (0.9, True), (None, True)):
        assert bool(core(with_cpu(share)).states) == known


def test_most_draws_have_the_time_of_the_fixed_work() -> None:
    assert work_us({(0, 0): np.log(218), (0, 1): np.log(304), (0, 2): np.log(220)}) == (
        pytest.approx(220)
    )
    assert work_us({}) is None


def timed(times_ns: Sequence[float], *, slices: int = 60) -> list[Record]:
    """A race before whose slices the fixed work took these times in turn."""
    own = cycle(times_ns)
    race = Race({"a": 1.0, "b": 1.0}, boots=1, blocks=slices // 2)
    return altered(race.records(), lambda _, each: with_event(each, fixed_work_ns=int(next(own))))


def test_a_steady_core_adds_what_all_machines_do_and_a_restless_one_adds_more() -> None:
    quick, slow = 276_000, 345_000
    sd = np.log(slow / quick) / 2 / stats.norm.ppf(0.9)
    more = RESTLESS * np.sqrt(sd**2 - STEADY_SD**2)
    assert core(timed([quick, slow])).state_sd == pytest.approx(np.hypot(STATE_SD, more))
    assert core(timed([218_000, 240_000])).state_sd == STATE_SD
    assert core(timed([quick, slow])).speeds == pytest.approx(np.log([276, 345]))


def test_a_few_slow_slices_make_no_core_restless() -> None:
    """One in twelve: an interrupt, or a cold cache."""
    assert core(timed([218_000] * 11 + [600_000])).state_sd == STATE_SD


def test_of_few_slices_the_speed_is_not_known() -> None:
    few = core(timed([276_000, 345_000], slices=SLICES_MIN - 2))
    assert few.speeds is None and few.state_sd == STATE_SD
    assert core([]).state_sd == STATE_SD


def restless(ratios: dict[str, float], quick_ns: int, slow_ns: int) -> Verdict:
    """A race in which the core has one speed in every other boot."""
    race = Race(ratios, boots=8, blocks=10, noise=0.001)
    return judged(
        race,
        altered(
            race.records(),
            lambda block, each: with_event(
                each, fixed_work_ns=slow_ns if block.boot % 2 else quick_ns
            ),
        ),
    )


def half_width(verdict: Verdict) -> float:
    pair = verdict.pair("b", "a")
    assert pair and pair.ratio.low and pair.ratio.high
    return float(np.log(pair.ratio.high / pair.ratio.low) / 2)


def test_intervals_of_unlike_contenders_are_wider_where_the_core_is_restless() -> None:
    unlike, alike = {"a": 1.0, "b": 0.5}, {"a": 1.0, "b": 1.0}
    steady, wide = restless(unlike, 218_000, 220_000), restless(unlike, 276_000, 345_000)
    sd = core(timed([276_000, 345_000])).state_sd
    assert half_width(wide) == pytest.approx(1.96 * sd * np.log(2), rel=0.02)
    assert half_width(steady) < 0.016
    (finding,) = [each for each in wide.warnings if each.code == "core_restless"]
    assert finding.values == pytest.approx({"quick_us": 276, "slow_us": 345})
    assert "core_restless" not in codes(steady.warnings)
    equal = restless(alike, 276_000, 345_000)
    assert half_width(equal) < 0.002 and "core_restless" not in codes(equal.warnings)
