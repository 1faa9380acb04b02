"""What is said of a replay."""

from bakeoff.model.finding import Finding
from bakeoff.model.replay import Replay
from bakeoff.report.document import Section, Table, Text
from bakeoff.report.kinds import replay as words
from tests.report.sample import replay as sample


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


def test_the_articles_names_are_explained_where_they_differ() -> None:
    replay = sample.brick()
    assert "the article's name of the row" in tables(replay)["Requests per second"].note
    first = replay.article.comparisons[0]
    only = replay.article.model_copy(
        update={"comparisons": (first.model_copy(update={"rows": first.rows[5:6]}),)}
    )
    same = replay.model_copy(update={"article": only})
    assert tables(same)["Requests per second"].note == ""


def test_memory_of_many_processes_is_their_sum() -> None:
    replay = sample.replay_of(sample.article("node-go-spring"), {})
    table = tables(replay)["Latency and memory"]
    place = [column.head for column in table.columns].index("published memory")
    assert [row.cells[place] for row in table.rows] == ["–", "222 MiB", "12.7 MiB", "732 MiB"]


def test_a_source_is_a_link_only_to_the_web() -> None:
    replay = sample.brick()
    for source, linked in (("https://example.org/a", True), ("javascript:alert(1)", False)):
        article = replay.article.model_copy(update={"source": source})
        section = words.document(replay.model_copy(update={"article": article})).detail[0]
        assert isinstance(section, Section)
        links = [block.link for block in section.blocks if isinstance(block, Text)]
        assert (source in links) is linked


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
