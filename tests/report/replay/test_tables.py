"""A replay as Markdown and CSV, and its tables."""

import csv as csv_format
import io

from bakeoff.report.replay import words
from bakeoff.report.replay.as_csv import COLUMNS, replay_csv
from bakeoff.report.replay.as_markdown import replay_markdown
from bakeoff.report.replay.parts import Part, parts
from bakeoff.report.replay.tables import agreement_table, cost_table, in_a_row_table, speed_table
from tests.report.golden import same_as_golden
from tests.report.replay import sample


def test_markdown_as_it_is_read() -> None:
    same_as_golden("replay.md", replay_markdown(sample.cut_off()))


def test_csv_as_it_is_read() -> None:
    same_as_golden("replay.csv", replay_csv(sample.cut_off()))


def test_csv_has_a_row_for_every_row_of_the_article() -> None:
    for replay in (sample.cut_off(), sample.brick()):
        rows = list(csv_format.DictReader(io.StringIO(replay_csv(replay))))
        assert tuple(rows[0]) == COLUMNS
        names = [(row["comparison"], row["row"]) for row in rows]
        assert names == [(one.name, r.name) for one in replay.article.comparisons for r in one.rows]
    by_name = {row["row"]: row for row in rows}
    assert by_name["brick"]["skipped"].startswith("there is no contender called brick")
    assert by_name["brick"]["requests_per_s"] == by_name["brick"]["n"] == ""
    assert by_name["chi"]["skipped"] == ""
    assert float(by_name["chi"]["published_requests_per_s"]) == 60658.49


def test_what_the_replay_did_not_reach_has_its_published_figures_and_a_reason() -> None:
    last = list(csv_format.DictReader(io.StringIO(replay_csv(sample.cut_off()))))[-1]
    assert last["comparison"] == "many-cpus-webbench"
    assert last["skipped"] == "the replay ended before it was measured"
    assert float(last["published_requests_per_s"]) > 13000
    assert last["ratio"] == ""


def test_what_is_written_in_a_name_is_not_markdown() -> None:
    text = replay_markdown(sample.hostile("a | b\n# <script> `x`"))
    assert r"a \| b \# \<script\> \`x\`" in text
    assert "<script>" not in text.replace(r"\<script\>", "")


def test_every_row_of_a_markdown_table_has_all_its_cells() -> None:
    blocks = [b for b in replay_markdown(sample.cut_off()).split("\n\n") if b.startswith("| ")]
    assert len(blocks) == 12
    for block in blocks:
        assert len({line.count("|") - line.count(r"\|") for line in block.splitlines()}) == 1


def test_pages_per_minute_are_shown_as_requests_per_second() -> None:
    webbench = parts(sample.cut_off())[1]
    assert speed_table(webbench).rows[0][2] == "7,678"


def test_the_articles_names_are_explained_where_they_differ() -> None:
    assert speed_table(parts(sample.brick())[0]).note == words.ROWS_NOTE
    article = sample.article("cpp-vs-go-frameworks")
    only = article.comparisons[0].model_copy(update={"rows": article.comparisons[0].rows[5:6]})
    assert speed_table(Part(only, article.loads["wrk"], None)).note == ""


def test_costs_have_the_columns_that_anybody_has_figures_for() -> None:
    with_memory = cost_table(parts(sample.brick())[0])
    assert with_memory.heads == (
        "row", "published mean", "p50 here", "p99 here", "published stdev", "published memory",
        "memory here",
    )  # fmt: skip
    assert cost_table(parts(sample.cut_off())[1]).rows == ()


def test_memory_of_many_processes_is_their_sum() -> None:
    replay = sample.replay_of(sample.article("node-go-spring"), {})
    table = cost_table(parts(replay)[0])
    place = table.heads.index("published memory")
    assert [row[place] for row in table.rows] == ["–", "222 MiB", "12.7 MiB", "732 MiB"]


def test_the_articles_procedure_stands_beside_ours() -> None:
    first = parts(sample.cut_off())[0]
    assert in_a_row_table(first).rows[0] == (
        "go-nethttp", "31,000, 33,500, 35,100, 34,200, 35,900", "33,940", "33,668", "1.01×",
        "8,212",
    )  # fmt: skip
    assert agreement_table(first).rows[1] == (
        "node-http", "ab", "1.21× (1.17 to 1.25)", "10", "differ",
    )  # fmt: skip
