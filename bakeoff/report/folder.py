"""The report as files in a run's folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import Verdict
from bakeoff.report.as_csv import csv
from bakeoff.report.as_markdown import markdown

if TYPE_CHECKING:
    from bakeoff.report.charts import Picture


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
    html = page(plan, verdict, records, receipts, drawn)
    return put_report(folder, drawn, markdown(verdict), csv(verdict), html)


def put_report(
    folder: Path, pictures: Sequence["Picture"], markdown: str, csv: str, html: str
) -> Path:
    """Write a report of any kind, whose parts are made; the path of the page."""
    (folder / "charts").mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        put(folder / "charts" / f"{picture.slug}.svg", picture.wide)
    put(folder / "report.md", markdown)
    put(folder / "report.csv", csv)
    page = folder / "report.html"
    put(page, html)
    return page


def put(path: Path, text: str) -> None:
    """Write a file that appears whole or not at all."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
