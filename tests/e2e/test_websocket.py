"""WebSocket in the same judge: a race of echoes, and servers that don't echo rightly."""

import sys
from pathlib import Path
from shlex import quote
from time import sleep

import pytest

from bakeoff.model.verdict import Verdict
from tests.e2e.conftest import QUICK, Place
from tests.ratios import known
from tests.verify.serving import serving
from tests.verify.websockets import echoing, passing_on

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[2]
SERVER = """
import os, socket, threading
from itertools import count
from tests.verify.websockets import ACCEPT, echoing, frame

echoed = count(1)
serve = {
    "": echoing(),
    "key": echoing(
        upgrade=b"HTTP/1.1 101 S\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
        + ACCEPT + b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\\r\\n\\r\\n"
    ),
    "alters": echoing(lambda echo: echo[:-1] + b"?"),
    # After a hundred right ones: in the load.
    "closes": echoing(lambda echo: echo if next(echoed) % 99 else frame(0x88, b"\\x03\\xf3")),
}[os.environ.get("LIE", "")]
listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])), backlog=512)
while True:
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
"""
WORKLOAD = """
name = "chat"
[websocket]
path = "/chat"
message = "Hello"
"""


@pytest.mark.alone
@pytest.mark.parametrize("sent", [("--binary",), ("--compression",)])
def test_servers_that_run_are_raced_by_their_urls(place: Place, sent: tuple[str, ...]) -> None:
    with serving(echoing()) as one, serving(echoing()) as two:
        urls = (f"ws://127.0.0.1:{port}/chat" for port in (one, two))
        message = ("--message-size", "1000", *sent)
        ended = place.bakeoff("race", *urls, *message, "-d", "1", *QUICK, "--json", "-")
    assert ended.status in (0, 3), ended.err
    verdict = Verdict.from_json(ended.out, "")
    assert {entry.errors.total for entry in verdict.entries} == {0}
    assert all(entry.requests_per_s for entry in verdict.entries)
    assert verdict.unit == "message"
    assert "messages/s" in (place.path / "runs/latest/report.md").read_text()


def test_echoes_are_raced_and_who_lies_is_out_with_the_reason(place: Place) -> None:
    (place.path / "server.py").write_text(SERVER)
    (place.path / "chat.toml").write_text(WORKLOAD)
    python = f"PYTHONPATH={quote(str(ROOT))} {quote(sys.executable)} server.py"
    servers = (
        *(f"{name}={python}" for name in ("one", "two")),
        *(f"{lie}=LIE={lie} {python}" for lie in ("key", "alters", "closes")),
    )
    ended = place.bakeoff(
        *("race", *servers, "--workload", "./chat.toml", "-c", "4", "-d", "2", *QUICK),
        *("--json", "verdict.json"),
    )
    assert ended.status == 4, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    for name in ("one", "two"):
        entry = verdict.entry(name)
        assert entry and entry.valid and entry.requests_per_s and not entry.errors.total
    out = {each.name: each.reason for each in verdict.skipped}
    assert "accept token" in out["key"]
    assert 'echoed "Hell?", not "Hello"' in out["alters"]
    closes = verdict.entry("closes")
    assert closes and not closes.valid and closes.errors.read


def test_rooms_are_raced_at_a_rate_of_messages(place: Place) -> None:
    with serving(passing_on()) as one, serving(passing_on()) as two:
        urls = (f"ws://127.0.0.1:{port}/chat" for port in (one, two))
        message = ("--message", "Hello", "--room", "4", "-c", "8", "--rate", "50")
        ended = place.bakeoff("race", *urls, *message, "-d", "2", *QUICK, "--json", "-")
    assert ended.status in (0, 3), ended.err
    verdict = Verdict.from_json(ended.out, "")
    assert (verdict.mode, verdict.rate) == ("open", 50)
    for entry in verdict.entries:
        rooms, open_loop = known(entry.rooms), known(entry.open_loop)
        assert rooms.messages and open_loop.rate == 50
        # It counts messages, each of which four hear.
        assert rooms.per_s == pytest.approx(50, rel=0.5)
    assert "50.0 messages sent/s to each" in (place.path / "runs/latest/report.md").read_text()


def test_rooms_are_raced_by_their_last_listener(place: Place) -> None:
    def late(number: int, message: bytes) -> bytes:
        sleep(0 if number else 0.002)
        return message

    with serving(passing_on()) as one, serving(passing_on(late)) as two:
        urls = (f"ws://127.0.0.1:{port}/chat" for port in (one, two))
        message = ("--message", "Hello", "--room", "4", "-c", "8")
        ended = place.bakeoff("race", *urls, *message, "-d", "2", *QUICK, "--json", "-")
    assert ended.status in (0, 3), ended.err
    verdict = Verdict.from_json(ended.out, "")
    for entry in verdict.entries:
        assert entry.valid and not entry.errors.total
        assert entry.rooms and entry.rooms.reach == 1 and entry.rooms.messages
    latencies = (known(known(entry.rooms).last_us) for entry in verdict.entries)
    assert max(known(each.p50) for each in latencies) > 2000
    assert "last listener" in (place.path / "runs/latest/report.md").read_text()
