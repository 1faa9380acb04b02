"""A throughput that changes while it is measured."""

import pytest

from bakeoff.judge import judge
from bakeoff.model.verdict import Verdict
from tests.judge.races import MACHINE, Race


def judged(race: Race) -> Verdict:
    return judge(race.plan(), race.receipts(), race.records(), MACHINE, True)


def said(race: Race) -> dict[str, list[str]]:
    """What is said of each entry's drift."""
    return {
        entry.name: [each for each in entry.warnings if "er while it was measured" in each]
        for entry in judged(race).entries
    }


@pytest.mark.parametrize("since", [6, 12, 20, 33])
def test_the_one_that_got_slower_is_named_and_no_other(since: int) -> None:
    found = said(Race({"a": 1.0, "b": 1.0}, blocks=40, changes={"b": (since, 0.5)}))
    assert found["a"] == []
    (sentence,) = found["b"]
    assert sentence.startswith("it got slower while it was measured: after ")
    assert "% of the throughput of before" in sentence


def test_one_that_was_not_warm_yet() -> None:
    found = said(Race({"a": 1.0, "b": 1.0, "c": 0.5}, blocks=40, changes={"b": (10, 1.6)}))
    (sentence,) = found["b"]
    assert sentence.startswith("it got faster") and "it was not warm yet" in sentence
    assert found["a"] == found["c"] == []


def test_weather_that_changes_for_all_is_nobodys_doing() -> None:
    changes = dict.fromkeys(("a", "b", "c"), (20, 0.6))
    assert not any(said(Race({"a": 1.0, "b": 1.0, "c": 1.0}, blocks=40, changes=changes)).values())


def test_a_change_of_a_twentieth_is_not_worth_a_sentence() -> None:
    race = Race({"a": 1.0, "b": 1.0}, blocks=200, noise=0.005, changes={"b": (100, 0.95)})
    assert not any(said(race).values())


def test_too_few_blocks_say_nothing() -> None:
    assert not any(said(Race({"a": 1.0, "b": 1.0}, blocks=8, changes={"b": (4, 0.3)})).values())


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.4])
def test_steady_ones_are_not_accused_however_noisy(noise: float) -> None:
    accused = [
        name
        for seed in range(12)
        for name, sentences in said(
            Race({"a": 1.0, "b": 0.8}, blocks=40, noise=noise, seed=seed)
        ).items()
        if sentences
    ]
    assert accused == []
