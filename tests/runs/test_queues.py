"""A listen queue that is too short for the load is seen before the warm-up."""

from typing import Any

from bakeoff.model.samples import PlanChange
from bakeoff.runs.measuring.queues import AT_ONCE_MS
from tests.runs.conftest import Measure
from tests.runs.world import World

SPEEDS = {"fast": 10_000.0, "slow": 10_000.0, "same": 10_000.0}


def changes(run: Any) -> list[PlanChange]:
    return [record for record in run.records() if isinstance(record, PlanChange)]


def test_where_nobody_asked_for_a_number_all_get_as_many_as_fit(measure: Measure) -> None:
    world = World(SPEEDS, places={"fast": 7, "slow": 5, "same": 128})
    run = measure.race(world, "fast", "slow", "same")
    assert changes(run) == [PlanChange(connections=5, places={"fast": 7, "slow": 5})]
    verdict = run.result
    assert (verdict.connections, verdict.valid, verdict.complete) == (5, True, True)
    assert {entry.name for entry in verdict.entries if entry.valid} >= set(SPEEDS)
    (warned,) = (each for each in verdict.warnings if each.code == "fewer_connections")
    assert (warned.values["names"], warned.values["places"]) == (["fast", "slow"], [7, 5])
    assert any("5 connections instead of 64" in text for text in world.seen)


def test_one_that_holds_fewer_is_out_with_the_number_that_would_do(measure: Measure) -> None:
    world = World(SPEEDS, places={"fast": 5})
    verdict = measure.race(world, "fast", "same", "slow", connections=(64,)).result
    assert {entry.name for entry in verdict.entries} == {"same", "slow"}
    assert "use -c 5" in verdict.skipped[0].reason


def test_a_short_queue_that_does_not_overflow_is_no_matter(measure: Measure) -> None:
    world = World(SPEEDS, places={"fast": 64})
    run = measure.race(world, "fast", "same")
    assert not changes(run)
    assert run.result.connections == 64


def test_who_serves_few_at_a_time_is_found_before_the_load(measure: Measure) -> None:
    world = World(SPEEDS, served={"fast": 1, "slow": 8})
    run = measure.race(world, "fast", "slow", "same")
    assert changes(run) == [PlanChange(connections=1, served={"fast": 1, "slow": 8})]
    assert run.result.connections == 1 and run.result.complete
    (warned,) = (each for each in run.result.warnings if each.code == "fewer_served")
    assert (warned.values["names"], warned.values["served"]) == (["fast", "slow"], [1, 8])
    assert any(text.startswith("1 connection instead of 64, as the others") for text in world.seen)


def test_who_is_asked_for_more_than_it_serves_at_a_time_is_out(measure: Measure) -> None:
    world = World(SPEEDS, served={"fast": 1})
    verdict = measure.race(world, "fast", "same", "slow", connections=(64,)).result
    assert {entry.name for entry in verdict.entries} == {"same", "slow"}
    (fast,) = verdict.skipped
    assert fast.reason.startswith("it serves 1 of 64 connections at a time")
    assert "use -c 1, or --close" in fast.reason


def test_a_queue_that_overflows_while_the_load_connects_is_too_short(measure: Measure) -> None:
    world = World(SPEEDS, queues={"fast": 5})
    run = measure.race(world, "fast", "same")
    assert changes(run) == [PlanChange(connections=5, places={"fast": 5})]


def test_whose_queue_overflows_is_asked_one_by_one_and_not_waited_for(measure: Measure) -> None:
    world = World(SPEEDS, queues={"fast": 5, "slow": 63, "same": 64})
    run = measure.race(world, "fast", "slow", "same")
    assert changes(run) == [PlanChange(connections=5, places={"fast": 5, "slow": 63})]
    assert world.waited_ms == 2 * AT_ONCE_MS


def test_those_that_close_are_not_asked_how_many_they_serve(measure: Measure) -> None:
    world = World(SPEEDS, served={"fast": 1})
    run = measure.race(world, "fast", "same", connection=("close",))
    assert not changes(run)
