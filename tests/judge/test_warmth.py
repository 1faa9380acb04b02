"""Whether draws began warm."""

from collections.abc import Mapping

import pytest

from bakeoff.judge.history import History
from bakeoff.judge.warm_up import warmths
from bakeoff.model.ratio import Interval
from bakeoff.model.samples import Record
from tests.judge.races import Race, altered, codes, judged, row, with_event

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
