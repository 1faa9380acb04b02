"""Slow clients against a server of the test's own."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from bakeoff.load import SlowClients
from bakeoff.model.protocol import Protocol
from bakeoff.model.receipt import Handle
from tests.waiting import wait_for


class Sink:
    """A server that reads and says nothing; it closes those connections that are `refused`."""

    def __init__(self, refused: int) -> None:
        self.received: dict[int, bytes] = {}
        self._refused = refused
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        count = 0
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            count += 1
            if count <= self._refused:
                connection.close()
                continue
            threading.Thread(target=self._read, args=(count, connection), daemon=True).start()

    def _read(self, number: int, connection: socket.socket) -> None:
        self.received[number] = b""
        with connection:
            while data := connection.recv(100):
                self.received[number] += data

    def close(self) -> None:
        self._listener.close()


@contextmanager
def sink(refused: int = 0) -> Iterator[Sink]:
    with closing(Sink(refused)) as server:
        yield server


def handle(port: int, protocol: Protocol = "h1") -> Handle:
    return Handle(
        name="it", address=f"127.0.0.1:{port}", host="localhost", port=port, protocol=protocol
    )


REQUEST = b"POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"


def test_each_sends_the_request_byte_by_byte() -> None:
    with sink() as server, SlowClients(handle(server.port), REQUEST, 5, ()) as clients:
        assert clients.opened == 5
        wait_for(lambda: len(server.received) == 5 and min(map(len, server.received.values())) > 2)
        assert all(REQUEST.startswith(each) and len(each) < 30 for each in server.received.values())
        assert clients.end() == 5
        assert clients.end() == 0, "it has ended"


@pytest.mark.parametrize(("protocol", "sent"), [("h1", b"ababa"), ("h2c", b"ab")])
def test_it_begins_again_where_bytes_are_the_same_again(protocol: Protocol, sent: bytes) -> None:
    with sink() as server, SlowClients(handle(server.port, protocol), b"ab", 1, ()) as clients:
        wait_for(lambda: (server.received.get(1) or b"").startswith(sent))
        time.sleep(0.3)
        assert server.received[1].startswith(sent) and set(server.received[1]) <= set(b"ab")
        assert len(server.received[1]) == 2 or protocol == "h1"
        assert clients.end() == 1


def test_those_that_the_server_closes_are_told() -> None:
    with sink(refused=4) as server, SlowClients(handle(server.port), b"x" * 99, 6, ()) as clients:
        wait_for(lambda: len(server.received) == 2 and min(map(len, server.received.values())) > 3)
        assert clients.end() == 2


def test_where_nobody_listens_none_are_open_and_nothing_is_left() -> None:
    # Bound, so that nobody else gets the port, but not listening.
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        with SlowClients(handle(silent.getsockname()[1]), b"x", 3, ()) as clients:
            assert clients.opened == 0
    assert clients._process.returncode == 0
