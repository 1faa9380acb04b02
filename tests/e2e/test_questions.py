"""Two versions of an app on traffic of the user's own, with real servers and the real engine."""

import json
import tomllib
from pathlib import Path

import pytest

from bakeoff.model.draws import Draws
from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place

pytestmark = pytest.mark.e2e
APP = """
import asyncio, json, os, sys, time

SLOW, LACKS = {slow!r}, {lacks!r}

class App(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.held = transport, b""
        self.token = f"t{{transport.get_extra_info('peername')[1]}}"
    def data_received(self, data):
        self.held += data
        while b"\\r\\n\\r\\n" in self.held:
            head, _, rest = self.held.partition(b"\\r\\n\\r\\n")
            first, *fields = head.decode().split("\\r\\n")
            given = dict(field.lower().split(": ", 1) for field in fields)
            length = int(given.get("content-length", 0))
            if len(rest) < length:
                return
            body, self.held = rest[:length], rest[length:]
            method, target, _ = first.split()
            self.transport.write(self.answer(method, target, given, body))
            if given.get("connection") == "close":
                self.transport.close()
    def answer(self, method, target, given, body):
        path = target.partition("?")[0]
        status = 201 if method == "POST" else 200
        if path == SLOW:
            time.sleep(0.01)
        if path == LACKS or (path == "/orders" and json.loads(body)["user"] not in (7, 8)):
            status = 404
        if path == "/account" and given.get("x-token") != self.token:
            status = 403
        who = given.get("x-who")
        said = json.dumps({{"target": target, "bytes": len(body), "who": who, "token": self.token}})
        head = f"HTTP/1.1 {{status}} X\\r\\nContent-Type: application/json\\r\\n"
        return f"{{head}}Content-Length: {{len(said)}}\\r\\n\\r\\n{{said}}".encode()

async def serve():
    loop = asyncio.get_running_loop()
    await (await loop.create_server(App, "127.0.0.1", int(os.environ["PORT"]))).serve_forever()

asyncio.run(serve())
"""
SHOP = """
name = "shop"
title = "A shop's traffic"
data = "data/users.csv"

[[request]]
path = "/"
weight = 3

[[request]]
name = "search"
path = "/search?q={{name}}&page={{random 1 9}}"

[[request]]
path = "/users/{{id}}"
headers = { X-Who = "{{name}}" }

[[request]]
name = "order"
path = "/orders"
body = '{"user": {{id}}}'
[request.expect]
status = 201
"""


@pytest.fixture
def shop(place: Place) -> Place:
    """A workload with its data, and an app in three versions."""
    for name, slow, lacks in (("old", "", ""), ("new", "/search", ""), ("part", "", "/users/7")):
        (place.path / f"{name}.py").write_text(APP.format(slow=slow, lacks=lacks))
    (place.path / "traffic" / "data").mkdir(parents=True)
    (place.path / "traffic" / "shop.toml").write_text(SHOP)
    (place.path / "traffic" / "data" / "users.csv").write_text("id,name\n7,ann\n8,bob\n")
    return place


def test_the_request_that_one_version_is_slower_in_is_named(shop: Place) -> None:
    words = ["race", "old=python3 old.py", "new=python3 new.py", "part=python3 part.py"]
    options = ["--workload", "traffic/shop.toml", "-d", "8", *QUICK, "--json", "verdict.json"]
    ended = shop.bakeoff(*words, *options)
    assert ended.status == 4, "part is out"
    verdict = Verdict.read_json(shop.path / "verdict.json")
    (skipped,) = verdict.skipped
    assert "GET /users/{{id}}: answered with status 404, not 200" in skipped.reason
    first, *_ = verdict.by_request
    assert first.values["request"] == "search"
    assert (first.values["name"], first.values["other"]) == ("new", "old")
    assert "search" in ended.out
    for entry in verdict.entries:
        parts = [part for each in verdict.requests for part in each.entries]
        answered = sum(part.requests for part in parts if part.name == entry.name)
        assert answered == entry.requests
        assert entry.errors.total == 0
    run = shop.path / "runs" / "latest"
    for file in (run / "requests").glob("*.toml"):
        assert len(tomllib.loads(file.read_text())["request"]) == 4

    # Judged again from the run alone.
    for file in (shop.path / "traffic").rglob("*.*"):
        file.unlink()
    kept = (run / "verdict.json").read_text()
    (run / "verdict.json").unlink()
    assert shop.bakeoff("report", "runs/latest").status == 4
    assert (run / "verdict.json").read_text() == kept


def test_processes_that_are_asked_a_mix_have_a_spread_of_each_request(shop: Place) -> None:
    size = ("--processes", "2", "--sets", "2", "-c", "4", "-d", "4", "--warm-up", "1s")
    words = ("draws", "python3 old.py", "--workload", "traffic/shop.toml", *size)
    ended = shop.bakeoff(*words, "--json", "draws.json")
    assert ended.status == 0, ended.err
    (drawn,) = Draws.read_json(shop.path / "draws.json").contenders
    names = ["GET /", "search", "GET /users/{{id}}", "order"]
    assert [each.name for each in drawn.by_request] == names
    assert all(each.requests_per_s > 0 for each in drawn.by_request)
    # The others may have been in too few slices.
    assert drawn.by_request[0].spreads
    assert "Request by request" in ended.out


CHAIN = """
name = "account"
[[request]]
path = "/account"
headers = { X-Token = "{{token}}" }
[request.expect]
json = { target = "string", bytes = "number", token = "string" }
[[request]]
path = "/"
[[once]]
path = "/login"
body = "user=ann"
take = { token = "json /token" }
[once.expect]
status = 201
"""


def test_each_connection_logs_in_and_takes_its_token(shop: Place) -> None:
    (shop.path / "chain.toml").write_text(CHAIN)
    words = ["race", "python3 old.py", "--workload", "./chain.toml", "-d", "1", *QUICK]
    ended = shop.bakeoff(*words, "--json", "-")
    assert ended.status == 0, ended.err
    (entry,) = Verdict.from_json(ended.out, "stdout").entries
    assert entry.valid and entry.errors.total == 0
    (shop.path / "chain.toml").write_text(CHAIN.replace("json /token", "json /tokens/0"))
    ended = shop.bakeoff(*words)
    assert ended.status == 3
    assert "POST /login: {{token}} can't be taken: there is no json /tokens/0" in ended.err


def test_a_request_is_typed_as_for_curl(shop: Place) -> None:
    Path(shop.path / "order.json").write_text('{"user": 8, "note": "ä"}')
    words = ["race", "python3 old.py", "--request", "POST /orders", "-b", "@order.json", *QUICK]
    asks = ["-H", "X-Who: ann", "--cookie", "a=b", "--expect-status", "201", "-d", "1"]
    ended = shop.bakeoff(*words, *asks, "--json", "-")
    assert ended.status == 0, ended.err
    verdict = Verdict.from_json(ended.out, "stdout")
    assert (verdict.workload, verdict.workload_summary) == (
        "POST /orders",
        "POST /orders, for status 201",
    )
    assert verdict.entries[0].valid
    plan = json.loads((shop.path / "runs" / "latest" / "plan.json").read_text())
    assert plan["workload"]["request"]["headers"]["X-Who"] == "ann"
