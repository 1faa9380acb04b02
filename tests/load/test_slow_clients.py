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


def until(condition: object, timeout_s: float = 20) -> None:
    ends_s = time.monotonic() + timeout_s
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < ends_s
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("protocol", "head"), [("h1", b"GET / HTTP/1.1\r\n"), ("h2c", b"PRI * HTTP/2.0\r\n\r\nSM")]
)
def test_each_sends_its_head_byte_by_byte(protocol: Protocol, head: bytes) -> None:
    with sink() as server, SlowClients(handle(server.port, protocol), 5, ()) as clients:
        assert clients.opened == 5
        until(lambda: len(server.received) == 5 and min(map(len, server.received.values())) > 2)
        assert all(
            head.startswith(each[:16]) and len(each) < 30 for each in server.received.values()
        )
        assert clients.end() == 5
        assert clients.end() == 0, "it has ended"


def test_those_that_the_server_closes_are_told() -> None:
    with sink(refused=4) as server, SlowClients(handle(server.port), 6, ()) as clients:
        until(lambda: len(server.received) == 2 and min(map(len, server.received.values())) > 3)
        assert clients.end() == 2


def test_where_nobody_listens_none_are_open_and_nothing_is_left() -> None:
    with sink() as server:
        port = server.port
    with SlowClients(handle(port), 3, ()) as clients:
        assert clients.opened == 0
    assert clients._process.returncode == 0
