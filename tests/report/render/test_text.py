"""Documents as Markdown, CSV and data frames."""

import pytest

from bakeoff.report import render
from bakeoff.report.render import csv, frame, markdown
from tests.report.documents import DOCUMENTS
from tests.report.render.golden import same_as_golden
from tests.report.render.test_terminal import everywhere


@pytest.mark.parametrize("name", DOCUMENTS)
def test_markdown_as_it_is_read(name: str) -> None:
    same_as_golden(f"{name}.md", markdown(DOCUMENTS[name]()))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_csv_as_it_is_read(name: str) -> None:
    same_as_golden(f"{name}.csv", csv(DOCUMENTS[name]().data))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_row_of_a_markdown_table_has_all_its_cells(name: str) -> None:
    blocks = [b for b in markdown(DOCUMENTS[name]()).split("\n\n") if b.startswith("| ")]
    assert blocks
    for block in blocks:
        assert len({line.count("|") - line.count(r"\|") for line in block.splitlines()}) == 1


def test_what_is_written_in_a_name_is_not_markdown() -> None:
    text = markdown(everywhere("a | b\n# <script> `x` [l](u)"))
    escaped = r"a \| b \# \<script\> \`x\` \[l\](u)"
    assert text.startswith(f"# {escaped}\n\n**{escaped}**\n")
    assert text.count("<script>") == 1, "as code, which is indented"
    assert "\n\n    a | b\n    # <script> `x` [l](u)\n" in text


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_is_that_of_the_library_that_is_there(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(library)
    monkeypatch.setattr(render, "LIBRARIES", (library,))
    data = DOCUMENTS["capacity"]().data
    made = frame(data)
    assert type(made).__module__.split(".")[0] == library
    assert list(made.columns) == list(dict.fromkeys(name for row in data for name in row))
    assert made["slices"].sum() == sum(int(row.get("slices") or 0) for row in data)


def test_fractions_and_whole_numbers_share_a_column() -> None:
    assert list(frame([{"a": 1}, {"a": 2.5}, {"b": "x"}])["a"])[:2] == [1.0, 2.5]


def test_a_document_without_data_has_an_empty_csv() -> None:
    assert csv(()).strip() == ""
