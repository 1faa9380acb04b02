"""`bakeoff replay` with real servers, the real engine and the real ab."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.model.replay import Replay
from tests.e2e.conftest import Place, interrupt

pytestmark = pytest.mark.e2e
ARTICLE = """
name = "mine"
title = "gunicorn against Node"
published = 2026-11-22
language = "English"
summary = "A test's own article."

[setting]
cpu = "some"
threads = 2

[loads.ab]
tool = "ab"
command = "ab -n 1000 -c 8 http://localhost/"
connections = 8
connection = "close"
http = "1.0"
requests = 1000

[[comparisons]]
name = "ab"
title = "With ab"
workload = "hello"
load = "ab"
cpus = "one"

[[comparisons.rows]]
name = "gunicorn"
contender = "gunicorn"
label = "gunicorn"
published.requests_per_s = [4160.98]

[[comparisons.rows]]
name = "node-http"
contender = "node-http"
label = "node"
published.requests_per_s = [7155.3]

[[comparisons.rows]]
name = "brick"
contender = "no-such-server"
label = "C++"
published.requests_per_s = [75018.11]

[[claims]]
text = "Node is faster than gunicorn."
comparison = "ab"
metric = "requests_per_s"
of = "node-http"
over = "gunicorn"
above = 1.0

[[claims]]
text = "C++ is fastest."
comparison = "ab"
metric = "requests_per_s"
of = "brick"
over = "gunicorn"
above = 1.0
"""


@pytest.fixture
def article(place: Place) -> str:
    """An article that needs two contenders and half a minute."""
    (place.path / "mine.toml").write_text(ARTICLE)
    return "mine.toml"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("ab"), reason="needs ab: apt-get install apache2-utils")
def test_an_article_is_measured_by_engine_and_tool_and_its_claims_are_decided(
    place: Place, article: str
) -> None:
    words = ["replay", article, "--driver", "both", "--faithful", "--json", "replay.json"]
    ended = place.bakeoff(*words, timeout_s=300)
    assert ended.status == 0, ended.err
    replay = Replay.read_json(place.path / "replay.json")
    (one,) = replay.comparisons
    gunicorn, node, brick = one.rows
    assert gunicorn.ratio and node.ratio and node.published == 7155.3
    assert "no contender called no-such-server" in brick.skipped
    faster, fastest = replay.claims
    assert faster.measured and faster.finding == "holds"
    assert fastest.finding == "can't tell" and "no-such-server" in fastest.why
    assert {each.row for each in one.agreement} == {"gunicorn", "node-http"}
    assert [len(each.requests_per_s) for each in one.in_a_row] == [5, 5]
    said = " ".join(ended.out.split())
    assert "✓ holds: Node is faster than gunicorn." in said
    assert "? can't tell: C++ is fastest." in said
    folder = place.path / "runs" / "latest"
    assert (folder / "report.html").exists()
    assert (folder / "ab" / "report.html").exists()
    assert not (folder / "ab" / "scratch").exists()
    again = place.bakeoff("report", "runs/latest")
    assert again.status == 0
    # The last line is the report's path, by the name that was given.
    assert again.out.splitlines()[:-1] == ended.out.splitlines()[:-1]


@pytest.mark.slow
def test_ctrl_c_keeps_what_there_is(
    place: Place, article: str, wait_for: Callable[[Callable[[], bool]], None]
) -> None:
    process = place.begin("replay", article)
    samples = place.path / "runs" / "latest" / "ab" / "samples.jsonl"
    wait_for(lambda: samples.exists() and b'"type":"warmup"' in samples.read_bytes())
    wait_for(lambda: samples.read_bytes().count(b'"type":"block"') > 5)
    interrupt(process)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "bakeoff resume runs/" in " ".join(err.split())
    assert "The replay ended early" in " ".join(out.split())


def test_without_a_name_the_articles_are_listed(place: Place) -> None:
    ended = place.bakeoff("replay")
    assert ended.status == 0
    assert "go-vs-node-2012" in ended.out and "hello-world-2013" in ended.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["go-vs-nod"], "no article called go-vs-nod; did you mean go-vs-node-2012?"),
        (["none.toml"], "none.toml: cannot be read: No such file or directory"),
        (["bad.toml"], "bad.toml: `claims.0.oevr` is not a known key; did you mean over?"),
        (["mine.toml", "--scale", "0"], "--scale: is 0; it takes a number above 0"),
        (["mine.toml", "--json", "/no/such/folder/x"], "--json /no/such/folder/x: can't be"),
        (["mine.toml", "--out", "mine.toml"], "--out mine.toml: "),
        (["mine.toml", "--driver", "siege"], "Invalid value for '--driver'"),
    ],
)
def test_bad_input_is_named(words: list[str], says: str, place: Place, article: str) -> None:
    (place.path / "bad.toml").write_text(
        Path(place.path / article).read_text().replace("over", "oevr", 1)
    )
    ended = place.bakeoff("replay", *words)
    assert ended.status == 2
    assert says in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
    assert not (place.path / "runs").exists()
