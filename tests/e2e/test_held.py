"""Two servers hold streams beside short requests: one keeps its pace, one drops some of them."""

import socket
from contextlib import suppress
from itertools import count
from time import sleep

import pytest

from bakeoff.model.load import LoadResult
from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place
from tests.ratios import known
from tests.verify.serving import serving

pytestmark = pytest.mark.e2e
SERVER = """
const http = require("http");
const { PORT, DROPS } = process.env;
let streams = 0;
http.createServer((request, response) => {
  if (request.url !== "/ticks") return response.end("Hello, World!");
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  let number = 0;
  const tick = () => response.write(`id: ${++number}\\ndata: tick\\n\\n`);
  tick();
  const timer = setInterval(tick, 100);
  response.on("close", () => clearInterval(timer));
  // The first stream is the one of the verification.
  if (DROPS && ++streams % 2 === 0) setTimeout(() => response.destroy(), 300);
}).listen(PORT);
"""
WORKLOAD = """
name = "beside"
[request]
path = "/"
[expect]
body = "Hello, World!"
[held]
streams = 20
path = "/ticks"
gap_ms = 100
[defaults]
connections = 4
"""


def test_a_server_that_drops_streams_is_named_and_its_requests_are_not(place: Place) -> None:
    (place.path / "server.js").write_text(SERVER)
    (place.path / "beside.toml").write_text(WORKLOAD)
    servers = ("keeps=node server.js", "drops=DROPS=1 node server.js")
    words = ("--workload", "./beside.toml", "-d", "4", *QUICK)
    ended = place.bakeoff("race", *servers, *words, "--json", "verdict.json")
    assert ended.status in (0, 3, 5), ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    keeps, drops = known(verdict.entry("keeps")), known(verdict.entry("drops"))
    assert keeps.valid and not keeps.errors.total and not drops.errors.total
    held = known(keeps.held_streams)
    assert (held.streams, held.open, held.errors) == (20, 20, {})
    assert known(held.gap_us).p50 and held.per_s and not held.faults
    assert known(drops.held_streams).errors
    named = [each.code for each in (*drops.reasons, *drops.warnings)]
    assert {"streams_not_held", "streams_broke"}.intersection(named)
    assert "Held streams" in (place.path / "runs/latest/report.md").read_text()


def ticks(connection: socket.socket) -> None:
    # A client that has had enough resets it.
    with connection, suppress(OSError):
        while asked := connection.recv(65536):
            if not asked.startswith(b"GET /ticks "):
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
                continue
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            for number in count():
                connection.sendall(b"id: %d\ndata: tick\n\n" % number)
                sleep(0.05)


def test_a_load_holds_streams_too(place: Place) -> None:
    with serving(ticks) as port:
        words = ("--held", "10", "--held-path", "/ticks", "-c", "2", "-d", "1", "--json")
        ended = place.bakeoff("load", *words, f"http://127.0.0.1:{port}/")
    assert ended.status == 0, ended.err
    held = known(LoadResult.from_json(ended.out, "").held)
    assert (held.open, held.errors, held.events.lost) == (10, {}, 0)
    assert held.events.count >= 10 and held.events.gap_us
