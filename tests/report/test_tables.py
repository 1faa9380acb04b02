"""Markdown and CSV."""

import csv as csv_format
import io

from bakeoff.report import csv, markdown
from bakeoff.report.boots import boots_table, warm_up_table
from bakeoff.report.figures import MISSING
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


def test_the_warm_up_is_told_boot_by_boot() -> None:
    rows = {row[0]: row[1:] for row in warm_up_table(sample.verdict()).rows}
    assert [cell.partition(" s, ")[0] for cell in rows["node-http"]] == [
        "got faster, 4.25", "not steady, 20.0", "got faster, 4.25",
    ]  # fmt: skip
    assert rows["nginx"][0].startswith("flat, 3.00 s, ")
    assert rows["nginx"][1].startswith("flat, 1.00 s, ")


def test_each_boot_has_its_ratio_and_the_reference_has_none() -> None:
    table = boots_table(sample.verdict())
    rows = {row[0]: row[1:] for row in table.rows}
    assert "nginx" not in rows and table.heads[-1] == "spread"
    assert rows["go-nethttp"][-1] == "0.43 %" and len(rows["go-nethttp"]) == 4


def test_one_boot_has_no_spread_and_a_boot_that_is_missing_has_no_figure() -> None:
    verdict = sample.verdict()
    first, *others = (e for e in verdict.entries if e.boots and e.boot_sd)
    cut = first.model_copy(update={"boots": first.boots[1:], "warm_up": first.warm_up[1:]})
    missing = verdict.model_copy(update={"entries": (cut, *others)})
    assert boots_table(missing).rows[0][1] == MISSING
    assert warm_up_table(missing).rows[0][1] == MISSING
    single = verdict.model_copy(
        update={"entries": tuple(e.model_copy(update={"boot_sd": None}) for e in others)}
    )
    assert not boots_table(single).rows


def test_every_row_of_a_markdown_table_has_all_its_cells() -> None:
    tables: list[list[str]] = [
        block.splitlines()
        for block in markdown(sample.verdict()).split("\n\n")
        if block.startswith("| ")
    ]
    assert len(tables) == 12
    for lines in tables:
        assert len({line.count("|") - line.count(r"\|") for line in lines}) == 1
