"""`bakeoff replay` with real servers, the real engine and the real ab."""

import shutil

import pytest

from bakeoff.model.replay import Replay
from tests.e2e.conftest import ARTICLE, Place, interrupt
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e


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
    assert fastest.finding == "can't tell" and "no-such-server" in str(fastest.why)
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
def test_ctrl_c_keeps_what_there_is(place: Place, article: str) -> None:
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
