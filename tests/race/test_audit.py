"""An audit without a race, in a world of known habits."""

import tempfile
from pathlib import Path

import pytest

from bakeoff.model.errors import NoVerdict
from bakeoff.plan import Catalogue
from bakeoff.race import audit
from tests.judge.races import SOUND_AUDIT
from tests.race.test_race import SPEEDS, catalogue, planned
from tests.race.world import World

__all__ = ["catalogue"]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_it_says_what_each_does_and_what_is_unequal(catalogue: Catalogue, temporary: Path) -> None:
    world = World(
        SPEEDS,
        audits={"slow": SOUND_AUDIT.model_copy(update={"date": "frozen"})},
        log_bytes_per_request={"fast": 50.0},
    )
    found = audit(planned(catalogue, "fast", "slow", "same", twin=False), world.stages(), world)
    assert list(found.works) == ["fast", "slow", "same"], "in the order in which they were named"
    assert found.unequal == (
        "fast wrote 50 bytes of log per request",
        "the Date of slow does not move",
    )
    assert (found.workload, found.connections, found.skipped) == ("hello", 64, ())
    assert found.works["same"].crew and found.works["same"].crew.threads_at_work == 1
    assert not world.up and not list(temporary.iterdir()), "nothing is left"


def test_one_that_cannot_take_part_is_named_and_the_others_are_audited(
    catalogue: Catalogue,
) -> None:
    world = World(SPEEDS, wrong={"slow": "is ill"}, unbuildable={"same": "has no compiler"})
    found = audit(planned(catalogue, "fast", "slow", "same", twin=False), world.stages(), world)
    assert list(found.works) == ["fast"]
    assert {each.name: each.reason for each in found.skipped} == {
        "slow": "is ill",
        "same": "has no compiler",
    }


def test_one_that_dies_is_named(catalogue: Catalogue) -> None:
    def die(world: World, count: int) -> None:
        world.dead["slow"] = "was killed by signal SIGSEGV"

    world = World(SPEEDS, on_slice=die)
    found = audit(planned(catalogue, "fast", "slow", twin=False), world.stages(), world)
    assert "it died under load: was killed by signal SIGSEGV" in found.skipped[0].reason


def test_where_nobody_comes_up_there_is_nothing_to_compare(
    catalogue: Catalogue, temporary: Path
) -> None:
    world = World(SPEEDS, unstartable={"fast": "is ill"})
    with pytest.raises(NoVerdict, match="fast: is ill"):
        audit(planned(catalogue, "fast", twin=False), world.stages(), world)
    assert not list(temporary.iterdir())


def test_an_interrupt_leaves_nothing(catalogue: Catalogue, temporary: Path) -> None:
    def at_once(_world: World, _count: int) -> None:
        raise KeyboardInterrupt

    world = World(SPEEDS, on_slice=at_once)
    with pytest.raises(KeyboardInterrupt):
        audit(planned(catalogue, "fast", "slow", twin=False), world.stages(), world)
    assert not world.up and not list(temporary.iterdir())
