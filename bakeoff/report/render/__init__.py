"""A document in every form that people read: pages, Markdown, a terminal, CSV and data frames."""

from pathlib import Path

from bakeoff.report.document import WIDE, Document
from bakeoff.report.render.frames import csv, frame
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
