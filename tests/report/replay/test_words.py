"""What is said of a replay."""

import pytest

from bakeoff.model.replay import Agreement, ClaimResult, Replay
from bakeoff.model.verdict import Interval
from bakeoff.report.replay import words
from tests.report.replay import sample


def claim(**changes: object) -> ClaimResult:
    return sample.cut_off().claims[1].model_copy(update=changes)


def found(*findings: str) -> Replay:
    claims = tuple(claim(finding=finding) for finding in findings)
    return sample.brick().model_copy(update={"claims": claims})


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        (["holds"], "Of 1 claim of cpp-vs-go-frameworks, 1 holds here."),
        (["holds"] * 3, "Of 3 claims of cpp-vs-go-frameworks, 3 hold here."),
        (
            ["does not hold", "can't tell"],
            "Of 2 claims of cpp-vs-go-frameworks, none holds here, 1 does not and 1 can't be told.",
        ),
        (
            ["holds", "holds", "does not hold", "does not hold", "can't tell"],
            "Of 5 claims of cpp-vs-go-frameworks, 2 hold here, 2 do not and 1 can't be told.",
        ),
    ],
)
def test_the_headline_counts_the_claims(findings: list[str], said: str) -> None:
    assert words.headline(found(*findings)) == said


def test_a_replay_that_ended_early_says_so() -> None:
    said = words.headline(sample.cut_off())
    assert said.endswith("The replay ended early: what was not measured can't be told.")


@pytest.mark.parametrize(
    ("driver", "said"),
    [
        ("engine", "load by our engine in the article's shape, at scale 0.05"),
        ("both", "load by our engine, and by the article's own tool to compare, at scale 0.05"),
        ("wrk", "load by the real wrk, at scale 0.05"),
    ],
)
def test_how_it_was_replayed(driver: str, said: str) -> None:
    assert words.mode(sample.brick().model_copy(update={"driver": driver})) == said


def test_a_claim_is_said_with_all_that_it_rests_on() -> None:
    assert words.claim(claim()) == (
        "go-nethttp over node-http in requests per second: 1.34× (1.28 to 1.39), n = 480;"
        " published 1.11×; claimed over 1×"
    )


def test_a_claim_without_an_interval_or_a_published_figure() -> None:
    said = words.claim(claim(measured=None, published=None, metric="cpu"))
    assert said == "go-nethttp over node-http in CPU use: not measured; claimed over 1×"


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
    assert set(words.MARKS) == {"holds", "does not hold", "can't tell"}


def test_the_command_is_the_articles_and_the_real_tool_is_named() -> None:
    replay = sample.brick()
    shape, one = replay.article.loads["wrk"], replay.comparisons[0]
    assert words.load(shape, one) == "wrk -d 100s -c 1024 -t 8 http://localhost:8080/"
    by_tool = words.load(shape, one.model_copy(update={"loader": "wrk"}))
    assert by_tool.endswith(":8080/, by the real wrk")
    assert words.load(shape, None) == shape.command


def test_what_a_load_does() -> None:
    ab = words.shape(sample.article("go-vs-node-2012").loads["ab"])
    assert ab == (
        "5,000 requests, 100 connections, a connection per request, HTTP/1.0, 1 thread, 5 times"
    )
    wrk = words.shape(sample.article("cpp-vs-go-frameworks").loads["wrk"])
    assert wrk == "100 s, 1,024 connections, keep-alive, HTTP/1.1, 8 threads, once"


def test_a_row_has_the_articles_name_beside_ours_where_they_differ() -> None:
    rows = {row.name: words.label(row) for row in sample.brick().article.comparisons[0].rows}
    assert rows["go-restful"] == "go-restful"
    assert rows["chi"] == "chi · go-chi"


def test_warnings_of_a_row_name_it() -> None:
    assert words.warnings(sample.cut_off().comparisons[0]) == [
        "the hypervisor took 1.2 % of the server core's time (steal)",
        "node-http: used 1.4 % of its core while others were loaded",
    ]


@pytest.mark.parametrize(
    ("low", "high", "said"), [(0.99, 1.03, "agree within noise"), (1.01, 1.03, "differ")]
)
def test_engine_and_tool_agree_where_1_is_in_the_interval(
    low: float, high: float, said: str
) -> None:
    found = Interval(ratio=1.02, low=low, high=high, n=10, boots=1)
    assert words.agreement(Agreement(row="a", tool="ab", engine_over_tool=found)) == said


def test_a_machine_of_which_the_article_tells_little() -> None:
    told = dict(words.machine(sample.article("cpp-vs-go-frameworks").setting))
    assert told == {"processor": "not told", "system": "not told; ulimit -n 2000"}
    told = dict(words.machine(sample.article("node-go-spring").setting))
    assert told["cores"] == "2, 4 threads"
    assert told["memory"] == "8 GB"
    assert "versions" not in told


def test_the_lines_on_the_bars_are_explained_where_there_are_any() -> None:
    assert words.bars(several=False, in_a_row=False) == words.BARS_NOTE
    assert "the article's runs" in words.bars(several=True, in_a_row=False)
    assert "our runs in a row" in words.bars(several=False, in_a_row=True)
