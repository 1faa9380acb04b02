"""When a contender counts as warm."""

import random

from bakeoff.race.warmup import SLICES_MIN, is_steady


def test_a_level_course_is_steady_once_there_is_enough_of_it() -> None:
    assert is_steady([1000.0] * SLICES_MIN)
    assert not is_steady([1000.0] * (SLICES_MIN - 1))


def test_a_course_that_still_rises_or_falls_is_not_steady() -> None:
    rising = [1000.0 * 1.02**step for step in range(12)]
    assert not is_steady(rising)
    assert not is_steady(rising[::-1])


def test_noise_alone_is_no_change() -> None:
    chance = random.Random(3)
    courses = [[chance.gauss(1000, 50) for _ in range(SLICES_MIN)] for _ in range(200)]
    assert sum(map(is_steady, courses)) > 150


def test_a_step_up_is_no_noise_until_it_has_passed() -> None:
    course = [1000.0] * 4 + [1500.0] * 4
    assert not is_steady(course)
    assert is_steady(course + [1500.0] * 4)


def test_who_never_answers_is_never_steady() -> None:
    assert not is_steady([0.0] * 20)
