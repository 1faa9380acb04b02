"""Requests smuggled through haproxy in front of the brick: nothing reaches it that wasn't sent.

haproxy keeps connections to the brick and shares them among its clients (`http-reuse always`), so a
request that the two cut differently would become the beginning of another client's.
"""

import json
import re
import shutil
import socket
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.brick.conftest import program, running

pytestmark = pytest.mark.e2e
HAPROXY = shutil.which("haproxy", path="/usr/sbin:/usr/bin")
ANSWER_S = 10.0
SILENCE_S = 0.05  # Nothing comes for so long: haproxy has no more to say to a doubtful request.

CONFIGURATION = """
global
    nbthread 1
defaults
    mode http
    http-reuse always
    log stdout format raw local0
    log-format "%HM %HU"
    timeout connect 10s
    timeout client 10s
    timeout server 10s
    timeout http-keep-alive 10s
{lax}
frontend front
    bind fd@{listener}
    default_backend brick
backend brick
    server brick 127.0.0.1:{brick}
"""
# What makes haproxy forward even a head that it would refuse.
LAX = "    option accept-invalid-http-request\n"


@dataclass(frozen=True)
class Chain:
    """haproxy's port, and the files in which each of the two writes what it was asked."""

    port: int
    log: Path
    proxy_log: Path

    def seen(self) -> list[str]:
        """Method and target of each request that reached the brick."""
        return [line.rsplit(" ", 1)[0] for line in read(self.log)]

    def forwarded(self) -> list[str]:
        """The same of each that haproxy took, forwarded or not."""
        return read(self.proxy_log)


def read(log: Path) -> list[str]:
    return log.read_text(encoding="latin-1").split("\n")[:-1]


@pytest.fixture(params=["", LAX], ids=["strict", "lax"])
def chain(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Chain]:
    assert HAPROXY, "haproxy is missing; `apt-get install haproxy` brings it"
    log = tmp_path / "asked"
    server: list[str | Path] = [
        program("brick-conformance-server"), "--port", "0", "--log", log,
    ]  # fmt: skip
    with running(server) as brick:
        configuration, proxy_log = tmp_path / "haproxy.cfg", tmp_path / "forwarded"
        # haproxy inherits the socket: a client may connect before it is up.
        with socket.create_server(("127.0.0.1", 0)) as listener, proxy_log.open("w") as out:
            port = listener.getsockname()[1]
            fd = listener.fileno()
            configuration.write_text(
                CONFIGURATION.format(listener=fd, brick=brick.port, lax=request.param)
            )
            proxy = subprocess.Popen(
                [HAPROXY, "-f", configuration],
                pass_fds=[fd],
                stdout=out,
                stderr=subprocess.DEVNULL,
            )
        try:
            yield Chain(port, log, proxy_log)
        finally:
            proxy.kill()
            proxy.wait()


def cases() -> list[tuple[str, bytes]]:
    """All requests of the table that are short enough to be smuggled in numbers."""
    listed = subprocess.run(
        [program("brick-conformance"), "--list"], capture_output=True, text=True, check=True
    )
    return [
        (case["id"], case["bytes"].encode("latin-1"))
        for case in json.loads(listed.stdout)["cases"]
        if len(case["bytes"]) < 4096 and not case["id"].startswith("9112-8-")
    ]


def marked(name: str) -> bytes:
    return f"GET /hello/{name} HTTP/1.1\r\nHost: a\r\n\r\n".encode()


def answers(client: socket.socket, until: bytes | None = None) -> bytes:
    """What comes until the connection ends, is silent, or `until` has come."""
    got = b""
    client.settimeout(ANSWER_S if until else SILENCE_S)
    with suppress(TimeoutError, ConnectionResetError):
        while (until is None or until not in got) and (piece := client.recv(65536)):
            got += piece
    return got


def body(answer: bytes) -> bytes:
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), answer
    length = re.search(rb"(?i)content-length: (\d+)", head)
    assert length
    assert len(rest) == int(length[1]), answer
    return rest


@pytest.mark.slow
def test_no_request_of_the_table_leaves_anything_for_the_next_client(chain: Chain) -> None:
    """Behind each case, a marked request on the same connection and one on another."""
    sent = 0
    for id, request in cases():
        with socket.create_connection(("127.0.0.1", chain.port), timeout=ANSWER_S) as client:
            with suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(request)
                client.sendall(marked(f"same-{sent}"))
            answers(client)
            with socket.create_connection(("127.0.0.1", chain.port), timeout=ANSWER_S) as other:
                name = f"other-{sent}".encode()
                other.sendall(marked(name.decode()))
                assert body(answers(other, until=name)) == name, f"{id} has changed the next answer"
        assert f"GET /hello/other-{sent}" in chain.seen(), id
        sent += 1
    assert sent > 200
    unsent = Counter(chain.seen()) - Counter(chain.forwarded())
    assert not unsent, "the brick was asked what haproxy never forwarded"
