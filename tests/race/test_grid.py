"""A grid in a world of known speeds: its cells, its leaders, and being cut off."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadUsage, ContenderOut
from bakeoff.model.grid import Grid
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores
from bakeoff.model.receipt import Receipt
from bakeoff.plan import Axes, Catalogue, Options, decide_grid, name_contenders
from bakeoff.race import Gridded, is_grid, race_grid, report_grid, resume_grid
from tests.judge.races import MACHINE
from tests.race.world import FakeLoad, World

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0}
CORES = Cores(server=(0,), client=(1,))
TWO = Axes(connections=(1, 64))


@pytest.fixture
def gridded(tmp_path: Path) -> Callable[..., Gridded]:
    """Run a grid of `fast` and `slow` over two numbers of connections, or other axes."""
    root = tmp_path / "a catalogue"
    for name in SPEEDS:
        folder = root / "contenders" / name
        folder.mkdir(parents=True)
        (folder / "contender.toml").write_text(
            f'name = "{name}"\ntitle = "{name}"\nlanguage = "C"\nkind = "server"\n'
            'pipelines = true\n[run]\ncommand = "./x"\n[serves]\nhello = "/"\n'
        )
    (root / "workloads").mkdir()
    (root / "workloads" / "hello.toml").write_text('name = "hello"\ntitle = "Hello"\n')
    catalogue = Catalogue(root)

    def run(world: World, axes: Axes = TWO, **options: Any) -> Gridded:
        given = {"seed": 3, "cores": CORES, "duration_s": 8.0, "boots": 2, **options}
        named = name_contenders(["fast", "slow"], catalogue, root)
        asked = decide_grid(
            named, catalogue, axes.combined(Options(**given)), stamp="t", command_line=["bakeoff"]
        )
        return race_grid(asked, tmp_path / "runs", world.stages(), world)

    return run


def test_every_cell_has_a_verdict_of_its_own(gridded: Callable[..., Gridded]) -> None:
    axes = Axes(connections=(1, 64), pipeline=(1, 16))
    done = gridded(World(SPEEDS), axes, duration_s=16.0)
    found = done.grid
    assert found.complete and not done.interrupted
    assert [cell.name for cell in found.cells] == ["c1-p1", "c64-p1", "c1-p16", "c64-p16"]
    for cell in found.cells:
        assert cell.leaders == ("fast",)
        assert cell.verdict and cell.verdict.measured_s == pytest.approx(4, abs=1)
        assert cell.verdict.connections == cell.settings.connections
        assert cell.verdict.pipeline == cell.settings.pipeline
        assert not cell.verdict.entries[0].reasons
    assert found.changes == ()


def test_its_folder_has_each_cell_as_a_run(gridded: Callable[..., Gridded]) -> None:
    done = gridded(World(SPEEDS))
    assert is_grid(done.folder) and not is_grid(done.folder / "c1")
    assert (done.folder.parent / "latest").resolve() == done.folder
    for cell in ("c1", "c64"):
        kept = {path.name for path in (done.folder / cell).iterdir()}
        assert {"plan.json", "samples.jsonl", "verdict.json", "report.html"} <= kept
    assert Grid.read_json(done.folder / "grid.json") == done.grid


def test_who_changes_places_is_found(
    gridded: Callable[..., Gridded], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(dict(SPEEDS))
    plain = FakeLoad.__init__

    def by_connections(self: FakeLoad, given: World, job: Any) -> None:
        given.requests_per_s["slow"] = 50_000.0 if job.connections == 1 else 200_000.0
        plain(self, given, job)

    monkeypatch.setattr(FakeLoad, "__init__", by_connections)
    found = gridded(world).grid
    assert [cell.leaders for cell in found.cells] == [("fast",), ("slow",)]
    (change,) = found.changes
    assert {change.a: change.a_ahead, change.b: change.b_ahead} == {
        "fast": ("c1",),
        "slow": ("c64",),
    }


def test_what_cannot_be_built_is_tried_once_and_out_of_every_cell(
    gridded: Callable[..., Gridded],
) -> None:
    tried: list[str] = []

    class Building(World):
        def build(self, contender: Contender) -> Receipt | ContenderOut:
            tried.append(contender.name)
            return super().build(contender)

    found = gridded(Building(SPEEDS, unbuildable={"slow": "no compiler"})).grid
    assert tried == ["fast", "slow"]
    for cell in found.cells:
        assert cell.verdict and cell.verdict.skipped[0].reason == "no compiler"
        assert cell.leaders == (), "there is nobody to lead"


def test_a_cell_in_which_nobody_takes_part_is_said_and_the_rest_goes_on(
    gridded: Callable[..., Gridded],
) -> None:
    class Shallow(World):
        def verify(self, *asked: Any) -> Any:
            self.wrong = dict.fromkeys(SPEEDS, "answers out of order") if asked[-1] > 1 else {}
            return super().verify(*asked)

    found = gridded(Shallow(SPEEDS), Axes(pipeline=(16, 1))).grid
    deep, flat = found.cells
    assert deep.verdict is None and "answers out of order" in deep.skipped
    assert flat.leaders == ("fast",)
    assert found.complete


def test_cut_off_it_keeps_what_it_has_and_goes_on(gridded: Callable[..., Gridded]) -> None:
    def cut(world: World, count: int) -> None:
        if count == 100:
            raise KeyboardInterrupt

    done = gridded(World(SPEEDS, on_slice=cut))
    assert done.interrupted and not done.grid.complete
    assert done.grid.cells[0].verdict
    assert done.grid.cells[1].skipped == "the grid ended before it was measured"
    world = World(SPEEDS)
    whole = resume_grid(done.folder, world.stages(), world)
    assert whole.grid.complete and not whole.interrupted
    assert [cell.leaders for cell in whole.grid.cells] == [("fast",)] * 2
    before = world.slices
    again = resume_grid(done.folder, world.stages(), world)
    assert world.slices == before, "nothing was missing"
    assert again.grid == whole.grid


def test_cut_off_before_anything_was_measured_there_is_no_grid(
    gridded: Callable[..., Gridded],
) -> None:
    def cut(world: World, count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gridded(World(SPEEDS, on_slice=cut))


def test_it_is_judged_again_without_a_server(gridded: Callable[..., Gridded]) -> None:
    done = gridded(World(SPEEDS))
    world = World(SPEEDS)
    assert report_grid(done.folder, world.stages()).grid == done.grid
    assert not world.slices
    (done.folder / "grid.json").unlink()
    with pytest.raises(BadUsage, match="cut off before it was judged"):
        report_grid(done.folder, world.stages())


def test_another_machine_does_not_finish_it(gridded: Callable[..., Gridded]) -> None:
    done = gridded(World(SPEEDS))
    other = MACHINE.model_copy(update={"cpu_model": "another"})
    (done.folder / "machine.json").write_text(Machine.to_json(other))
    world = World(SPEEDS)
    with pytest.raises(BadUsage, match="cells of unlike machines make no grid"):
        resume_grid(done.folder, world.stages(), world)


def test_other_sources_do_not_finish_it(gridded: Callable[..., Gridded]) -> None:
    done = gridded(World(SPEEDS))
    receipts = done.folder / "c1" / "receipts.json"
    receipts.write_text(receipts.read_text().replace("0" * 64, "1" * 64))
    (done.folder / "c64" / "samples.jsonl").unlink()
    (done.folder / "c64" / "receipts.json").unlink()
    world = World(SPEEDS)
    with pytest.raises(BadUsage, match="the sources of fast are not what they were"):
        resume_grid(done.folder, world.stages(), world)
