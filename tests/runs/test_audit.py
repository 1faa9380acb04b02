"""An audit without a race, in a world of known habits."""

import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from bakeoff.runs import audit
from tests.judge.facts import SOUND_AUDIT
from tests.runs.conftest import Measure
from tests.runs.test_race import SPEEDS
from tests.runs.world import World, cut_off


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_it_says_what_each_does_and_what_is_unequal(measure: Measure, temporary: Path) -> None:
    world = World(
        SPEEDS,
        audits={"slow": SOUND_AUDIT.model_copy(update={"date": "frozen"})},
        log_bytes_per_request={"fast": 50.0},
    )
    audited = audit(measure.plan("fast", "slow", "same", twin=False), world.stages(), world)
    assert list(audited.works) == ["fast", "slow", "same"], "in the order in which they were named"
    logs, dates = audited.unequal
    assert (logs.code, logs.values["names"]) == ("logs", ["fast"])
    assert (dates.code, dates.values["names"]) == ("date_frozen", ["slow"])
    assert (audited.workload, audited.connections, audited.skipped) == ("hello", 64, ())
    assert audited.works["same"].crew and audited.works["same"].crew.threads_at_work == 1
    assert not world.up and not list(temporary.iterdir()), "nothing is left"


def test_one_that_cannot_take_part_is_named_and_the_others_are_audited(measure: Measure) -> None:
    world = World(SPEEDS, wrong={"slow": "is ill"}, unbuildable={"same": "has no compiler"})
    audited = audit(measure.plan("fast", "slow", "same", twin=False), world.stages(), world)
    assert list(audited.works) == ["fast"]
    assert {each.name: each.reason for each in audited.skipped} == {
        "slow": "is ill",
        "same": "has no compiler",
    }


class OnlyAtOnce(World):
    """What is asked waits for a clock: an answer, an audit and two probes wait for each other."""

    all = threading.Barrier(4, timeout=20)

    def sample_answers(self, *given: Any) -> Any:
        self.all.wait()
        return super().sample_answers(*given)

    def audit(self, *given: Any) -> Any:
        self.all.wait()
        return super().audit(*given)

    def probe(self, *given: Any) -> Any:
        self.all.wait()
        return super().probe(*given)


def test_all_that_waits_for_a_clock_waits_at_once(measure: Measure) -> None:
    world = OnlyAtOnce(SPEEDS)
    run = measure.race(world, "fast", "slow")
    (boot,) = (record for record in run.records() if record.type == "boot")
    assert all(each.audit and each.audit.closes_when_asked for each in boot.started)
    assert not set(world.probed) & set(world.up)


def test_an_interrupt_leaves_nothing(measure: Measure, temporary: Path) -> None:
    world = World(SPEEDS, on_slice=cut_off())
    with pytest.raises(KeyboardInterrupt):
        audit(measure.plan("fast", "slow", twin=False), world.stages(), world)
    assert not world.up and not list(temporary.iterdir())


def test_one_whose_requests_fail_under_load_is_named(measure: Measure) -> None:
    world = World(SPEEDS, broken={"slow": "reset"})
    report = audit(measure.plan("fast", "slow", twin=False), world.stages(), world)
    (slow,) = report.skipped
    assert (slow.name, "reset 64 times" in slow.reason) == ("slow", True)
