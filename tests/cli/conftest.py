"""A catalogue in a world of known speeds, behind the command line and the library alike."""

import random
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bakeoff import satellites
from bakeoff.cli.app import app
from bakeoff.plan import Catalogue
from tests.plan.places import catalogue, contender
from tests.runs.world import World

SPEEDS = {"fast": 100_000.0, "middle": 80_000.0, "slow": 50_000.0, "broken": 1.0, "other": 1.0}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """The default line-up is `slow`; `broken` can't be built, `other` serves another workload.

    Races have one seed: in 5 of 100 orders even equal servers are told apart.
    """
    made = catalogue(tmp_path, "fast", "middle", "slow", "broken")
    contender(tmp_path / "contenders", "other", serves="empty")
    (tmp_path / "contenders" / "lineup.toml").write_text('default = ["slow"]')
    world = World(dict(SPEEDS), unbuildable={"broken": "its build failed"})
    monkeypatch.setattr(Catalogue, "shipped", classmethod(lambda _: made))
    monkeypatch.setattr(satellites, "real_stages", world.stages)
    monkeypatch.setattr(random, "SystemRandom", lambda: random.Random(1))
    monkeypatch.chdir(tmp_path)
    return world


def bakeoff(*arguments: str) -> Result:
    """The command line, on a wide terminal."""
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})


def race(*arguments: str) -> Result:
    return bakeoff("race", *arguments, "--cpus", "server=0,client=0")
