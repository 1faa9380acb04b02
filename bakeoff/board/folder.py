"""What a board leaves in its folder beside the races: itself as JSON, and its figures as CSV."""

from pathlib import Path

from bakeoff.board import tables
from bakeoff.model.board import Board
from bakeoff.model.errors import BadUsage
from bakeoff.report.render import csv

BOARD_JSON = "board.json"


def write(board: Board, folder: Path) -> None:
    """Raises `BadUsage` where the folder can't be written."""
    files = {
        BOARD_JSON: board.to_json() + "\n",
        "contenders.csv": csv([*tables.rows(board)]),
        "pairs.csv": csv([*tables.pairs(board)]),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            draft = folder / f".{name}.draft"
            draft.write_text(text, encoding="utf-8", newline="")
            draft.replace(folder / name)
    except OSError as error:
        raise BadUsage(f"{folder}: can't be written: {error.strerror}") from None


def read(folder: Path) -> Board:
    """The board of a folder. Raises `BadUsage` where none was made yet, and `BadFile`."""
    if not (folder / BOARD_JSON).exists():
        raise BadUsage(f"{folder}: has no {BOARD_JSON}; `bakeoff board --out {folder}` makes one")
    return Board.read_json(folder / BOARD_JSON)
