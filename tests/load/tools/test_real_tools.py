"""The real tools and the real engine, against a server that counts what it answers."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from bakeoff.load.tools import LoadRun, missing, run
from bakeoff.model.load import Loader, LoadResult
from tests.load.tools.samples import load as spec_of
from tests.verify.serving import serving

pytestmark = pytest.mark.e2e

REQUESTS = 300
CONNECTIONS = 4


class Counting:
    """A server that answers each request with 200, keeps its connection as asked, and counts."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.port = 0

    @property
    def answered(self) -> int:
        return len(self.heads)

    def serve(self, connection: socket.socket) -> None:
        received = b""
        # A tool may reset what is in flight at its end.
        with connection, suppress(ConnectionError):
            while data := connection.recv(65536):
                received += data
                while b"\r\n\r\n" in received:
                    head, _, received = received.partition(b"\r\n\r\n")
                    self.heads.append(head)
                    if not answer(connection, head.lower()):
                        return


def answer(connection: socket.socket, head: bytes) -> bool:
    """Answer a request; whether its connection is kept."""
    new = b" http/1.1\r\n" in head
    keeps = b"connection: close" not in head if new else b"connection: keep-alive" in head
    connection.sendall(
        b"HTTP/1.%d 200 OK\r\nConnection: %b\r\nContent-Length: 5\r\n\r\nHello"
        % (new, b"keep-alive" if keeps else b"close")
    )
    return keeps


@pytest.fixture
def server() -> Iterator[Counting]:
    """A server of this test's own: what its tools leave in flight is in nobody else's count."""
    counting = Counting()
    with serving(counting.serve) as counting.port:
        yield counting


def load(loader: Loader, port: int, **changes: Any) -> LoadRun:
    """One run of the tool, on our last core; the test is skipped where there is no such tool."""
    if why := missing(loader):
        pytest.skip(why)
    usual = {
        "url": f"http://127.0.0.1:{port}/",
        "host": f"127.0.0.1:{port}",
        "connections": CONNECTIONS,
        "http": "1.0",
        "duration_s": None,
        "cpus": (max(os.sched_getaffinity(0)),),
        "expected_body": b"Hello",
    }
    return run(loader, spec_of(**{**usual, **changes}))


def result_of(ran: LoadRun) -> LoadResult:
    """The result of a run in which all went well."""
    assert ran.result is not None, f"{ran.failure}\n{ran.output}"
    assert ran.result.errors == {}, ran.output
    assert ran.result.requests_per_s > 0 and ran.result.bytes_per_s > 0
    return ran.result


@pytest.mark.parametrize("connection", ["keep-alive", "close"])
@pytest.mark.parametrize("loader", ["ab", "engine", "oha", "hey"])
def test_a_count_of_requests_is_exact(server: Counting, loader: Loader, connection: str) -> None:
    http = "1.1" if loader in ("oha", "hey") else "1.0"
    ran = load(loader, server.port, requests=REQUESTS, connection=connection, http=http)
    assert result_of(ran).requests == server.answered == REQUESTS


def test_the_engine_speaks_http_1_1_too(server: Counting) -> None:
    ran = load("engine", server.port, requests=REQUESTS, http="1.1")
    assert result_of(ran).requests == server.answered == REQUESTS


@pytest.mark.parametrize(
    ("loader", "http", "connection"),
    [
        ("ab", "1.0", "keep-alive"),
        ("wrk", "1.1", "keep-alive"),
        ("wrk", "1.1", "close"),
        ("webbench", "1.0", "close"),
        ("oha", "1.1", "keep-alive"),
        ("hey", "1.1", "keep-alive"),
    ],
)
def test_a_second_counts_all_but_what_was_in_flight(
    server: Counting, loader: Loader, http: str, connection: str
) -> None:
    ran = load(loader, server.port, duration_s=1.0, http=http, connection=connection)
    requests = result_of(ran).requests
    assert 0 < requests <= server.answered <= requests + CONNECTIONS


@pytest.mark.parametrize("http", ["1.0", "1.1"])
def test_a_second_of_the_engine_leaves_its_warm_up_out(server: Counting, http: str) -> None:
    ran = load("engine", server.port, duration_s=1.0, http=http)
    assert 0 < result_of(ran).requests <= server.answered


def test_the_engine_checks_the_body(server: Counting) -> None:
    ran = load("engine", server.port, requests=REQUESTS, expected_body=b"hello")
    assert ran.result is not None, ran.failure
    assert ran.result.errors == {"mismatch_body": REQUESTS}


@pytest.mark.parametrize("loader", ["oha", "hey"])
def test_a_server_that_is_not_there_answers_them_nothing(loader: Loader) -> None:
    ran = load(loader, closed_port(), requests=REQUESTS, http="1.1")
    assert ran.result is not None, ran.failure
    assert (ran.result.requests, ran.result.errors) == (0, {"failed": REQUESTS})


@pytest.mark.parametrize("loader", ["wrk", "engine"])
def test_a_server_that_is_not_there_is_a_failure(loader: Loader) -> None:
    ran = load(loader, closed_port(), duration_s=1.0, http="1.1")
    assert ran.result is None and "Connection refused" in ran.failure


def test_a_server_that_is_not_there_answers_ab_nothing() -> None:
    ran = load("ab", closed_port(), requests=REQUESTS)
    assert ran.result is None or ran.result.requests == 0, ran.output


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port
