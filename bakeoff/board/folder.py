"""A board's files in its folder beside the races: itself as JSON, and its figures as CSV."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from bakeoff.explore.site import write as write_file
from bakeoff.model.board import Board, Measure, Standing
from bakeoff.model.errors import BadUsage
from bakeoff.report.document import DataRow, Value
from bakeoff.report.flat import flat, part
from bakeoff.report.render import csv
from bakeoff.report.sentences import joined

BOARD_JSON = "board.json"


def write(board: Board, folder: Path) -> None:
    """Raises `BadUsage` where the folder can't be written."""
    files = {BOARD_JSON: board.to_json() + "\n", **tables(board)}
    try:
        for name, text in files.items():
            write_file(folder, name, text.encode())
    except OSError as error:
        raise BadUsage(f"{folder}: can't be written: {error.strerror}") from None


def read(folder: Path) -> Board:
    """The board of a folder. Raises `BadUsage` where it has none yet, and `BadFile`."""
    if not (folder / BOARD_JSON).exists():
        raise BadUsage(f"{folder}: has no {BOARD_JSON}; `bakeoff board --out {folder}` makes one")
    return Board.read_json(folder / BOARD_JSON)


OF_ROW: Mapping[Measure, str] = {
    "throughput": "requests_per_s",
    "cpu": "cpu_us_per_request",
    "first_byte": "first_byte_p50_us",
    "memory": "memory_mib",
}
"""A measure → the column of its value."""


def tables(board: Board) -> dict[str, str]:
    """Its contenders by cell, and its pairs, as files of CSV with unrounded figures."""
    return {"contenders.csv": csv([*_rows(board)]), "pairs.csv": csv([*_pairs(board)])}


def _rows(board: Board) -> Iterator[DataRow]:
    for cell in board.cells:
        for row in cell.rows:
            contender = board.contender(row.name)
            of_cell: dict[str, Value] = {
                "cell": cell.name,
                "state": cell.state,
                "contender": row.name,
            }
            of_cell |= {"language": contender.language, "kind": contender.kind}
            measured: dict[str, Value] = {}
            for measure, column in OF_ROW.items():
                own = row.by.get(measure)
                columns = part(Standing, own, measure)
                measured[column] = columns.pop(f"{measure}_value")
                if measure != "memory":
                    measured |= columns
            yield {
                **of_cell,
                **flat(row, without=("name", "by", "reasons", "out")),
                "changed": " ".join(row.changed),
                "out": row.out or joined(row.reasons),
                **measured,
            }


def _pairs(board: Board) -> Iterator[DataRow]:
    for cell in board.cells:
        for pair in cell.pairs:
            yield {"cell": cell.name, **flat(pair), "links": " ".join(pair.links)}
