"""Races of the workloads that need something around a contender, with a server of one's own."""

from pathlib import Path

import psutil
import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
needs_postgresql = pytest.mark.skipif(
    not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")), reason="postgresql isn't installed"
)
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


@needs_postgresql
def test_servers_are_raced_on_a_row_of_a_database(place: Place) -> None:
    words = ["race", "go-nethttp", "fastify", "--workload", "row", "-d", "1", *QUICK, "--json", "-"]
    ended = place.bakeoff(*words)
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert all(entry.valid and entry.requests_per_s for entry in verdict.entries)
    assert verdict.upstream and (verdict.upstream.delay_ms, verdict.upstream.rows) == (None, 10_000)
    assert verdict.upstream.busy and 0 < verdict.upstream.busy <= 1.1
    assert not list(Path(place.path, "runs").glob("*/scratch"))


@needs_postgresql
def test_a_server_that_answers_with_another_row_is_out(place: Place) -> None:
    (place.path / "same.js").write_text(
        'require("http").createServer((_, response) => { response.setHeader("Content-Type", '
        '"application/json"); response.end(JSON.stringify({ id: 101, shelf: 1, name: "Item 101 on '
        'shelf 1" })); }).listen(process.env.PORT);'
    )
    ended = place.bakeoff("race", "node same.js", "--workload", "row", "-d", "1", *QUICK)
    assert ended.status != 0
    assert "GET /row?id=" in ended.err and '{"id":101,' in ended.err


@needs_postgresql
def test_of_a_database_nothing_is_left_after_kill_9_of_all_who_would_end_it(place: Place) -> None:
    (place.path / "app.js").write_text(
        'require("http").createServer((_, response) => response.end("x")).listen(process.env.PORT);'
    )
    (place.path / "any.toml").write_text(
        'name = "any"\ndatabase_rows = 20\n[request]\npath = "/"\n'
    )
    before = segments()
    race = place.begin("race", "node app.js", "--workload", "./any.toml", "-d", "20", *QUICK)
    wait_for(lambda: place.blocks() > 0)
    below = psutil.Process(race.pid).children(recursive=True)
    assert [each for each in below if each.name() == "postgres"]
    (keeper,) = [each for each in below if each.name() == "bakeoff-keeper"]
    for each in (psutil.Process(race.pid), keeper):
        each.kill()
    race.communicate()
    psutil.wait_procs(below, timeout=10)
    assert not [each for each in below if each.is_running()]
    assert segments() <= before
    place.bakeoff("contenders")
    assert not list(Path(place.path, "runs").glob("*/scratch"))


def segments() -> set[str]:
    """The numbers of all segments of System V shared memory."""
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return {line.split()[1] for line in lines}


def test_a_server_that_asks_nobody_is_out_and_its_answer_shown(place: Place) -> None:
    (place.path / "alone.js").write_text(
        'require("http").createServer((_, response) => response.end("Mine")).listen('
        "process.env.PORT);"
    )
    ended = place.bakeoff("race", "node alone.js", "--workload", "forward", "-d", "1", *QUICK)
    assert ended.status != 0
    assert 'GET /forward: answered "Mine", not "Hello, World!"' in ended.err
    assert "Traceback" not in ended.err
