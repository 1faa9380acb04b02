"""The speed of the servers' core, and what it adds to intervals."""

from itertools import cycle

import numpy as np
import pytest

from bakeoff.judge.state import RESTLESS, STATE_SD, STEADY_SD, state_sd, states, work_us
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.races import Race, altered, codes, judged, with_event


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
        found = states([each for each in with_cpu(share) if isinstance(each, Block)])
        assert bool(found) == known


def test_most_draws_have_the_time_of_the_fixed_work() -> None:
    assert work_us({(0, 0): np.log(218), (0, 1): np.log(304), (0, 2): np.log(220)}) == (
        pytest.approx(220)
    )
    assert work_us({}) is None


def test_a_steady_core_adds_what_all_machines_do_and_a_restless_one_adds_more() -> None:
    def of_sd(sd: float) -> float:
        around = np.array([-1.0, 0.0, 1.0]) * sd
        return state_sd({(0, draw): 5 + float(each) for draw, each in enumerate(around)})

    assert of_sd(0.0) == of_sd(0.9 * STEADY_SD) == STATE_SD
    assert of_sd(0.09) == pytest.approx(
        np.hypot(STATE_SD, RESTLESS * np.sqrt(0.09**2 - STEADY_SD**2))
    )
    assert state_sd({}) == state_sd({(0, 0): 5.0}) == STATE_SD


def restless(ratios: dict[str, float], quick_ns: int, slow_ns: int) -> Verdict:
    """A race in which the core has one speed in every other boot."""
    race = Race(ratios, boots=8, blocks=10, noise=0.001)
    times = cycle([quick_ns, slow_ns])
    of_boot = {boot: next(times) for boot in range(8)}
    return judged(
        race,
        altered(
            race.records(), lambda block, each: with_event(each, fixed_work_ns=of_boot[block.boot])
        ),
    )


def half_width(verdict: Verdict) -> float:
    pair = verdict.pair("b", "a")
    assert pair and pair.ratio.low and pair.ratio.high
    return float(np.log(pair.ratio.high / pair.ratio.low) / 2)


def test_intervals_of_unlike_contenders_are_wider_where_the_core_is_restless() -> None:
    unlike, alike = {"a": 1.0, "b": 0.5}, {"a": 1.0, "b": 1.0}
    steady, wide = restless(unlike, 218_000, 220_000), restless(unlike, 276_000, 345_000)
    sd = np.std([np.log(276), np.log(345)] * 4, ddof=1)
    state = np.hypot(STATE_SD, RESTLESS * np.sqrt(sd**2 - STEADY_SD**2)) * np.log(2) * 1.96
    assert half_width(wide) == pytest.approx(state, rel=0.02)
    assert half_width(steady) < 0.016
    (finding,) = [each for each in wide.warnings if each.code == "core_restless"]
    assert finding.values == pytest.approx({"quick_us": 276, "slow_us": 345})
    assert "core_restless" not in codes(steady.warnings)
    equal = restless(alike, 276_000, 345_000)
    assert half_width(equal) < 0.002 and "core_restless" not in codes(equal.warnings)
