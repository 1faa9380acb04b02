"""A document's data as CSV, and rows as a data frame of whichever library is installed."""

import csv as csv_format
import io
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, Literal

from bakeoff.model.errors import MissingPiece
from bakeoff.report.document import DataRow, Document, Value

LIBRARIES: tuple[Literal["polars", "pandas"], ...] = ("polars", "pandas")
"""In this order: who has both has installed polars on purpose, and pandas for something else."""


def csv(document: Document) -> str:
    """A line per row of data, unrounded; what a row doesn't have is empty."""
    out = io.StringIO()
    writer = csv_format.DictWriter(out, _columns(document.data), lineterminator="\n")
    writer.writeheader()
    writer.writerows(document.data)
    return out.getvalue()


def frame(rows: Iterable[DataRow]) -> Any:
    """Rows as a native frame: polars or pandas. MissingPiece where neither is installed."""
    import narwhals

    kept = list(rows)
    library = next((name for name in LIBRARIES if find_spec(name)), None)
    if library is None:
        raise MissingPiece("a data frame needs polars or pandas: pip install polars")
    values = {name: _of_one_type([row.get(name) for row in kept]) for name in _columns(kept)}
    return narwhals.from_dict(values, backend=library).to_native()


def _of_one_type(values: list[Value]) -> list[Value]:
    """Whole numbers among fractions as fractions: polars takes no mixture."""
    if not any(isinstance(value, float) for value in values):
        return values
    return [value if value is None or isinstance(value, str) else float(value) for value in values]


def _columns(rows: Iterable[DataRow]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))
