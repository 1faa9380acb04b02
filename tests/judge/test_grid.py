"""Who leads in a cell, and who changes places between cells."""

from bakeoff.judge import changes_of_places, judge, leaders
from bakeoff.model.verdict import Verdict
from tests.judge.races import MACHINE, Race


def verdict(seed: int = 1, **ratios: float) -> Verdict:
    race = Race(ratios, seed=seed)
    return judge(race.plan(), race.receipts(), race.records(), MACHINE, True)


def test_the_fastest_leads_alone_where_all_are_surely_behind() -> None:
    assert leaders(verdict(a=1.0, b=1.5, c=0.5)) == ("b",)


def test_those_that_cannot_be_told_apart_share_the_lead() -> None:
    assert set(leaders(verdict(a=1.0, b=1.0, c=0.5))) == {"a", "b"}


def test_nobody_leads_where_nobody_was_compared() -> None:
    assert leaders(verdict(a=1.0)) == ()
    race = Race({"a": 1.0, "b": 1.0}, died={"b": "signal 11"})
    assert leaders(judge(race.plan(), race.receipts(), race.records(), MACHINE, True)) == ()


def test_two_change_places_where_each_is_surely_ahead_somewhere() -> None:
    cells = {
        "c1": verdict(a=1.0, b=1.2, c=0.5),
        "c64": verdict(a=1.0, b=1.0, c=0.5),
        "c512": verdict(a=1.0, b=0.8, c=0.5),
    }
    (change,) = changes_of_places(cells)
    assert (change.a, change.b) in (("a", "b"), ("b", "a"))
    ahead = {change.a: change.a_ahead, change.b: change.b_ahead}
    assert ahead == {"a": ("c512",), "b": ("c1",)}


def test_a_lead_that_becomes_a_tie_is_no_change_of_places() -> None:
    assert changes_of_places({"c1": verdict(a=1.0, b=1.2), "c64": verdict(a=1.0, b=1.0)}) == ()
