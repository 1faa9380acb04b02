"""The search for the shortest race, on a power that is known beforehand."""

import math

from bakeoff.model.simulation import Rates, Spread
from bakeoff.simulate import Size, rate, search

SIZE = Size(effect=0.01, contenders=2, duration_s=1, boots=1)
RACES = 1000


def powered(size: Size, needs_s: float, needs_boots: int = 1) -> Rates:
    """A race whose power is 80 % from `needs_s` and `needs_boots` on; each boot takes 10 s more."""
    enough = size.boots >= needs_boots
    share = min(0.99, 0.8 * math.sqrt(size.duration_s / needs_s)) if enough else 0.1
    spread = Spread(median=0.01, low=0.01, high=0.01)
    return Rates(
        duration_s=size.duration_s,
        boots=size.boots,
        races=RACES,
        power=rate(round(share * RACES), RACES),
        false_positives=rate(0, RACES),
        coverage=rate(RACES, RACES),
        half_width=spread,
        lasts_s=size.duration_s + 10 * size.boots,
    )


def test_the_shortest_race_with_the_power_is_found_in_a_few_steps() -> None:
    tried, best = search(SIZE, 0.8, (3,), lambda size: powered(size, 40))
    assert best
    assert (best.duration_s, best.boots) == (45, 3)
    assert len(tried) <= 4


def test_more_boots_are_taken_where_no_duration_helps() -> None:
    _, best = search(SIZE, 0.8, (3, 5, 8), lambda size: powered(size, 40, needs_boots=5))
    assert best
    assert (best.duration_s, best.boots) == (45, 5)


def test_of_two_that_do_the_one_that_lasts_the_shortest_counts() -> None:
    """Eight boots would halve the measuring, and take 50 s more to start."""

    def rates(size: Size) -> Rates:
        return powered(size, 60 if size.boots == 3 else 45)

    _, best = search(SIZE, 0.8, (3, 8), rates)
    assert best
    assert (best.duration_s, best.boots) == (60, 3)


def test_an_effect_that_nothing_finds_has_no_plan() -> None:
    tried, best = search(SIZE, 0.8, (3, 5), lambda size: powered(size, 1e9))
    assert best is None
    assert tried
