"""The course of a warm-up, from slices that never were, and whether draws began warm."""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from ruptures import KernelCPD

from bakeoff.judge.history import History
from bakeoff.judge.spread import Floats
from bakeoff.judge.warm_up import LAST_SLICES, LEAST, Settled, settled, stretches, warmths
from bakeoff.model.ratio import Interval
from bakeoff.model.samples import Record
from tests.judge.races import Race, altered, codes, judged, row, with_event

Levels = NDArray[np.float64]


def course_of(
    levels: Levels,
    rng: np.random.Generator,
    noise: float = 0.03,
    cpu_noise: float = 0.01,
    weather: Levels | float = 0.0,
) -> Settled:
    """A server that is as fast as `levels` say; weather slows it and costs a little CPU."""
    rates = levels * np.exp(weather + rng.normal(0, noise, len(levels)))
    cpu_us = 1e6 / levels * np.exp(-0.2 * weather + rng.normal(0, cpu_noise, len(levels)))
    return settled(tuple(rates), tuple(cpu_us))


def steps(*parts: tuple[int, float]) -> Levels:
    """So many slices at such a level, one part after the other."""
    return np.concatenate([np.full(count, level) for count, level in parts])


def drift(n: int, sd: float, rng: np.random.Generator, phi: float = 0.95) -> Levels:
    """AR(1) weather, of ln throughput."""
    values = np.zeros(n)
    values[0] = rng.normal(0, sd)
    for at in range(1, n):
        values[at] = phi * values[at - 1] + rng.normal(0, sd * np.sqrt(1 - phi**2))
    return values


def often(times: int, make: Callable[[np.random.Generator], Settled]) -> Counter[str]:
    """How often each course is found in seeded repetitions."""
    return Counter(make(np.random.default_rng(seed)).course for seed in range(times))


@pytest.mark.parametrize("n", [12, 20, 40, 80])
def test_noise_alone_is_flat(n: int) -> None:
    """0 of 200 weren't when this was written; white noise of 3 % and 1 %."""
    courses = often(100, lambda rng: course_of(steps((n, 1e4)), rng))
    assert courses["flat"] >= 97, courses


@pytest.mark.parametrize("n", [12, 40])
def test_without_cpu_times_noise_alone_is_flat_too(n: int) -> None:
    def make(rng: np.random.Generator) -> Settled:
        return settled(tuple(1e4 * np.exp(rng.normal(0, 0.03, n))), (None,) * n)

    courses = often(100, make)
    assert courses["flat"] >= 90 and courses["unsteady"] <= 5, courses


def test_weather_that_leaves_the_price_of_an_answer_alone_is_no_change_of_the_server() -> None:
    """Throughput drifts by 5 %, as on a shared machine. 2 of 100 were called unsteady."""
    courses = often(100, lambda rng: course_of(steps((12, 1e4)), rng, weather=drift(12, 0.05, rng)))
    assert courses["flat"] >= 90 and courses["unsteady"] <= 6, courses


def test_a_compilers_two_steps_are_a_warm_up_that_ends_with_the_last() -> None:
    levels = steps((4, 1000), (12, 8000), (14, 20_000))
    courses = [course_of(levels, np.random.default_rng(seed)) for seed in range(50)]
    assert {each.course for each in courses} == {"warm-up"}
    assert all(abs(each.start - 16) <= 1 for each in courses)


@pytest.mark.parametrize(
    ("levels", "course"),
    [
        (steps((12, 1000), (4, 1500)), "unsteady"),
        (steps((12, 1000), (12, 1500)), "warm-up"),
        (steps((12, 1e4), (12, 9e3)), "slowdown"),
        (steps((9, 1e4), (1, 3e3), (10, 1e4)), "flat"),
    ],
    ids=[
        "a last stretch that is too short",
        "one long enough",
        "a tenth less",
        "one slice far off",
    ],
)
def test_a_step_is_one_where_its_last_stretch_is_long_enough(levels: Levels, course: str) -> None:
    assert often(20, lambda rng: course_of(levels, rng))[course] >= 19


def test_a_change_that_matters_to_nobody_is_none() -> None:
    courses = course_of(steps((12, 1e4), (12, 1.02e4)), np.random.default_rng(3), 0.002, 0.002)
    assert courses.course == "flat"


def test_one_that_sleeps_more_is_a_slowdown_though_its_cpu_costs_what_it_did() -> None:
    rng = np.random.default_rng(2)
    rates = steps((12, 1e4), (12, 7e3)) * np.exp(rng.normal(0, 0.02, 24))
    assert settled(tuple(rates), tuple(100 * np.exp(rng.normal(0, 0.01, 24)))).course == "slowdown"


def test_a_steep_slope_is_not_steady() -> None:
    courses = often(50, lambda rng: course_of(1000 * np.exp(0.03 * np.arange(24.0)), rng))
    assert courses["unsteady"] >= 40, courses


@pytest.mark.parametrize(
    ("rates", "cpu_us"),
    [
        (
            (2752, 9284, 8452, 18124, 18092, 27184, 38276, 75108, 119184),
            (316.0, 103.9, 60.4, 43.0, 39.0, 31.3, 23.9, 13.0, 8.3),
        ),
        (
            (1572, 8288, 17288, 15344, 22988, 22964, 30484, 55864),
            (516.5, 118.3, 57.2, 64.5, 43.6, 43.5, 32.8, 18.0),
        ),
    ],
)
def test_a_program_that_a_compiler_makes_faster_with_each_slice_is_not_steady_yet(
    rates: tuple[float, ...], cpu_us: tuple[float, ...]
) -> None:
    """Vert.x on one busy core, as recorded: it ended at 135,000."""
    assert settled(rates, cpu_us).course == "unsteady"


def test_silence_is_no_steady_state() -> None:
    assert settled((0.0,) * 20).course == "unsteady"
    assert settled((*(1000.0,) * 10, *(0.0,) * 10)).course == "unsteady"
    assert settled((*(0.0,) * 4, *(1000.0,) * 12)).course == "warm-up"


def test_too_few_slices_say_nothing() -> None:
    assert settled(()) == Settled("unsteady", 0)
    assert settled((1000.0,) * (LAST_SLICES - 1)).course == "unsteady"
    assert settled((1000.0,) * 4, least=4).course == "flat"


RATES = st.lists(st.floats(1, 1e6), min_size=2, max_size=60)


@settings(deadline=None, max_examples=60)
@given(RATES, st.floats(0.01, 100))
def test_the_unit_of_throughput_does_not_matter(rates: list[float], scale: float) -> None:
    """A single answer in a slice is the least there is, so rates stay far above it."""
    courses = settled([4000 * each for each in rates])
    assert courses.course == settled([4000 * max(0.01, scale) * each for each in rates]).course
    assert 0 <= courses.start < len(rates)


@settings(deadline=None, max_examples=60)
@given(st.integers(LAST_SLICES, 80), st.floats(5, 1e6), st.floats(0.1, 1e5))
def test_what_never_changes_is_flat_at_any_length(n: int, rate: float, cpu_us: float) -> None:
    assert settled((rate,) * n, (cpu_us,) * n).course == "flat"


def series(n: int, columns: int, seed: int) -> Floats:
    """Two levels, and noise of size 1 as in the judge."""
    rng = np.random.default_rng(seed)
    step = np.where(np.arange(n) < rng.integers(0, n + 1), 0.0, rng.normal(0, 5))
    values: Floats = 1000 + step[:, None] + rng.standard_normal((n, columns))
    return values


def ends(values: Floats, penalty: float) -> list[int]:
    """Where ruptures ends each stretch."""
    result = KernelCPD(kernel="linear", min_size=LEAST).fit(values).predict(pen=penalty)
    return [int(end) for end in result]


def cost(values: Floats, ends: list[int], penalty: float) -> float:
    """What is minimised, in other words than the code's."""
    parts = [values[slice(*each)] for each in pairwise([0, *ends])]
    return float(sum(np.var(part, axis=0).sum() * len(part) + penalty for part in parts))


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("n", [4, 5, 12, 40, 120])
@pytest.mark.parametrize("penalty", [4.0, 20.0])
def test_stretches_are_those_of_ruptures(n: int, columns: int, penalty: float) -> None:
    for seed in range(20):
        values = series(n, columns, seed)
        assert [end for _, end in stretches(values, penalty)] == ends(values, penalty), seed


@pytest.mark.parametrize("columns", [1, 2])
def test_with_many_changes_the_cost_is_never_above_that_of_ruptures(columns: int) -> None:
    """Whose search leaves out some stretches of the least length, so that it is above ours here."""
    penalty, above = 0.5, 0
    for seed in range(20):
        values = series(40, columns, seed)
        ours = cost(values, [end for _, end in stretches(values, penalty)], penalty)
        theirs = cost(values, ends(values, penalty), penalty)
        assert ours <= theirs + 1e-6, seed
        above += theirs > ours + 1e-6
    assert above


QUIET = Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=10, blocks=18)
FIRST_THIRD = 6


def cold(race: Race, speeds: Mapping[str, float]) -> list[Record]:
    """In the first third of each draw those contenders have that share of their speed."""
    return altered(
        race.records(),
        lambda block, each: (
            with_event(
                each,
                requests=round(each.event.requests * speed),
                requests_all=round(each.event.requests_all * speed),
            )
            if (speed := speeds.get(each.entry)) and block.block % race.blocks < FIRST_THIRD
            else each
        ),
    )


def found(race: Race, speeds: Mapping[str, float]) -> Mapping[str, Interval]:
    given = warmths(History.of(cold(race, speeds)), race.names)
    return {name: each.beside for name, each in given.items()}


def test_one_that_gets_faster_within_its_draws_is_told_with_by_how_much() -> None:
    warmth = found(QUIET, {"b": 0.9})
    assert warmth["b"].low < 1 / 0.9 < warmth["b"].high
    assert warmth["b"].low > 1.05
    assert max(warmth["a"].ratio, warmth["c"].ratio) < 1
    assert warmth["b"].draws == 10


def test_what_slows_all_of_them_is_the_machine() -> None:
    warmth = found(QUIET, dict.fromkeys("abc", 0.8))
    assert not any(each.excludes(1) for each in warmth.values())


def test_the_verdict_has_it_of_each_and_warns_of_the_cold_one() -> None:
    verdict = judged(QUIET, cold(QUIET, {"b": 0.9}))
    assert "cold_draws" in codes(row(verdict, "b").warnings)
    assert "cold_draws" not in codes(row(verdict, "a").warnings)
    assert row(verdict, "a").warmth


def test_beside_one_that_slows_down_nobody_is_cold() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=10, blocks=18)
    verdict = judged(race, cold(race, {"b": 1.2}))
    assert "cold_draws" not in {
        code for each in "ab" for code in codes(row(verdict, each).warnings)
    }


def test_less_than_a_percent_is_no_warning() -> None:
    verdict = judged(QUIET, cold(QUIET, {"b": 0.995}))
    assert "cold_draws" not in codes(row(verdict, "b").warnings)


@pytest.mark.parametrize(
    "race",
    [
        Race({"a": 1.0, "b": 1.0}, boots=4, blocks=18),
        Race({"a": 1.0, "b": 1.0}, boots=10, blocks=5),
        Race({"a": 1.0}, boots=10, blocks=18),
    ],
)
def test_of_few_draws_of_few_blocks_and_of_one_alone_nothing_is_said(race: Race) -> None:
    assert found(race, {"a": 0.5}) == {}
