"""Contenders that work in others' turns are stopped there."""

import pytest

from bakeoff.model.errors import Status
from bakeoff.model.samples import BootEnd
from bakeoff.runs import AnyRun
from tests.runs.conftest import Measure
from tests.runs.processes import name_of
from tests.runs.test_race import SPEEDS
from tests.runs.world import World


def ends(run: AnyRun) -> list[BootEnd]:
    return [record for record in run.records() if isinstance(record, BootEnd)]


@pytest.fixture
def turns() -> set[tuple[str, ...]]:
    """Whose turn it was, with those that were frozen meanwhile."""
    return set()


def watched(turns: set[tuple[str, ...]], leaks: dict[str, float]) -> World:
    def note(world: World, _count: int) -> None:
        turns.add((name_of(world.loading), *sorted(map(name_of, world.frozen))))

    return World(SPEEDS, leaks=leaks, on_slice=note)


def test_who_works_in_others_turns_is_stopped_there_and_nowhere_else(
    measure: Measure, turns: set[tuple[str, ...]]
) -> None:
    world = watched(turns, {"slow": 0.15})
    run = measure.race(world, "fast", "slow", "same", twin=False, duration=20.0)
    assert turns == {*(("fast",), ("slow",), ("same",)), *(("fast", "slow"), ("same", "slow"))}
    (end,) = ends(run)
    assert end.held == {"slow": pytest.approx(0.15, abs=0.01)}
    assert not world.frozen and end.stopped, "all go on before they are ended"
    slow = run.result.entry("slow")
    assert slow and [each.code for each in slow.warnings] == ["held_in_turns"]
    assert slow.leak_share is not None and slow.leak_share < 0.15 / 2
    assert run.status == Status.DONE


def test_who_does_not_is_never_stopped(measure: Measure, turns: set[tuple[str, ...]]) -> None:
    world = watched(turns, {"slow": 0.005})
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0)
    assert turns == {("fast",), ("slow",)}
    assert [each.held for each in ends(run)] == [{}]


def test_where_processes_are_elsewhere_it_is_warned_of(measure: Measure) -> None:
    class Elsewhere(World):
        freezer = None  # type: ignore[assignment]

    world = Elsewhere(SPEEDS, leaks={"slow": 0.15})
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0)
    slow = run.result.entry("slow")
    assert slow and [each.code for each in slow.warnings] == ["cpu_leak"]
    assert not world.frozen_ns


def test_who_holds_streams_is_never_stopped(measure: Measure, turns: set[tuple[str, ...]]) -> None:
    world = watched(turns, {"slow": 0.15})
    streams = {"held": 5, "held_path": "/ticks"}
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0, **streams)
    assert turns == {("fast",), ("slow",)}
    assert [each.held for each in ends(run)] == [{}]
