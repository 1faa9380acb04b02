"""When a race ends, and how contenders stand before: it is judged between draws."""

from itertools import pairwise
from typing import Any

import pytest

from bakeoff.judge import judge
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.model.verdict import Verdict
from bakeoff.runs import resume
from bakeoff.runs.measuring.boot import measured_s
from tests.runs.conftest import Measure
from tests.runs.world import World, cut_off

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0, "same": 100_000.0}


def test_a_race_for_a_precision_ends_with_the_draw_that_reaches_it(measure: Measure) -> None:
    asked = {"precision": 0.05, "duration": 30.0, "boots": 3}
    finished = measure.race(World(SPEEDS), "fast", "slow", **asked)
    precision = finished.result.precision
    assert precision and precision.met and finished.result.complete
    assert measured_s(finished.records()) < 29
    with pytest.raises(BadUsage, match="is complete"):
        resume(finished.path, World(SPEEDS).stages(), World(SPEEDS))


@pytest.mark.parametrize(
    ("options", "live", "takes_s"), [({"precision": 0.001}, False, 0.4), ({}, True, 0.04)]
)
def test_judging_takes_a_tenth_of_a_core_where_it_may_end_the_race_and_else_a_hundredth(
    measure: Measure,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    live: bool,
    takes_s: float,
) -> None:
    world, seen = World(SPEEDS, live=live), list[tuple[float, int]]()

    def judged(plan: Plan, receipts: Any, records: Any, *more: Any) -> Verdict:
        seen.append((world.time_ns / 1e9, len(records)))
        world.wait(takes_s)
        return judge(plan, receipts, records, *more)

    monkeypatch.setattr("bakeoff.judge.judge", judged)
    finished = measure.race(world, "fast", "slow", duration=30.0, **options)
    assert seen[-1][1] == len(finished.records()), "the boot's end counts"
    looks_s = [at_s for at_s, _ in seen[:-1]]
    assert len(looks_s) > 3
    assert all(4 < b - a < 8 for a, b in pairwise(looks_s))


def test_two_contenders_with_a_budget_race_until_they_are_told_apart(measure: Measure) -> None:
    finished = measure.race(World(SPEEDS), "fast", "slow", budget=60.0, duration=None)
    verdict = finished.result
    assert verdict.complete and verdict.decided and verdict.stopping == "any_time"
    assert verdict.pairs[0].finding == "faster" and (verdict.pairs[0].ratio.draws or 0) >= 5
    assert measured_s(finished.records()) < 20
    with pytest.raises(BadUsage, match="is complete"):
        resume(finished.path, World(SPEEDS).stages(), World(SPEEDS))


def test_equals_race_until_they_are_within_the_margin_or_it_is_spent(measure: Measure) -> None:
    asked = {"budget": 12.0, "duration": None}
    equals = measure.race(World(SPEEDS), "fast", "same", within="5%", **asked).result
    assert equals.decided and equals.pairs[0].finding == "within" and equals.measured_s < 10
    undecided = measure.race(World(SPEEDS), "fast", "same", gates=["fast >= same"], **asked).result
    assert undecided.decided is False and undecided.complete
    assert undecided.measured_s == pytest.approx(12, rel=0.1)


def test_an_interrupted_race_has_wider_intervals_until_it_goes_on(measure: Measure) -> None:
    world = World(SPEEDS, on_slice=cut_off(700))
    cut = measure.race(world, "fast", "slow", duration=30.0)
    assert cut.result.stopping == "any_time" and cut.result.pairs
    whole = resume(cut.path, World(SPEEDS).stages(), World(SPEEDS)).result
    assert whole.stopping == "planned"

    def width(of: Verdict) -> float:
        pair = of.pairs[0]
        return (pair.ratio.high or 0) / (pair.ratio.low or 1) - 1

    assert width(whole) < width(cut.result)


def test_who_watches_is_told_how_the_contenders_stand_all_the_time(measure: Measure) -> None:
    for live in (True, False):
        world = World(SPEEDS, live=live)
        finished = measure.race(world, "slow", "fast", duration=12.0)
        assert finished.result.measured_s == pytest.approx(12, rel=0.1)
        assert finished.result.stopping == "planned"
        assert world.rates.keys() == {"slow", "fast"}, "the twin is not a contender"
        nothing, *stood = world.standings
        assert nothing is None
        assert bool(stood) == live
        for verdict in stood:
            assert verdict and verdict.stopping == "any_time"
            assert verdict.pairs[0].finding == "faster"


def test_a_precision_out_of_reach_takes_the_whole_budget(measure: Measure) -> None:
    asked = {"precision": 0.0001, "duration": 6.0}
    verdict = measure.race(World(SPEEDS), "fast", "slow", **asked).result
    assert verdict.precision and not verdict.precision.met
    assert verdict.precision.more_s is None, "what the machine's state adds is wider"
    assert verdict.complete
    assert verdict.measured_s == pytest.approx(6, rel=0.2)
