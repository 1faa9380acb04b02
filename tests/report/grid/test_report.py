"""A grid in a terminal, as Markdown, CSV, picture and page."""

import csv as csv_format
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from rich.console import Console

from bakeoff import report
from bakeoff.model.grid import Grid
from bakeoff.report.charts import theme
from bakeoff.report.grid.as_csv import COLUMNS, grid_csv
from bakeoff.report.grid.as_markdown import grid_markdown
from bakeoff.report.grid.charts import ratios
from tests.report.golden import same_as_golden
from tests.report.grid import sample
from tests.report.test_page import Page
from tests.report.test_terminal import without_trailing_spaces

GRID = sample.grid()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sample's report."""
    folder = tmp_path_factory.mktemp("grid")
    report.write_grid(folder, GRID)
    return folder


def printed(grid: Grid, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(report.grid_standings(grid))
    return out.getvalue()


def test_as_it_is_piped() -> None:
    same_as_golden("grid-terminal-100.txt", without_trailing_spaces(printed(GRID, 100)))


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_width_cuts_a_figure(width: int) -> None:
    text = printed(GRID, width)
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    assert "…" not in text
    (cell, *_) = GRID.cells
    assert cell.verdict
    for entry in cell.verdict.entries:
        assert f"{entry.requests_per_s:,.0f}" in text


def test_markdown_as_it_is_read() -> None:
    same_as_golden("grid.md", grid_markdown(GRID))


def test_csv_has_a_row_for_everybody_in_every_cell() -> None:
    rows = list(csv_format.DictReader(io.StringIO(grid_csv(GRID))))
    assert tuple(rows[0]) == COLUMNS
    assert [row["cell"] for row in rows].count("c1-p16") == 3, "the skipped one has its row"
    leads = {(row["cell"], row["contender"]) for row in rows if row["leads"] == "1"}
    assert leads == {
        ("c1-p1", "nginx"),
        ("c64-p1", "nginx"),
        ("c512-p1", "hyper"),
        ("c1-p16", "nginx"),
    }
    last = rows[-1]
    assert (last["cell"], last["connections"], last["pipeline"]) == ("c512-p16", "512", "16")
    assert last["left_out"].startswith("no contender is left") and last["ratio"] == ""


@pytest.mark.parametrize("frame", [theme.WIDE, theme.NARROW], ids=["wide", "narrow"])
def test_the_picture_has_every_cell_and_keeps_to_its_frame(frame: theme.Frame) -> None:
    sketch = ratios(GRID)
    assert sketch
    sketch.draw(frame).to_dict()  # altair checks every piece here, and raises
    svg = theme.to_svg(sketch.draw(frame), frame, sketch.slug, sketch.alt_text)
    root = ET.fromstring(svg)
    assert float(root.attrib["width"]) == pytest.approx(frame.width, abs=12)
    texts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]
    assert {f"c64-p16: {'64 connections, pipeline of 16'}", "no figures", "twin"} <= set(texts)
    assert sum(text.startswith("c") and ": " in text for text in texts) == len(GRID.cells)
    assert not {"NaN", "undefined", "null"} & set(texts)


def test_without_a_ratio_there_is_no_picture() -> None:
    cells = [cell.model_copy(update={"verdict": None, "leaders": ()}) for cell in GRID.cells]
    assert ratios(sample.of(cells)) is None
    assert "No verdict" in printed(sample.of(cells), 80)


def test_the_page_is_well_formed_and_leads_to_every_cells_report(written: Path) -> None:
    text = (written / "report.html").read_text()
    page = Page(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert set(page.labels) <= set(page.ids)
    links = {address for address in page.addresses if not address.startswith(("#", "data:"))}
    measured = [cell.name for cell in GRID.cells if cell.verdict]
    assert links == {f"{name}/report.html" for name in measured}
    assert "script" not in page.tags and page.tags.count("h1") == 1
    assert "hyper is surely ahead of nginx at 512 connections" in text or (
        "nginx is surely ahead of hyper at 1 and 64 connections" in text
    )
    assert (written / "charts" / "grid.svg").exists()


def test_a_page_of_a_grid_that_ended_early_says_so(tmp_path: Path) -> None:
    report.write_grid(tmp_path, sample.grid(complete=False))
    assert "The grid ended before it was complete." in (tmp_path / "report.html").read_text()


def test_words_from_outside_are_no_markup(tmp_path: Path) -> None:
    hostile = "<b>&\x1b[2J[red]|"
    cells = [cell.model_copy(update={"leaders": (hostile,)}) for cell in GRID.cells]
    cells[-1] = cells[-1].model_copy(update={"skipped": hostile})
    bad = sample.of(cells)
    report.write_grid(tmp_path, bad)
    for text in (printed(bad, 80), (tmp_path / "report.html").read_text()):
        assert "\x1b" not in text
    assert "<b>" not in (tmp_path / "report.html").read_text()
    assert "<b>" not in (tmp_path / "report.md").read_text().replace(r"\<b\>", "")
