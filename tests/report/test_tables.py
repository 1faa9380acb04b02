"""Markdown and CSV."""

import csv as csv_format
import io

from bakeoff.report import csv, markdown
from tests.report import sample
from tests.report.golden import same_as_golden


def test_markdown_as_it_is_read() -> None:
    same_as_golden("report.md", markdown(sample.verdict()))


def test_csv_as_it_is_read() -> None:
    same_as_golden("report.csv", csv(sample.verdict()))


def test_csv_has_a_row_per_entry_and_per_skipped_one() -> None:
    rows = list(csv_format.DictReader(io.StringIO(csv(sample.verdict()))))
    assert [row["name"] for row in rows][-2:] == ["aiohttp", "erlang-cowboy"]
    by_name = {row["name"]: row for row in rows}
    assert float(by_name["go-nethttp"]["ratio"]) == 0.5811
    assert by_name["aiohttp"]["ratio"] == ""
    assert by_name["aiohttp"]["reasons"] == "3 wrong answers: body differs at byte 7"
    assert by_name["erlang-cowboy"]["valid"] == "skipped"


def test_what_is_written_in_a_name_is_not_markdown() -> None:
    verdict = sample.verdict()
    entries = (
        verdict.entries[0].model_copy(update={"warnings": ("a | b\n# <script> `x` [l](u)",)}),
        *verdict.entries[1:],
    )
    text = markdown(verdict.model_copy(update={"entries": entries}))
    assert r"- nginx: a \| b \# \<script\> \`x\` \[l\](u)" in text


def test_a_verdict_of_an_earlier_version_has_no_table_of_work() -> None:
    verdict = sample.verdict()
    entries = tuple(entry.model_copy(update={"work": None}) for entry in verdict.entries)
    text = markdown(verdict.model_copy(update={"entries": entries, "fairness": ()}))
    assert "What each contender does" not in text and "Unequal work" not in text
    assert ",,,,,,," in csv(verdict.model_copy(update={"entries": entries}))


def test_every_row_of_a_markdown_table_has_all_its_cells() -> None:
    tables: list[list[str]] = [
        block.splitlines()
        for block in markdown(sample.verdict()).split("\n\n")
        if block.startswith("| ")
    ]
    assert len(tables) == 10
    for lines in tables:
        assert len({line.count("|") - line.count(r"\|") for line in lines}) == 1
