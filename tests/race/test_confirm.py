"""`--confirm`: a race, then its entries one at a time, in a world of known speeds."""

from pathlib import Path

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.plan import Catalogue, confirming
from bakeoff.race import Finished, race, rejudge, resume
from bakeoff.race.folder import RunFolder, measured_s
from tests.race.test_race import SPEEDS, catalogue, planned
from tests.race.world import World, entry_names

__all__ = ["catalogue"]


def plan_of(catalogue: Catalogue) -> Plan:
    return planned(catalogue, "fast", "slow", confirm=True)


def confirmed(catalogue: Catalogue, world: World, tmp_path: Path) -> Finished:
    return race(plan_of(catalogue), tmp_path / "runs", world.stages(), world)


def test_a_confirmation_is_solo_without_the_twin_and_takes_a_third_of_the_time(
    catalogue: Catalogue,
) -> None:
    plan = plan_of(catalogue)
    solo = confirming(plan)
    assert [entry.name for entry in solo.entries] == ["fast", "slow"]
    assert (solo.solo, solo.confirm, solo.gates, solo.boots) == (True, False, (), 10)
    assert solo.duration_s == pytest.approx(plan.duration_s / 3)
    long = plan.model_copy(update={"duration_s": 300.0})
    assert confirming(long).boots == 25, "windows of two seconds"


@pytest.mark.parametrize(
    ("words", "options", "says"),
    [
        (("fast", "slow"), {"solo": True}, "--solo does so already"),
        (("fast",), {"twin": False}, "one contender has none; it takes two"),
        (("fast",), {}, "one contender has none; it takes two"),
    ],
)
def test_what_cannot_be_confirmed_is_refused(
    catalogue: Catalogue, words: tuple[str, ...], options: dict[str, bool], says: str
) -> None:
    with pytest.raises(BadUsage, match=says):
        planned(catalogue, *words, confirm=True, **options)


def test_after_the_race_each_is_measured_alone(catalogue: Catalogue, tmp_path: Path) -> None:
    ups: list[int] = []
    world = World(SPEEDS, on_slice=lambda world, _: ups.append(len(world.up)))
    finished = confirmed(catalogue, world, tmp_path)
    alone = ups.index(1)
    assert set(ups[:alone]) == {3} and set(ups[alone:]) == {1}
    part = RunFolder(finished.folder / "confirm")
    assert entry_names(part.records()) == {"fast", "slow"}
    assert measured_s(part.records()) == pytest.approx(2.0, rel=0.1)
    slow = finished.verdict.entry("slow")
    assert slow and slow.solo
    assert slow.solo.n == 10
    assert slow.solo.low < 0.5 < slow.solo.high
    assert slow.solo_agrees is True
    assert RunFolder(finished.folder).verdict() == finished.verdict
    assert rejudge(finished.folder, world.stages()).verdict == finished.verdict
    assert not world.up


def test_one_that_only_suffers_from_the_others_turns_is_warned_of(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    def colder(world: World, _count: int) -> None:
        world.requests_per_s["slow"] = 80_000.0 if len(world.up) == 1 else 50_000.0

    verdict = confirmed(catalogue, World(dict(SPEEDS), on_slice=colder), tmp_path).verdict
    slow = verdict.entry("slow")
    assert slow and slow.solo
    assert slow.solo_agrees is False
    assert slow.solo.low < 0.8 < slow.solo.high
    assert any("in turns and solo it is not the same" in warning for warning in slow.warnings)


def test_an_interrupted_confirmation_keeps_the_verdict_and_goes_on_later(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    rounds = 0

    def interrupt(world: World, _count: int) -> None:
        nonlocal rounds
        rounds += len(world.up) == 1
        if rounds == 70:
            raise KeyboardInterrupt

    finished = confirmed(catalogue, World(SPEEDS, on_slice=interrupt), tmp_path)
    assert finished.interrupted
    assert finished.verdict.complete, "the race itself was whole"
    assert any("ended early" in warning for warning in finished.verdict.warnings)
    before = RunFolder(finished.folder).records()
    world = World(SPEEDS)
    again = resume(finished.folder, world.stages(), world)
    assert not again.interrupted
    assert RunFolder(finished.folder).records() == before, "the race is not measured again"
    slow = again.verdict.entry("slow")
    assert slow and slow.solo and slow.solo.n >= 10
    with pytest.raises(BadUsage, match="is complete"):
        resume(finished.folder, world.stages(), world)


def test_a_race_that_was_interrupted_before_it_is_confirmed_when_it_goes_on(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    def interrupt(_world: World, count: int) -> None:
        if count == 200:
            raise KeyboardInterrupt

    finished = confirmed(catalogue, World(SPEEDS, on_slice=interrupt), tmp_path)
    assert "not confirmed: the solo part was not measured" in finished.verdict.warnings
    assert not (finished.folder / "confirm").exists()
    world = World(SPEEDS)
    again = resume(finished.folder, world.stages(), world).verdict.entry("slow")
    assert again and again.solo


def test_a_confirmation_that_fails_leaves_the_race_its_verdict(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    def ill(world: World, _count: int) -> None:
        if len(world.up) == 1:
            world.unstartable |= {"fast": "is ill", "slow": "is ill"}

    world = World(SPEEDS, on_slice=ill)
    finished = confirmed(catalogue, world, tmp_path)
    assert finished.verdict.valid and not finished.interrupted
    assert "not confirmed: the solo part was not measured" in finished.verdict.warnings
    assert any(said.startswith("ended early: no contender is left") for said in world.seen)
