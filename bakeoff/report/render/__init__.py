"""A document in every form that people read: pages, Markdown, a terminal, CSV and data frames."""

import csv as csv_format
import io
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from bakeoff.model.errors import MissingPiece
from bakeoff.report.document import WIDE, DataRow, Document, Value
from bakeoff.report.render.markdown import markdown
from bakeoff.report.render.terminal import terminal

__all__ = ["csv", "frame", "markdown", "snippet", "terminal", "write"]


def write(folder: Path, document: Document) -> Path:
    """Write `report.html`, `report.md`, `report.csv` and `charts/*.svg`; the path of the page.

    Each file appears whole or not at all. OSError where the folder can't be written.
    """
    # Imported here: commands that only print need no templates.
    from bakeoff.report.charts.svg import alone, svg
    from bakeoff.report.render.html import layout, page

    made = layout(document)
    files = {f"charts/{chart.slug}.svg": alone(svg(chart, WIDE)) for chart in made.charts}
    files |= {"report.md": markdown(document), "report.csv": csv(document)}
    files["report.html"] = page(document, made)
    (folder / "charts").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        _write_whole(folder / name, text)
    return folder / "report.html"


def snippet(document: Document) -> str:
    """HTML for a notebook: the headline, the first pictures and the first table."""
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
