"""A day over HTTP/2 with a chain, and over TLS with a server that asks another: a short round."""

from contextlib import chdir

import pytest

from bakeoff.model.day import Day
from bakeoff.plan import DayOptions, Environment, plan_day
from bakeoff.progress import Watch
from bakeoff.runs import execute
from bakeoff.satellites import real_stages
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e
SHOP = """
const fs = require("fs"), { PORT, TLS_CERT, TLS_KEY } = process.env;
const tls = { cert: fs.readFileSync(TLS_CERT), key: fs.readFileSync(TLS_KEY) };
const known = new Set();
require("http2").createSecureServer(tls, (request, response) => {
  if (request.url === "/login") {
    const token = `t${known.size}`;
    known.add(token);
    return response.end(JSON.stringify({ token }));
  }
  const token = (request.headers.authorization || "").replace("Bearer ", "");
  response.statusCode = known.has(token) ? 200 : 401;
  response.end("Hi");
}).listen(PORT);
"""
CHAIN = """
name = "shop"
[[once]]
path = "/login"
take = { token = "json /token" }
[[request]]
path = "/cart"
headers = { Authorization = "Bearer {{token}}" }
[[request]]
path = "/items"
headers = { Authorization = "Bearer {{token}}" }
"""
GATEWAY = """
const fs = require("fs"), { PORT, TLS_CERT, TLS_KEY, UPSTREAM } = process.env;
const http = require("http"), agent = new http.Agent({ keepAlive: true });
const tls = { cert: fs.readFileSync(TLS_CERT), key: fs.readFileSync(TLS_KEY) };
require("https").createServer(tls, (request, response) => {
  http.get(`${UPSTREAM}/`, { agent }, (answer) => {
    response.writeHead(answer.statusCode, { "Content-Type": answer.headers["content-type"] });
    answer.pipe(response);
  }).on("error", () => { response.statusCode = 502; response.end(); });
}).listen(PORT);
"""


class Silent(Watch):
    """Nobody watches; what goes wrong fails the test."""

    def note(self, text: str) -> None:
        assert "ended early" not in text, text

    def out(self, name: str, reason: str) -> None:
        raise AssertionError(f"{name} is out: {reason}")


def one_round(place: Place, command: str, **options: object) -> Day:
    """A day of one round; the shortest that can be asked for has five."""
    asked = {"connections": 4, "storm": 20, "slow_clients": 5, "duration": 60, "seed": 1}
    with chdir(place.path):
        here = Environment.here(("bakeoff", "day", command))
        plan = plan_day([command], DayOptions(**{**asked, **options}), here)
        short = plan.model_copy(update={"rounds": 1, "rounds_min": 1, "window_ms": 100})
        run = execute(short, place.path / "runs", real_stages(), Silent())
    assert isinstance(run.result, Day) and run.succeeded
    return run.result


def check(day: Day) -> None:
    """Each phase has a figure, and up to capacity nothing went wrong."""
    assert day.rounds == 1 and len({line.phase for line in day.lines if line.main}) == 14
    (entry,) = day.entries
    right = {"first", "peak", "load_10", "equal", "storm"}
    assert not {phase: kinds for phase, kinds in entry.errors.items() if phase in right}


def test_a_chain_over_http_2(place: Place) -> None:
    """Each connection logs in, those of the storm and beyond capacity too."""
    (place.path / "shop.js").write_text(SHOP)
    (place.path / "shop.toml").write_text(CHAIN)
    check(one_round(place, "node shop.js", protocol="h2", streams=2, workload="./shop.toml"))


@pytest.mark.slow
def test_over_tls_a_server_that_asks_another(place: Place) -> None:
    (place.path / "gateway.js").write_text(GATEWAY)
    day = one_round(place, "node gateway.js", protocol="h1-tls", workload="forward")
    check(day)
    assert day.plan.race.upstream
