"""A board of five servers in a world of known speeds, raced through the command line."""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import Result

from bakeoff import satellites
from bakeoff.model.board import Board, BoardCell
from bakeoff.model.plan import Plan
from bakeoff.plan import Catalogue
from tests.cli.conftest import bakeoff
from tests.plan.places import catalogue
from tests.runs.world import World

SPEEDS = {"a": 100_000.0, "b": 100_000.0, "c": 80_000.0, "d": 60_000.0, "e": 40_000.0}
FILE = """
[cells]
hello = ["h1"]
json = ["h1"]
[races]
contenders = {most}
links = ["c", "d"]
per_contender_s = 2
"""


@dataclass
class Boards:
    """`bakeoff board` in a folder of the test's own; `most` contenders race at once."""

    world: World
    here: Path

    def __call__(self, *arguments: str, most: int = 10) -> Result:
        (self.here / "catalogue" / "board.toml").write_text(FILE.format(most=most))
        return bakeoff("board", *arguments)

    def board(self) -> Board:
        return Board.read_json(self.here / "board" / "board.json")

    def hello(self) -> BoardCell:
        return self.board().cell("hello/h1")

    def runs(self) -> list[Plan]:
        """The plans of all races, in the order of their names."""
        folders = (self.here / "board" / "runs").glob("2*")
        return [Plan.read_json(folder / "plan.json") for folder in sorted(folders)]


@pytest.fixture
def boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Boards:
    """`a` to `e` serve hello, and all but `e` json."""
    made = catalogue(tmp_path / "catalogue", *SPEEDS, workloads=("hello", "json"))
    for name in "abcd":
        with (made.folder(name) / "contender.toml").open("a") as file:
            file.write('json = "/json"\n')
    world = World(dict(SPEEDS))
    monkeypatch.setattr(Catalogue, "shipped", classmethod(lambda _: made))
    monkeypatch.setattr(satellites, "real_stages", world.stages)
    # In 5 of 100 orders even equal servers are told apart.
    monkeypatch.setattr(random, "SystemRandom", lambda: random.Random(1))
    monkeypatch.chdir(tmp_path)
    return Boards(world, tmp_path)
