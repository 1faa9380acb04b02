"""`--confirm`: a race, then its entries one at a time, in a world of known speeds."""

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.model.finding import Finding
from bakeoff.runs import open_run, report, resume
from bakeoff.runs.kinds.race import RaceRun
from bakeoff.runs.measuring.boot import measured_s
from tests.runs.conftest import Measure, entry_names
from tests.runs.test_race import SPEEDS
from tests.runs.world import World, cut_off


def confirmed(measure: Measure, world: World) -> RaceRun:
    return measure.race(world, "fast", "slow", confirm=True)


def test_after_the_race_each_is_measured_alone(measure: Measure) -> None:
    ups: list[int] = []
    world = World(SPEEDS, on_slice=lambda world, _: ups.append(len(world.up)))
    finished = confirmed(measure, world)
    alone = ups.index(1)
    assert set(ups[:alone]) == {3, 6} and set(ups[alone:]) == {1}, "6: with new processes"
    part = open_run(finished.path / "confirm")
    assert entry_names(part.records()) == {"fast", "slow"}
    assert measured_s(part.records()) == pytest.approx(4.0, rel=0.1)
    slow = finished.result.entry("slow")
    assert slow and slow.solo
    assert slow.solo.n == 10
    low, high = slow.solo.ends
    assert low < 0.5 < high
    assert slow.solo_agrees is True
    assert open_run(finished.path).result == finished.result
    assert report(finished.path, world).result == finished.result
    assert not world.up


def test_one_that_only_suffers_from_the_others_turns_is_warned_of(measure: Measure) -> None:
    def colder(world: World, _count: int) -> None:
        world.requests_per_s["slow"] = 80_000.0 if len(world.up) == 1 else 50_000.0

    verdict = confirmed(measure, World(dict(SPEEDS), on_slice=colder)).result
    slow = verdict.entry("slow")
    assert slow and slow.solo
    assert slow.solo_agrees is False
    low, high = slow.solo.ends
    assert low < 0.8 < high
    assert "solo_differs" in {each.code for each in slow.warnings}


def test_an_interrupted_confirmation_keeps_the_verdict_and_goes_on_later(measure: Measure) -> None:
    rounds = 0

    def interrupt(world: World, _count: int) -> None:
        nonlocal rounds
        rounds += len(world.up) == 1
        if rounds == 70:
            raise KeyboardInterrupt

    finished = confirmed(measure, World(SPEEDS, on_slice=interrupt))
    assert finished.interrupted
    assert finished.result.complete, "the race itself was whole"
    assert "solo_cut_short" in {each.code for each in finished.result.warnings}
    before = open_run(finished.path).records()
    world = World(SPEEDS)
    again = resume(finished.path, world.stages(), world)
    assert not again.interrupted
    assert open_run(finished.path).records() == before, "the race is not measured again"
    slow = again.result.entry("slow")
    assert slow and slow.solo and slow.solo.n >= 10
    with pytest.raises(BadUsage, match="is complete"):
        resume(finished.path, world.stages(), world)


def test_a_race_interrupted_before_it_is_confirmed_when_it_goes_on(measure: Measure) -> None:
    finished = confirmed(measure, World(SPEEDS, on_slice=cut_off(200)))
    assert Finding.of("not_confirmed") in finished.result.warnings
    assert not (finished.path / "confirm").exists()
    world = World(SPEEDS)
    again = resume(finished.path, world.stages(), world).result.entry("slow")
    assert again and again.solo


def test_a_confirmation_that_fails_leaves_the_race_its_verdict(measure: Measure) -> None:
    def ill(world: World, _count: int) -> None:
        if len(world.up) == 1:
            world.unstartable |= {"fast": "is ill", "slow": "is ill"}

    world = World(SPEEDS, on_slice=ill)
    finished = confirmed(measure, world)
    assert finished.result.valid and not finished.interrupted
    assert Finding.of("not_confirmed") in finished.result.warnings
    assert any(said.startswith("ended early: ") and "is ill" in said for said in world.seen)
