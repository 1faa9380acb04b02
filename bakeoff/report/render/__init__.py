"""A document in every form that people read: pages, Markdown, a terminal, CSV and data frames."""

import csv as csv_format
import io
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from bakeoff.model.errors import MissingPiece
from bakeoff.report.document import WIDE, DataRow, Document, Value
from bakeoff.report.render.markdown import markdown
from bakeoff.report.render.terminal import terminal

__all__ = ["csv", "frame", "markdown", "snippet", "terminal", "write"]


def write(folder: Path, document: Document) -> Path:
    """Write `report.html`, `report.md`, `report.csv` and `charts/*.svg`; returns the path of the
    page.

    Each file appears whole or not at all. Raises OSError where the folder can't be written.
    """
    # Imported here: commands that only print need no templates.
    from bakeoff.report.charts.svg import alone
    from bakeoff.report.render.html import layout, page

    made = layout(document)
    files = {f"charts/{chart.slug}.svg": alone(chart, WIDE) for chart in made.charts}
    files |= {"report.md": markdown(document), "report.csv": csv(document.data)}
    files["report.html"] = page(document, made)
    (folder / "charts").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        _write_whole(folder / name, text)
    return folder / "report.html"


def snippet(document: Document) -> str:
    from bakeoff.report.render.html import snippet

    return snippet(document)


def _write_whole(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


LIBRARIES: tuple[Literal["polars", "pandas"], ...] = ("polars", "pandas")
"""In this order: users who have both have installed polars on purpose, and pandas for other
uses."""


def csv(rows: Sequence[DataRow]) -> str:
    out = io.StringIO()
    writer = csv_format.DictWriter(out, _names(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def frame(rows: Sequence[DataRow]) -> Any:
    """Rows as a native frame of polars or pandas. Raises MissingPiece where neither is
    installed."""
    import narwhals

    library = next((name for name in LIBRARIES if find_spec(name)), None)
    if library is None:
        raise MissingPiece("a data frame needs polars or pandas: pip install polars")
    return narwhals.from_dict(columns(rows), backend=library).to_native()


def columns(rows: Sequence[DataRow]) -> Mapping[str, Sequence[Value]]:
    """The values of each key, of one type: whole numbers among fractions as fractions, anything
    among words as words."""
    return {name: _of_one_type([row.get(name) for row in rows]) for name in _names(rows)}


def _of_one_type(values: Sequence[Value]) -> Sequence[Value]:
    kinds = {type(value) for value in values if value is not None}
    if str in kinds and len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    if float in kinds:
        return [None if value is None else float(value) for value in values]
    return values


def _names(rows: Sequence[DataRow]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))
