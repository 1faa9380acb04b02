"""The report of a search for capacities as files in its folder."""

from pathlib import Path

from bakeoff.model.capacity import CapacityReport
from bakeoff.report.capacity.as_csv import capacity_csv
from bakeoff.report.capacity.as_markdown import capacity_markdown
from bakeoff.report.folder import put_report


def write_capacity(folder: Path, report: CapacityReport) -> Path:
    """Write `report.html`, `report.md`, `report.csv` and `charts/*.svg`; the path of the page.

    Each file appears whole or not at all. OSError where the folder can't be written.
    """
    # Here, not above: altair takes a second, and whoever only prints needs no pictures.
    from bakeoff.report.capacity.charts import capacity_pictures
    from bakeoff.report.capacity.page import capacity_page

    pictures = capacity_pictures(report)
    html = capacity_page(report, pictures)
    return put_report(folder, pictures, capacity_markdown(report), capacity_csv(report), html)
