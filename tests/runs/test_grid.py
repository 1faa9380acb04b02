"""A grid in a world of known speeds: its cells, its leaders, and being cut off."""

from typing import Any

import pytest

from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadUsage, ContenderOut
from bakeoff.model.grid import Grid
from bakeoff.model.receipt import Receipt
from bakeoff.runs import open_run, resume
from tests.runs.conftest import Measure
from tests.runs.loads import FakeLoad
from tests.runs.world import World, cut_off

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0}


def test_every_cell_has_a_verdict_of_its_own(measure: Measure) -> None:
    done = measure.grid(World(SPEEDS), pipeline=(1, 16), duration=16.0)
    grid = done.result
    assert grid.complete and not done.interrupted
    assert [cell.name for cell in grid.cells] == ["c1-p1", "c64-p1", "c1-p16", "c64-p16"]
    for cell in grid.cells:
        assert cell.leaders == ("fast",)
        assert cell.verdict and cell.verdict.measured_s == pytest.approx(4, abs=1)
        assert cell.verdict.connections == cell.settings.connections
        assert cell.verdict.pipeline == cell.settings.pipeline
        assert not cell.verdict.entries[0].reasons
    assert grid.changes == ()


def test_its_folder_has_each_cell_as_a_run(measure: Measure) -> None:
    done = measure.grid(World(SPEEDS))
    assert [open_run(path).kind for path in (done.path, done.path / "c1")] == ["grid", "race"]
    assert (done.path.parent / "latest").resolve() == done.path
    for cell in ("c1", "c64"):
        kept = {path.name for path in (done.path / cell).iterdir()}
        assert {"plan.json", "samples.jsonl", "verdict.json", "report.html"} <= kept
    assert Grid.read_json(done.path / "grid.json") == done.result


def test_cut_off_before_anything_was_measured_there_is_no_grid(measure: Measure) -> None:
    with pytest.raises(KeyboardInterrupt):
        measure.grid(World(SPEEDS, on_slice=cut_off(1)))


def test_who_changes_places_is_found(measure: Measure, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(dict(SPEEDS))
    plain = FakeLoad.__init__

    def by_connections(self: FakeLoad, given: World, job: Any) -> None:
        given.requests_per_s["slow"] = 50_000.0 if job.connections == 1 else 200_000.0
        plain(self, given, job)

    monkeypatch.setattr(FakeLoad, "__init__", by_connections)
    grid = measure.grid(world).result
    assert [cell.leaders for cell in grid.cells] == [("fast",), ("slow",)]
    (change,) = grid.changes
    assert {change.a: change.a_ahead, change.b: change.b_ahead} == {
        "fast": ("c1",),
        "slow": ("c64",),
    }


def test_what_cannot_be_built_is_tried_once_and_out_of_every_cell(measure: Measure) -> None:
    tried: list[str] = []

    class Building(World):
        def build_one(self, contender: Contender) -> Receipt | ContenderOut:
            tried.append(contender.name)
            return super().build_one(contender)

    world = Building(SPEEDS, unbuildable={"slow": "no compiler"})
    grid = measure.grid(world, keep_going=True).result
    assert tried == ["fast", "slow"]
    for cell in grid.cells:
        assert cell.verdict and cell.verdict.skipped[0].reason == "no compiler"
        assert cell.leaders == (), "there is nobody to lead"


def test_a_cell_in_which_nobody_takes_part_is_said_and_the_rest_goes_on(measure: Measure) -> None:
    class Shallow(World):
        def verify(self, *asked: Any) -> Any:
            self.wrong = dict.fromkeys(SPEEDS, "answers out of order") if asked[3] > 1 else {}
            return super().verify(*asked)

    grid = measure.grid(Shallow(SPEEDS), connections=None, pipeline=(16, 1)).result
    deep, flat = grid.cells
    assert deep.verdict is None and "answers out of order" in deep.skipped
    assert flat.leaders == ("fast",)
    assert grid.complete


def test_other_sources_do_not_finish_it(measure: Measure) -> None:
    done = measure.grid(World(SPEEDS))
    receipts = done.path / "c1" / "receipts.json"
    receipts.write_text(receipts.read_text().replace("0" * 64, "1" * 64))
    for path in (done.path / "c64").iterdir():
        if path.is_file():
            path.unlink()
    world = World(SPEEDS)
    with pytest.raises(
        BadUsage,
        match=" fast, slow ",
    ):
        resume(done.path, world.stages(), world)
    assert not world.slices
