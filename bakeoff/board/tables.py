"""A board as rows of data: its contenders by cell, and its pairs; figures unrounded."""

from collections.abc import Iterator, Mapping

from bakeoff.model.board import Board, Measure, Standing
from bakeoff.report.document import DataRow, Value
from bakeoff.report.flat import flat, part
from bakeoff.report.sentences import joined

OF_ROW: Mapping[Measure, str] = {
    "throughput": "requests_per_s",
    "cpu": "cpu_us_per_request",
    "first_byte": "first_byte_p50_us",
    "memory": "memory_mib",
}
"""A measure → the column of its value."""


def rows(board: Board) -> Iterator[DataRow]:
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


def pairs(board: Board) -> Iterator[DataRow]:
    for cell in board.cells:
        for pair in cell.pairs:
            yield {"cell": cell.name, **flat(pair), "links": " ".join(pair.links)}
