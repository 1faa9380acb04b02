"""Capacities as people read them: terminal, Markdown, CSV and page."""

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from rich.console import Console

from bakeoff import report
from bakeoff.model.capacity import CapacityReport
from bakeoff.report.capacity import words
from bakeoff.report.capacity.as_csv import capacity_csv
from bakeoff.report.capacity.as_markdown import capacity_markdown
from tests.report.capacity import sample
from tests.report.golden import same_as_golden
from tests.report.test_page import HOSTILE, Page
from tests.report.test_terminal import without_trailing_spaces


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("capacity")
    report.write_capacity(folder, sample.report())
    return folder


def printed(found: CapacityReport, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(report.capacities(found))
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_as_it_is_piped(width: int) -> None:
    text = printed(sample.report(), width)
    same_as_golden(f"capacity-terminal-{width}.txt", without_trailing_spaces(text))


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_width_cuts_a_figure(width: int) -> None:
    text = printed(sample.report(), width)
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    assert "…" not in text
    for figure in ("51,450 (49,906 to 52,994)", "≥ 29,400", "1.010× (0.970 to 1.050)"):
        assert figure in text


def test_markdown_and_csv() -> None:
    same_as_golden("capacity.md", capacity_markdown(sample.report()))
    text = capacity_csv(sample.report())
    same_as_golden("capacity.csv", text)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["kind"] for row in rows] == ["capacity"] * 7 + ["rate"] * 40


def test_the_headline_says_who_holds_how_much_and_what_cannot_be_told() -> None:
    assert words.headline(sample.report()) == (
        "equal holds p99 ≤ 10.0 ms up to 51,450 requests/s; it can't be told from quick:"
        " 1.010× (0.970 to 1.050). equal holds p99 ≤ 50.0 ms and p99.9 ≤ 100 ms up to 51,975"
        " requests/s, 1.060× (1.018 to 1.102) as much as quick."
    )


def test_what_nobody_meets_is_said_with_the_best_that_was_reached() -> None:
    text = " ".join(printed(sample.nobody(), 200).split())
    assert "Nobody holds p99 ≤ 10.0 ms: the best was slow, with a p99 of 44.0 ms" in text
    assert "The run ended early" in text


def test_the_page_is_well_formed_and_has_its_sections(written: Path) -> None:
    text = (written / "report.html").read_text(encoding="utf-8")
    parsed = Page(text)
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    ours = {
        "standings",
        "capacities-1",
        "capacities-2",
        "means",
        "beyond",
        "pairs",
        "rates",
        "circumstances",
    }
    assert ours <= set(parsed.ids)
    assert set(parsed.labels) <= set(parsed.ids)
    assert "script" not in parsed.tags
    assert "slow doesn&#39;t hold p99 ≤ 10.0 ms at any rate that was offered" in text
    assert "the load generator was the limit" in text


def test_each_picture_is_a_file_of_its_own(written: Path) -> None:
    names = sorted(path.name for path in (written / "charts").iterdir())
    assert names == ["goodput.svg", "latency-p99-9.svg", "latency-p99.svg"]
    for path in (written / "charts").iterdir():
        ET.parse(path)
    curve = (written / "charts" / "latency-p99.svg").read_text(encoding="utf-8")
    assert "p99 ≤ 10.0 ms" in curve and "51,450" in curve


def test_words_from_outside_are_never_markup(tmp_path: Path) -> None:
    html = report.write_capacity(tmp_path, sample.hostile(HOSTILE))
    parsed = Page(html.read_text(encoding="utf-8"))
    assert parsed.open == []
    assert "script" not in parsed.tags
    assert "\x1b" not in printed(sample.hostile("\x1b[2J[red]"), 100)


def test_an_empty_run_still_has_a_page(tmp_path: Path) -> None:
    report.write_capacity(tmp_path, sample.nobody())
    assert "ended before it was complete" in (tmp_path / "report.html").read_text(encoding="utf-8")
