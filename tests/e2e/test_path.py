"""Races over a path with a delay, which leave nothing behind."""

import json
from pathlib import Path

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place
from tests.load.test_forwarder import is_ours, needs_a_device
from tests.waiting import wait_for

pytestmark = [pytest.mark.e2e, needs_a_device]
ECHO = """
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nHi")
    def log_message(self, *_):
        pass

ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
"""


def near(place: Place) -> set[str]:
    """The addresses that servers of the latest run listened on."""
    samples = (place.path / "runs/latest/samples.jsonl").read_text().splitlines()
    started = [json.loads(line) for line in samples if line.startswith('{"type":"boot"')]
    return {each["address"].rpartition(":")[0] for boot in started for each in boot["started"]}


@pytest.fixture
def servers(place: Place) -> tuple[str, str]:
    for name in ("a", "b"):
        (place.path / f"{name}.py").write_text(ECHO)
    return "python3 a.py", "python3 b.py"


def test_a_race_over_a_path_has_its_delay_in_every_latency(
    place: Place, servers: tuple[str, str]
) -> None:
    ended = place.bakeoff("race", *servers, *QUICK, "--no-probes", "-d", "2", "--path", "20ms")
    assert ended.status == 0, ended.err
    verdict = Verdict.read_json(place.path / "runs/latest/verdict.json")
    assert verdict.path and verdict.path.delay_ms == 20 and verdict.path.packets > 0
    for entry in verdict.entries:
        assert entry.latency_us and entry.latency_us.p50
        assert entry.latency_us.p50 >= 20_000
    (address,) = near(place)
    assert not is_ours(address)


def test_a_kill_leaves_neither_process_nor_device(place: Place, servers: tuple[str, str]) -> None:
    race = place.begin("race", *servers, *QUICK, "--no-probes", "-d", "60", "--path", "1ms")
    wait_for(lambda: (place.path / "runs/latest/samples.jsonl").exists() and bool(near(place)))
    (address,) = near(place)
    assert is_ours(address)
    race.kill()
    race.communicate()
    place.wait_until_nothing_is_left()
    wait_for(lambda: not is_ours(address))


def test_a_server_of_somebody_else_is_refused(place: Place) -> None:
    ended = place.bakeoff("race", "http://127.0.0.1:9/", "--path", "20ms")
    assert ended.status == 2
    assert "--path" in ended.err and "127.0.0.1:9" in ended.err
    assert not Path(place.path, "runs").exists()
