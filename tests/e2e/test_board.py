"""A board of one cell, with real servers and the real engine."""

import pytest

from bakeoff.model.board import Board
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e

CONTENDER = """
    name = "{name}"
    title = "{name}"
    language = "Python"
    kind = "server"
    [run]
    command = "python3 ../server.py"
    [serves]
    hello = "/"
    """
MINE = """
contenders = ["./one", "./other"]
[cells]
hello = ["h1"]
[races]
per_contender_s = 1
"""


def test_a_cell_is_raced_once_and_shown(place: Place) -> None:
    place.server("server")
    for name in ("one", "other"):
        place.contender(name, CONTENDER.format(name=name))
    (place.path / "mine.toml").write_text(MINE)
    ended = place.bakeoff("board", "mine.toml", "--budget", "2m", "--json", "board.json")
    assert ended.status == 0, ended.err
    (cell,) = Board.read_json(place.path / "board.json").cells
    assert (cell.state, cell.waiting) == ("current", ())
    assert {row.name for row in cell.rows if row.by} == {"one", "other"}
    (pair,) = cell.pairs
    assert pair.ratio.low and pair.ratio.high and pair.ratio.low < pair.ratio.high
    assert "one" in (place.path / "board/site/index.html").read_text()
    again = place.bakeoff("board", "mine.toml", "--plan")
    assert again.status == 0 and "Nothing is due." in again.out
    (place.path / "one" / "more").write_text("a source")
    changed = place.bakeoff("board", "mine.toml", "--plan")
    assert "its sources changed" in changed.out
