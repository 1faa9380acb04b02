"""Ratios between contenders of different races, and the intervals that hold for all of a cell."""

import random
from itertools import combinations
from math import exp, log, sqrt

import pytest

from bakeoff.board.tying import OneRace, checks, pairs_of
from bakeoff.judge.compare import tukey
from bakeoff.model.board import BoardPair
from bakeoff.model.pairs import Pair, pair_of
from bakeoff.model.ratio import Ratio

DRAWS = 1000
ENDLESS = DRAWS - 1


def pair(a: str, b: str, ratio: float, half_width: float) -> Pair:
    """`a` over `b`, with the half-width of its interval in ln ratio."""
    interval = Ratio(
        ratio=ratio,
        low=ratio * exp(-half_width),
        high=ratio * exp(half_width),
        n=DRAWS,
        draws=DRAWS,
    )
    return Pair(
        a=a, b=b, ratio=interval, finding=interval.told(), equivalent=False,
        minimum_detectable_effect=None,
    )  # fmt: skip


def race(pairs: list[Pair], build: str = "1") -> OneRace:
    return OneRace(pairs, {name: build for each in pairs for name in (each.a, each.b)})


def half_width(found: BoardPair) -> float:
    assert found.ratio.low and found.ratio.high
    return log(found.ratio.high / found.ratio.low) / 2


def of(found: tuple[BoardPair, ...], a: str, b: str) -> BoardPair:
    pair = pair_of(found, a, b)
    assert pair
    return pair


def test_a_cell_of_one_race_stays_as_it_was_judged() -> None:
    judged = [pair("a", "b", 2.0, 0.02), pair("a", "c", 3.0, 0.03), pair("b", "c", 1.5, 0.02)]
    found = pairs_of([race(judged)], ("b", "c"))
    assert [each.ratio.ends for each in found] == [
        pytest.approx(each.ratio.ends) for each in judged
    ]
    assert all(each.links == () for each in found)


def test_through_one_link_ratios_multiply_and_variances_add() -> None:
    races = [race([pair("a", "l", 2.0, 0.03)]), race([pair("b", "l", 0.5, 0.04)])]
    found = of(pairs_of(races, ("l", "m")), "a", "b")
    assert found.ratio.ratio == pytest.approx(4.0)
    assert found.links == ("l",)
    # Of three contenders, not of two: Tukey's quantile for all pairs of the cell.
    times = tukey(3, ENDLESS) / tukey(2, ENDLESS)
    assert half_width(found) == pytest.approx(0.05 * times)


def test_through_two_links_what_both_share_is_counted_once() -> None:
    # Each contender's own error has variance 1: two of them differ by one of variance 2, and one
    # from the mean of two others by one of 1.5.
    apart = 0.01 * sqrt(2)
    races = [
        race([pair("a", "l", 2.0, apart), pair("a", "m", 2.0, apart), pair("l", "m", 1.0, apart)]),
        race([pair("b", "l", 1.0, apart), pair("b", "m", 1.0, apart), pair("l", "m", 1.0, apart)]),
    ]
    found = of(pairs_of(races, ("l", "m")), "a", "b")
    assert found.ratio.ratio == pytest.approx(2.0)
    times = tukey(4, ENDLESS) / tukey(3, ENDLESS)
    assert half_width(found) == pytest.approx(0.01 * sqrt(3) * times)


def test_an_end_that_is_missing_stays_missing() -> None:
    limited = pair("a", "l", 2.0, 0.03)
    limited = limited.model_copy(update={"ratio": limited.ratio.model_copy(update={"high": None})})
    races = [race([limited]), race([pair("b", "l", 1.0, 0.03)])]
    found = of(pairs_of(races, ("l",)), "a", "b")
    assert found.ratio.high is None and found.ratio.low
    assert of(pairs_of(races, ("l",)), "b", "a").ratio.low is None


def test_a_link_that_was_built_anew_ties_nothing() -> None:
    races = [race([pair("a", "l", 2.0, 0.03)], "2"), race([pair("b", "l", 0.5, 0.03)], "1")]
    assert pair_of(pairs_of(races, ("l",)), "a", "b") is None


def test_the_newest_race_that_has_both_counts() -> None:
    races = [race([pair("a", "b", 2.0, 0.03)]), race([pair("a", "b", 9.0, 0.03)])]
    assert of(pairs_of(races, ("a", "b")), "a", "b").ratio.ratio == pytest.approx(2.0)


@pytest.mark.parametrize(("now", "agrees"), [(1.01, True), (1.10, False)])
def test_the_links_own_ratio_shows_whether_races_agree(now: float, agrees: bool) -> None:
    races = {
        "new": race([pair("l", "m", now, 0.02)]),
        "old": race([pair("l", "m", 1.0, 0.02)]),
    }
    (check,) = checks(races, ("l", "m"))
    assert (check.earlier, check.later, check.agrees) == ("old", "new", agrees)
    assert check.ratio.ratio == pytest.approx(now)


def measured(names: tuple[str, ...], chance: random.Random) -> OneRace:
    """A race of equals: each errs by itself, and Tukey's intervals hold for all of its pairs."""
    error = 0.01
    own = {name: chance.gauss(0, error) for name in names}
    width = tukey(len(names), ENDLESS) * error * sqrt(2)
    return race([pair(a, b, exp(own[a] - own[b]), width) for a, b in combinations(names, 2)])


def test_all_intervals_of_a_cell_hold_at_once_in_95_of_100() -> None:
    chance, links, missed = random.Random(1), ("l", "m"), 0
    for _ in range(150):
        races = [measured((*links, *others), chance) for others in ("ab", "cd")]
        missed += any(each.ratio.excludes(1) for each in pairs_of(races, links))
    # 5 % of 150 are 7.5, give or take three times 2.7.
    assert missed <= 15
