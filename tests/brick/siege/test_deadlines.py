"""Who dawdles is cut off: no sooner than the limit, and soon after it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.brick.siege.conftest import GET, Starter, read_all
from tests.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
LIMIT_S = 1
# The server looks once a second; the rest is for a busy machine.
LATE_S = 20


@contextmanager
def cut_off_in_time() -> Iterator[None]:
    begin = time.monotonic()
    yield
    assert LIMIT_S <= time.monotonic() - begin <= LIMIT_S + LATE_S


def test_a_head_that_trickles_is_answered_with_408(besieged: Starter) -> None:
    server = besieged("--head-timeout", str(LIMIT_S))
    with server.connect() as client, cut_off_in_time():
        client.sendall(b"GET / HTTP/1.1\r\n")
        client.settimeout(0.2)
        received = b""
        for _ in range(100):
            try:
                client.sendall(b"X: y\r\n")
                received = client.recv(4096)
                break
            except TimeoutError:
                continue
    assert received.startswith(b"HTTP/1.1 408 ") and b"Connection: close\r\n" in received


def test_a_body_that_stalls_is_answered_with_408(besieged: Starter) -> None:
    server = besieged("--body-timeout", str(LIMIT_S))
    with server.connect() as client, cut_off_in_time():
        client.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
        received = read_all(client)
    assert received.startswith(b"HTTP/1.1 408 ") and b"Connection: close\r\n" in received


@pytest.mark.parametrize("requests", [0, 1])
def test_an_idle_connection_is_closed_without_a_word(besieged: Starter, requests: int) -> None:
    server = besieged("--idle-timeout", str(LIMIT_S))
    with server.connect() as client:
        for _ in range(requests):
            client.sendall(GET % b"/")
            assert client.recv(4096).endswith(b"Hello, World!")
        with cut_off_in_time():
            assert client.recv(4096) == b""


def test_a_client_that_reads_nothing_is_cut_off(besieged: Starter) -> None:
    server = besieged("--send-timeout", str(LIMIT_S), "--send-buffer", "16384")
    with server.connect(receive_bytes=4096) as client:
        with cut_off_in_time():
            client.sendall(GET % b"/stream")
            wait_for(lambda: server.connections() == 1)
            wait_for(lambda: server.connections() == 0)
        assert len(read_all(client)) < 1024 * 1024  # Of 16.


def test_a_client_that_reads_slowly_but_reads_is_not(besieged: Starter) -> None:
    server = besieged("--send-timeout", str(LIMIT_S), "--send-buffer", "16384")
    begin = time.monotonic()
    with server.connect(receive_bytes=16384) as client:
        client.sendall(GET % b"/big")
        received = 0
        while received < 1024 * 1024:
            piece = client.recv(16 * 1024)
            assert piece, f"cut off after {received} bytes"
            received += len(piece)
            time.sleep(0.08)
    assert time.monotonic() - begin > 4 * LIMIT_S


def test_a_refused_client_that_goes_on_talking_is_let_go(besieged: Starter) -> None:
    server = besieged("--linger-timeout", str(LIMIT_S))
    with server.connect() as client, cut_off_in_time():
        client.sendall(b"NONSENSE\r\n\r\n")
        assert read_all(client).startswith(b"HTTP/1.1 400 ")
        with pytest.raises(ConnectionError):
            for _ in range(100):
                client.sendall(b"more")
                time.sleep(0.1)


def test_an_answer_that_breaks_off_is_never_taken_for_a_whole_one(besieged: Starter) -> None:
    server = besieged()
    with server.connect() as client:
        client.sendall(b"GET /broken HTTP/1.0\r\n\r\n")  # Its body ends with the connection.
        with pytest.raises(ConnectionResetError):
            while client.recv(4096):
                pass
