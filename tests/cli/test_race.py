"""`bakeoff race --all`, in a world of known speeds."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bakeoff.cli.app import app
from bakeoff.model.errors import BadUsage
from bakeoff.plan import Catalogue
from tests.race.world import World

SPEEDS = {"fast": 100_000.0, "middle": 80_000.0, "slow": 50_000.0, "broken": 1.0, "other": 1.0}
CONTENDER = """
name = "{name}"
title = "{name}"
language = "C"
kind = "server"
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
    world = World(SPEEDS, unbuildable={"broken": "its build failed"})
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
