"""Races of the workloads that need something around a contender, with a server of one's own."""

from pathlib import Path

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place

pytestmark = pytest.mark.e2e
APP = """
const crypto = require("crypto"), fs = require("fs"), http = require("http");
const { PORT, STATIC_DIR, UPSTREAM } = process.env;
const agent = new http.Agent({ keepAlive: true });
http.createServer((request, response) => {
  response.setHeader("Content-Type", "text/plain");
  if (request.url === "/forward") {
    http.get(UPSTREAM, { agent }, (answer) => answer.pipe(response));
  } else if (request.url === "/upload") {
    const digest = crypto.createHash("sha256");
    request.on("data", (piece) => digest.update(piece));
    request.on("end", () => response.end(digest.digest("hex")));
  } else if (request.url === "/") {
    response.end("ready");
  } else {
    response.end(fs.readFileSync(STATIC_DIR + request.url.replace("/static", "")));
  }
}).listen(PORT);
"""


@pytest.fixture
def place(place: Place) -> Place:
    (place.path / "app.js").write_text(APP)
    return place


def raced(place: Place, workload: str) -> Verdict:
    """The verdict on one server and its twin, of which nothing is left behind."""
    words = ["race", "node app.js", "--workload", workload, "-d", "1", *QUICK, "--json", "-"]
    ended = place.bakeoff(*words)
    assert ended.status == 0, ended.err
    assert not list(Path(place.path, "runs").glob("*/scratch"))
    return Verdict.from_json(ended.out, "stdout")


@pytest.mark.parametrize("workload", ["static-1k", "static-1m", "upload"])
def test_what_a_workload_needs_is_there_for_a_command_too(place: Place, workload: str) -> None:
    verdict = raced(place, workload)
    (entry,) = verdict.entries
    assert entry.valid and entry.requests_per_s, entry.reasons
    assert verdict.upstream is None


def test_whom_servers_ask_stands_beside_the_verdict(place: Place) -> None:
    verdict = raced(place, "forward-10ms")
    (entry,) = verdict.entries
    assert entry.valid, entry.reasons
    assert verdict.upstream and verdict.upstream.delay_ms == 10
    assert verdict.upstream.busy and 0 < verdict.upstream.busy <= 1.1
    assert entry.latency_us and entry.latency_us.p50 and entry.latency_us.p50 >= 10_000


def test_a_server_that_asks_nobody_is_out_and_its_answer_shown(place: Place) -> None:
    (place.path / "alone.js").write_text(
        'require("http").createServer((_, response) => response.end("Mine")).listen('
        "process.env.PORT);"
    )
    ended = place.bakeoff("race", "node alone.js", "--workload", "forward", "-d", "1", *QUICK)
    assert ended.status != 0
    assert 'GET /forward: answered "Mine", not "Hello, World!"' in ended.err
    assert "Traceback" not in ended.err
