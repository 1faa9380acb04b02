"""The report as files in a run's folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import Verdict
from bakeoff.report.as_csv import csv
from bakeoff.report.as_markdown import markdown


def write(
    folder: Path,
    plan: Plan,
    verdict: Verdict,
    records: Sequence[Record],
    receipts: Mapping[str, Receipt],
) -> Path:
    """Write `report.html`, `report.md`, `report.csv` and `charts/*.svg`; the path of the page.

    Each file appears whole or not at all. OSError where the folder can't be written.
    """
    # Here, not above: altair takes a second, and a race that only prints needs no pictures.
    from bakeoff.report.charts import pictures
    from bakeoff.report.page import page

    drawn = pictures(verdict, records)
    (folder / "charts").mkdir(parents=True, exist_ok=True)
    for picture in drawn:
        put(folder / "charts" / f"{picture.slug}.svg", picture.wide)
    put(folder / "report.md", markdown(verdict))
    put(folder / "report.csv", csv(verdict))
    html = folder / "report.html"
    put(html, page(plan, verdict, records, receipts, drawn))
    return html


def put(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
