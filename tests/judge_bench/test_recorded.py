"""The recorded races of equals, judged by today's estimate."""

from tests.judge_bench import recorded


def test_recorded_equals_are_judged_better_than_when_they_were_raced() -> None:
    """On these very blocks the estimate was chosen: 0.387 %, 0.784 % and 3 before."""
    found = recorded.summary([recorded.judged(race) for race in recorded.races()])
    assert found["n"] == 97
    assert found["error"] < 0.34 and found["half_width"] < 0.65 and found["missed"] <= 3


def test_recorded_equals_have_no_pauses_and_those_that_are_planted_are_found() -> None:
    """1 of 97 would be a rate of up to 5.6 %."""
    races = list(recorded.races())
    assert not any(each.own for race in races for each in recorded.lost(race))
    assert sum(recorded.lost(race, 0.1, 0.5)[0].own for race in races) > 90
