"""What becomes of a precision that was asked for."""

import pytest

from bakeoff.judge import judge
from bakeoff.model.verdict import Precision
from tests.judge.races import MACHINE, Race


def judged(race: Race, asked: float | None) -> Precision | None:
    plan = race.plan().model_copy(update={"precision": asked})
    return judge(plan, {}, race.records(), MACHINE, complete=True).precision


def test_it_is_the_widest_interval_between_neighbours_that_counts() -> None:
    race = Race({"a": 1, "b": 0.99, "c": 0.5}, blocks=40)
    verdict = judge(race.plan(), {}, race.records(), MACHINE, complete=True)
    neighbours = [verdict.pair("a", "b"), verdict.pair("b", "c")]
    widest = max(pair.high / pair.ratio - 1 for pair in neighbours if pair)
    found = judged(race, 0.5)
    assert found and found.reached == pytest.approx(widest)
    assert found.met and found.more_s is None


def test_what_is_missing_is_foretold_by_the_root_of_the_time() -> None:
    race = Race({"a": 1, "b": 1}, blocks=40)
    reached = judged(race, 0.5)
    assert reached and reached.reached
    half_of_it = judged(race, reached.reached / 2)
    assert half_of_it and not half_of_it.met
    spent_s = 2 * 3 * 40 * 0.02
    assert half_of_it.more_s == pytest.approx(3 * spent_s, rel=0.02)


def test_without_blocks_enough_it_is_not_met_and_nothing_is_foretold() -> None:
    found = judged(Race({"a": 1, "b": 1}, boots=1, blocks=4), 0.5)
    assert found == Precision(asked=0.5, reached=None, met=False, more_s=None)


def test_who_asks_for_none_is_told_of_none() -> None:
    assert judged(Race({"a": 1, "b": 1}), None) is None


def test_a_race_is_complete_before_its_time_once_it_is_reached_and_the_boots_are_through() -> None:
    race = Race({"a": 1, "b": 1}, boots=3, blocks=40)

    def complete(asked: float | None, boots: int) -> bool:
        plan = race.plan().model_copy(update={"precision": asked, "boots": boots})
        return judge(plan, {}, race.records(), MACHINE, complete=False).complete

    assert complete(0.5, boots=3)
    assert not complete(0.5, boots=4)
    assert not complete(0.0001, boots=3)
    assert not complete(None, boots=3)
