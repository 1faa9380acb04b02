"""How long each is warmed up, in a world whose servers come up to speed as they are told to."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.cut import WARM_UP_SLICE_MS, Warmup
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Slice
from bakeoff.plan import slice_lengths
from bakeoff.runs import open_run, resume
from bakeoff.runs.measuring.boot import measured_s
from bakeoff.runs.measuring.warmup import Course
from tests.judge.races import throughput_event
from tests.runs.conftest import Measure
from tests.runs.test_race import SPEEDS
from tests.runs.world import World, cut_off

SLICE_S = WARM_UP_SLICE_MS / 1000


def compiling(*tiers: tuple[float, float]) -> Callable[[float], float]:
    """A share of its throughput until so many seconds of load, tier after tier; then all of it."""

    def warmth(loaded_s: float) -> float:
        return next((share for until_s, share in tiers if loaded_s < until_s), 1.0)

    return warmth


def never_settling(loaded_s: float) -> float:
    """Half as fast again after each second."""
    return float(1.5 ** (loaded_s - 40))


def warmed(folder: Path) -> list[Warmup]:
    return [record for record in open_run(folder).records() if record.type == "warmup"]


def seconds(warmup: Warmup) -> dict[str, float]:
    return {name: len(rates) * SLICE_S for name, rates in warmup.requests_per_s.items()}


def run(measure: Measure, world: World, duration_s: float, **more: Any) -> Any:
    return measure.race(world, "fast", "slow", twin=False, duration=duration_s, **more)


def test_flat_ones_get_a_second_and_a_half_and_one_in_later_boots(measure: Measure) -> None:
    first, *later = warmed(run(measure, World(SPEEDS, noise=0.01), 12.0, boots=3).path)
    assert first.courses == {"fast": "flat", "slow": "flat"}
    assert seconds(first) == {"fast": 1.5, "slow": 1.5}
    assert [seconds(each) for each in later] == [{"fast": 1.0, "slow": 1.0}] * 2


def test_one_that_compiles_gets_its_time_and_slices_of_its_last_speed(measure: Measure) -> None:
    world = World(SPEEDS, warmth={"slow": compiling((1.0, 0.005), (3.5, 0.1))})
    finished = run(measure, world, 36.0, boots=3)
    for warmup in warmed(finished.path):
        assert warmup.courses["slow"] == "warm-up" and warmup.steady["slow"]
        assert 5.0 <= seconds(warmup)["slow"] <= 8.0
        assert abs(warmup.steady_from["slow"] * SLICE_S - 3.5) <= 0.5
        assert warmup.lengths["slow"] == slice_lengths(50_000, 1000)
    slow = next(each for each in finished.result.entries if each.name == "slow")
    assert [each.course for each in slow.warm_up] == ["warm-up"] * 3
    assert not slow.warnings


def test_a_level_on_the_way_is_not_taken_for_the_last_one(measure: Measure) -> None:
    world = World(SPEEDS, warmth={"slow": compiling((1.0, 0.1), (3.0, 0.5))})
    (warmup,) = warmed(run(measure, world, 36.0, boots=1).path)
    assert warmup.steady["slow"] and warmup.steady_from["slow"] * SLICE_S >= 3.0


def test_a_level_at_which_the_limit_cuts_off_one_that_got_faster_may_not_be_the_last_one(
    measure: Measure,
) -> None:
    world = World(SPEEDS, warmth={"slow": compiling((1.0, 0.1), (9.0, 0.5))})
    finished = run(measure, world, 36.0, boots=1, warm_up=3.0)
    (warmup,) = warmed(finished.path)
    assert warmup.courses["slow"] == "warm-up" and not warmup.steady["slow"]
    slow = next(each for each in finished.result.entries if each.name == "slow")
    assert "unsteady_warm_up" in {each.code for each in slow.warnings}


def test_compilers_count_calls_so_few_answers_are_not_enough(measure: Measure) -> None:
    world = World({"fast": 100_000, "slow": 2000}, warmth={"slow": compiling((1.0, 0.2))})
    warmup = warmed(run(measure, world, 42.0, boots=1).path)[0]
    answered = sum(rate * SLICE_S for rate in warmup.requests_per_s["slow"][4:])
    assert 18_000 < answered < 24_000


def test_a_slow_one_that_is_plainly_flat_is_spared_the_bound(measure: Measure) -> None:
    world = World({"fast": 100_000, "slow": 600})
    warmup = warmed(run(measure, world, 42.0, boots=1).path)[0]
    assert seconds(warmup)["slow"] == 1.5


@pytest.mark.parametrize(
    ("requests_per_s", "cpu_us", "done"), [(1000, 15, True), (1000, 60, False), (5000, 15, False)]
)
def test_one_that_waits_for_most_of_its_time_is_warm_by_its_answers(
    requests_per_s: int, cpu_us: float, done: bool
) -> None:
    """What its few milliseconds of CPU time in a slice look like is noise."""
    noise = (1.0, 1.3, 0.7, 1.4, 0.8, 1.2, 0.6, 1.3)
    assert course_of(requests_per_s, cpu_us, cpu_noise=noise).done == done


@pytest.mark.parametrize(("cpu_us", "done"), [(15, True), (60, False)])
def test_on_a_rough_machine_one_that_waits_is_not_loaded_for_a_number_of_answers(
    cpu_us: float, done: bool
) -> None:
    """At 1,000 requests/s that number takes 20 s."""
    rough = (1.0, 1.08, 0.92, 1.1, 0.94, 1.06, 0.9, 1.08)
    assert course_of(1000, cpu_us, rough, rough).done == done


def course_of(
    requests_per_s: int,
    cpu_us: float,
    noise: Sequence[float] = (1.0,) * 8,
    cpu_noise: Sequence[float] = (1.0,) * 8,
) -> Course:
    course = Course(least=8, most=80)
    for rate, cost in zip(noise, cpu_noise, strict=True):
        requests = round(requests_per_s * SLICE_S * rate)
        cpu_ns = round(requests * cpu_us * cost * 1000)
        cpu = CpuTime(total_ns=cpu_ns, user_ns=cpu_ns, system_ns=0)
        answered = throughput_event(requests, WARM_UP_SLICE_MS)
        course.add(
            Slice(entry="slow", event=answered, server_cpu=cpu, leak_ns=None, leak_wall_ns=None)
        )
    return course


@pytest.mark.parametrize(("duration_s", "most_s"), [(0.6, 1.0), (4.0, 6.0), (60.0, 20.0)])
def test_one_that_never_settles_takes_the_bound_and_a_short_race_stays_short(
    measure: Measure, duration_s: float, most_s: float
) -> None:
    """Three times its share of what is measured, 1 s at least and 20 s at most."""
    world = World(SPEEDS, warmth={"slow": never_settling})
    warmup = warmed(run(measure, world, duration_s, boots=1).path)[0]
    assert seconds(warmup)["slow"] == most_s
    assert warmup.courses["slow"] == "unsteady"


def test_a_slowdown_is_told(measure: Measure) -> None:
    world = World(SPEEDS, warmth={"slow": compiling((1.0, 2.0))})
    verdict = run(measure, world, 12.0, boots=1).result
    slow = next(each for each in verdict.entries if each.name == "slow")
    assert [each.course for each in slow.warm_up] == ["slowdown"]
    assert "slower_in_warm_up" in {each.code for each in slow.warnings}


def test_a_race_too_short_to_warm_up_says_so_once(measure: Measure) -> None:
    world = World(SPEEDS, warmth={"slow": never_settling})
    verdict = run(measure, world, 0.4).result
    warnings = [*verdict.warnings, *(w for each in verdict.entries for w in each.warnings)]
    (warned,) = (each for each in warnings if "warm" in each.code)
    assert (warned.code, warned.values["longest_s"]) == ("warm_up_short", pytest.approx(1))


def test_what_was_known_before_a_cut_is_known_after_it(measure: Measure) -> None:
    world = World(SPEEDS, on_slice=cut_off(200))
    finished = run(measure, world, 12.0)
    assert finished.interrupted
    again = resume(finished.path, World(SPEEDS).stages(), world)
    first, *later = [seconds(each)["fast"] for each in warmed(again.path)]
    assert first == 1.5 and later and set(later) == {1.0}


def test_the_rest_of_a_race_that_was_cut_off_is_warmed_up_as_its_beginning(
    measure: Measure,
) -> None:
    """However short the rest is: its processes begin as cold as the first ones."""
    warmth = {"slow": compiling((1.0, 0.005), (3.5, 0.1))}
    finished = run(measure, World(SPEEDS, warmth=warmth, on_slice=cut_off(1600)), 36.0)
    left_s = 36.0 - measured_s(finished.records())
    assert finished.interrupted and 0 < left_s < 2.0
    again = resume(finished.path, (world := World(SPEEDS, warmth=warmth)).stages(), world)
    first, *later = warmed(again.path)
    assert later
    for warmup in (first, *later):
        assert warmup.steady["slow"] and warmup.courses["slow"] == "warm-up"
        assert warmup.steady_from["slow"] * SLICE_S >= 3.0


def test_a_solo_race_warms_each_up_alone(measure: Measure) -> None:
    finished = run(measure, World(SPEEDS), 40.0, solo=True)
    first, second, *_ = warmed(finished.path)
    assert seconds(first) == {"fast": 1.5, "slow": 1.5}
    assert seconds(second) == {"fast": 1.0, "slow": 1.0}
    assert all(len(us) == 6 for us in first.cpu_us_per_request.values())
