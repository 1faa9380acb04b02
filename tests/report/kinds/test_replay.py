"""What is said of a replay."""

import pytest

from bakeoff.model.finding import Finding
from bakeoff.model.replay import ClaimResult, Replay
from bakeoff.report.document import List, Section, Table, Text
from bakeoff.report.kinds import replay as words
from bakeoff.report.kinds.published import label
from tests.report.sample import replay as sample


def claim(**changes: object) -> ClaimResult:
    return sample.cut_off().claims[1].model_copy(update=changes)


def said_of(result: ClaimResult) -> tuple[str, ...]:
    document = words.document(sample.cut_off().model_copy(update={"claims": (result,)}))
    (listed,) = (block for block in document.summary if isinstance(block, List))
    return listed.items[0].lines


def test_a_claim_is_said_with_all_that_it_rests_on() -> None:
    assert said_of(claim(why=Finding.of("text", text="because"), unequal="bytes differ")) == (
        "go-nethttp over node-http in requests per second: 1.34× (1.28 to 1.39), n = 480;"
        " published 1.11×; claimed over 1×",
        "because",
        "Unequal work: bytes differ",
    )


def test_a_claim_without_an_interval_or_a_published_figure() -> None:
    bare = claim(measured=None, published=None, metric="cpu", why=None, unequal="")
    assert said_of(bare) == ("go-nethttp over node-http in CPU use: not measured; claimed over 1×",)


@pytest.mark.parametrize(
    ("above", "below", "said"),
    [
        (1.18, None, "over 1.18×"),
        (None, 1.0, "under 1×"),
        (0.9, 1.1, "0.9 to 1.1×"),
        (None, None, "–"),
    ],
)
def test_a_range_is_written_as_the_article_file_has_it(
    above: float | None, below: float | None, said: str
) -> None:
    assert words.claimed(claim(above=above, below=below)) == said


def test_every_metric_and_every_finding_has_its_words() -> None:
    metrics = {one.metric for name in sample.NAMES for one in sample.article(name).claims}
    assert metrics <= set(words.METRICS)
    assert set(words.SIGNS) == {"holds", "does not hold", "can't tell"}


def tables(replay: Replay, place: int = 0) -> dict[str, Table]:
    document = words.document(replay)
    section = [block for block in document.summary if isinstance(block, Section)][place]
    return {block.title: block for block in section.blocks if isinstance(block, Table)}


def test_the_command_is_the_articles_and_the_real_tool_is_named() -> None:
    replay = sample.brick()
    rounds = tuple(one.model_copy(update={"loader": "wrk"}) for one in replay.comparisons)
    for made, load, linked in (
        (replay, "wrk -d 100s -c 1024 -t 8 http://localhost:8080/", True),
        (
            replay.model_copy(update={"comparisons": rounds}),
            "wrk -d 100s -c 1024 -t 8 http://localhost:8080/, by the real wrk",
            False,
        ),
    ):
        section = words.document(made).summary[0]
        assert isinstance(section, Section)
        texts = [block for block in section.blocks if isinstance(block, Text)]
        assert texts[0].text == load
        assert [text.link for text in texts[1:]] == ["empty/report.html"] * linked


def test_pages_per_minute_are_shown_as_requests_per_second() -> None:
    assert tables(sample.cut_off(), 1)["Requests per second"].rows[0].cells[2] == "7,678"


def test_the_articles_names_are_explained_where_they_differ() -> None:
    replay = sample.brick()
    assert "the article's name of the row" in tables(replay)["Requests per second"].note
    first = replay.article.comparisons[0]
    only = replay.article.model_copy(
        update={"comparisons": (first.model_copy(update={"rows": first.rows[5:6]}),)}
    )
    same = replay.model_copy(update={"article": only})
    assert tables(same)["Requests per second"].note == ""


def test_costs_have_the_columns_that_anybody_has_figures_for() -> None:
    table = tables(sample.brick())["Latency and memory"]
    assert [column.head for column in table.columns] == [
        "row", "published mean", "p50 here", "p99 here", "published stdev", "published memory",
        "memory here",
    ]  # fmt: skip
    assert "Latency and memory" not in tables(sample.cut_off(), 1)


def test_memory_of_many_processes_is_their_sum() -> None:
    replay = sample.replay_of(sample.article("node-go-spring"), {})
    table = tables(replay)["Latency and memory"]
    place = [column.head for column in table.columns].index("published memory")
    assert [row.cells[place] for row in table.rows] == ["–", "222 MiB", "12.7 MiB", "732 MiB"]


def test_the_data_have_a_row_for_every_row_of_the_article() -> None:
    for replay in (sample.cut_off(), sample.brick()):
        rows = words.document(replay).data
        names = [(row["comparison"], row["row"]) for row in rows]
        assert names == [(one.name, r.name) for one in replay.article.comparisons for r in one.rows]
    by_name = {row["row"]: row for row in rows}
    assert str(by_name["brick"]["skipped"]).startswith("there is no contender called brick")
    assert by_name["brick"]["requests_per_s"] is by_name["brick"]["n"] is None
    assert by_name["chi"]["skipped"] == ""
    assert by_name["chi"]["published_requests_per_s"] == 60658.49
    last = words.document(sample.cut_off()).data[-1]
    assert last["skipped"] == "the replay ended before it was measured"
    assert last["ratio"] is None


def test_a_source_is_a_link_only_to_the_web() -> None:
    replay = sample.brick()
    for source, linked in (("https://example.org/a", True), ("javascript:alert(1)", False)):
        article = replay.article.model_copy(update={"source": source})
        section = words.document(replay.model_copy(update={"article": article})).detail[0]
        assert isinstance(section, Section)
        links = [block.link for block in section.blocks if isinstance(block, Text)]
        assert (source in links) is linked


def test_a_row_has_the_articles_name_beside_ours_where_they_differ() -> None:
    rows = {row.name: label(row) for row in sample.brick().article.comparisons[0].rows}
    assert rows["go-restful"] == "go-restful"
    assert rows["chi"] == "chi · go-chi"


def test_a_machine_of_which_the_article_tells_little() -> None:
    told = dict(words.setting(sample.article("cpp-vs-go-frameworks").setting))
    assert told == {"processor": "not told", "system": "not told; ulimit -n 2000"}
    told = dict(words.setting(sample.article("node-go-spring").setting))
    assert told["cores"] == "2, 4 threads"
    assert told["memory"] == "8 GB"
    assert "versions" not in told


def test_a_row_that_the_generator_limited_is_a_bound_and_one_that_is_not_valid_has_its_figure() -> (
    None
):
    replay = sample.brick()
    (comparison,) = replay.comparisons
    limit = Finding.of("generator_limit", client_busy=0.98, client_core=None, server_busy=0.4)
    found: dict[int, dict[str, object]] = {
        0: {"at_least": (limit,)},
        1: {"reasons": (Finding.of("died", how="SIGKILL"),)},
    }
    rows = tuple(
        row.model_copy(update={"requests_per_s": 1000.0, **found.get(place, {})})
        for place, row in enumerate(comparison.rows)
    )
    changed = comparison.model_copy(update={"rows": rows})
    table = tables(replay.model_copy(update={"comparisons": (changed,)}))["Requests per second"]
    place = [column.head for column in table.columns].index("here")
    here = [row.cells[place] for row in table.rows]
    assert here[0].startswith("≥ ") and here[1].endswith(" (not valid)")
    assert "load generator was the limit" in table.note
