"""`bakeoff race --all`, and a grid of races, in a world of known speeds."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bakeoff.cli.app import app
from bakeoff.model.errors import BadUsage
from bakeoff.model.grid import Grid
from bakeoff.model.verdict import Verdict
from bakeoff.plan import Catalogue
from tests.race.world import World

SPEEDS = {"fast": 100_000.0, "middle": 80_000.0, "slow": 50_000.0, "broken": 1.0, "other": 1.0}
CONTENDER = """
name = "{name}"
title = "{name}"
language = "C"
kind = "server"
pipelines = true
[run]
command = "./x"
[serves]
{serves} = "/"
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A catalogue whose default line-up is `slow`; `broken` can't be built, `other` serves else."""
    for name in SPEEDS:
        folder = tmp_path / "contenders" / name
        folder.mkdir(parents=True)
        serves = "empty" if name == "other" else "hello"
        (folder / "contender.toml").write_text(CONTENDER.format(name=name, serves=serves))
    (tmp_path / "contenders" / "lineup.toml").write_text('default = ["slow"]')
    (tmp_path / "workloads").mkdir()
    (tmp_path / "workloads" / "hello.toml").write_text('name = "hello"\ntitle = "Hello"\n')
    world = World(dict(SPEEDS), unbuildable={"broken": "its build failed"})
    monkeypatch.setattr(Catalogue, "shipped", classmethod(lambda _: Catalogue(tmp_path)))
    monkeypatch.setattr("bakeoff.cli.race.real_stages", world.stages)
    monkeypatch.chdir(tmp_path)
    return world


def race(*words: str) -> Result:
    cores = ("--cpus", "server=0,client=0")
    return CliRunner().invoke(app, ["race", *words, *cores], env={"COLUMNS": "200"})


def test_all_race_that_can(world: World, tmp_path: Path) -> None:
    done = race("--all", "-d", "8", "--json", "verdict.json")
    assert done.exit_code == 0, done.output
    verdict: dict[str, Any] = json.loads((tmp_path / "verdict.json").read_text())
    assert {entry["name"] for entry in verdict["entries"]} == {"fast", "middle", "slow"}
    skipped = {one["name"]: one["reason"] for one in verdict["skipped"]}
    assert skipped == {
        "broken": "its build failed",
        "other": "doesn't serve the workload hello; it serves empty",
    }
    assert verdict["reference"] == "slow", "the first of the default line-up"
    assert verdict["noise_floor"]["name"] == "slow (twin)"


def test_how_long_it_takes_is_said_before_it_begins(world: World) -> None:
    said = race("--all", "-d", "2").stderr.splitlines()[0]
    assert said.startswith("5 servers, 2 s of measuring in 3 boots")


def test_all_and_names_exclude_each_other(world: World) -> None:
    refused = race("fast", "--all").exception
    assert isinstance(refused, BadUsage)
    assert str(refused) == "race: takes contenders or --all, not both"


def test_several_values_make_a_grid_with_a_verdict_for_each_cell(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = race("fast", "slow", "-c", "1,64", "--workers", "2", "-d", "8", "--json", "grid.json")
    assert done.exit_code == 0, done.output
    assert "2 cells of 4 s of measuring each, 8 s in all; 3 boots in each cell" in done.output
    assert "fast leads in all 2 cells." in done.output
    grid = Grid.read_json(tmp_path / "grid.json")
    assert [cell.settings.connections for cell in grid.cells] == [1, 64]
    for cell in grid.cells:
        assert cell.verdict and "2 workers were asked for on one server core" in str(
            cell.verdict.warnings
        )
    monkeypatch.setattr("bakeoff.cli.runs.real_stages", world.stages)
    before = world.slices
    for command in ("report", "resume"):
        again = CliRunner().invoke(app, [command, "runs/latest", "--json", "again.json"])
        assert again.exit_code == 0, again.output
        assert Grid.read_json(tmp_path / "again.json") == grid
    assert world.slices == before


def test_one_value_everywhere_is_a_race_as_ever(world: World, tmp_path: Path) -> None:
    words = ("-c", "8", "--pipeline", "4", "--workers", "1", "--keep-alive", "-d", "8")
    done = race("fast", "slow", *words, "--json", "verdict.json")
    assert done.exit_code == 0, done.output
    verdict = Verdict.read_json(tmp_path / "verdict.json")
    assert (verdict.connections, verdict.connection) == (8, "keep-alive")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-c", "1,x"), "--connections: is `x` in 1,x; it takes a number above zero, or several"),
        (("--workers", "1,1"), "--workers: has 1 twice in 1,1"),
        (("--pipeline", "0"), "--pipeline: is 0"),
        (("--pipeline", "16", "--close"), "--pipeline 16 needs --keep-alive"),
        (("--pipeline", "4,16", "--close"), "--pipeline 4 needs --keep-alive"),
        (("-c", "1,2", "--json", "/nowhere/x"), "--json /nowhere/x: can't be written"),
    ],
)
def test_what_makes_no_grid_is_refused_before_anything_starts(
    world: World, tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    done = race("fast", "slow", *words)
    assert isinstance(done.exception, BadUsage) and says in str(done.exception)
    assert not world.slices and not (tmp_path / "runs").exists()
