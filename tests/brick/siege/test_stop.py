"""The server is asked to stop while it is busy."""

import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.brick.siege.conftest import GET, Besieged, Starter, read_all, started
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
CLOSE = b"\r\nConnection: close\r\n"
HEAD = b"GET / HTTP/1.1\r\n"
SIGNALS = [signal.SIGTERM, signal.SIGINT]


class Regular(threading.Thread):
    """Asks again and again on one connection, until it is told that this answer is the last."""

    def __init__(self, server: Besieged) -> None:
        super().__init__()
        self.client = server.connect()
        self.asked_at = 0.0
        self.answers = 0
        self.last = b""

    def run(self) -> None:
        with self.client:
            while CLOSE not in self.last:
                try:
                    self.client.sendall(GET % b"/")
                    self.asked_at = time.monotonic()
                    self.last = self.client.recv(4096)
                except ConnectionError:
                    self.last = b""
                if not self.last:
                    return
                self.answers += 1


def ended(server: Besieged) -> int:
    return server.process.wait(timeout=60)


@pytest.mark.parametrize("number", SIGNALS)
def test_no_request_that_was_begun_is_lost(besieged: Starter, number: signal.Signals) -> None:
    server = besieged()
    regulars = [Regular(server) for _ in range(16)]
    for regular in regulars:
        regular.start()
    late, half, silent = server.connect(), server.connect(), server.connect()
    late.sendall(GET % b"/half-a-second")
    half.sendall(HEAD)
    wait_for(lambda: all(each.answers > 10 for each in regulars))

    stopped_at = time.monotonic()
    server.process.send_signal(number)
    assert read_all(silent) == b"", "an idle connection is closed without a word"
    half.sendall(b"Host: a\r\n\r\n")
    assert CLOSE in read_all(half)
    assert read_all(late).endswith(b"late"), "its head was written before the stop"
    for client in (late, half, silent):
        client.close()
    for regular in regulars:
        regular.join(timeout=60)
        # One that asked after the signal may have found the door closed.
        assert CLOSE in regular.last or regular.asked_at > stopped_at
    assert ended(server) == 0


@pytest.mark.parametrize("number", SIGNALS)
def test_clients_that_are_stuck_are_waited_for_so_long(
    besieged: Starter, number: signal.Signals
) -> None:
    server = besieged("--stop-timeout", "2")
    with server.connect() as half, server.connect(receive_bytes=4096) as unread:
        half.sendall(HEAD)
        unread.sendall(GET % b"/stream")
        assert server.answers()
        begin = time.monotonic()
        server.process.send_signal(number)
        time.sleep(0.5)
        server.process.send_signal(number)  # Impatience changes nothing.
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port))
        assert ended(server) == 0
        assert 2 <= time.monotonic() - begin <= 30


def test_a_successor_gets_the_port_while_the_last_answers_are_given(io: str) -> None:
    with started(io) as server, server.connect() as half:
        half.sendall(HEAD)
        assert server.answers()
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: is_refused(server))
        with started(io, "--port", str(server.port)) as successor:
            assert successor.answers()
            half.sendall(b"Host: a\r\n\r\n")
            assert CLOSE in read_all(half)
            assert ended(server) == 0


def is_refused(server: Besieged) -> bool:
    try:
        server.connect().close()
    except ConnectionError:
        return True
    return False


@contextmanager
def standstill(server: Besieged) -> Iterator[None]:
    """What comes meanwhile is there at once when the server goes on, and so is the signal."""
    server.process.send_signal(signal.SIGSTOP)
    yield
    server.process.send_signal(signal.SIGTERM)
    server.process.send_signal(signal.SIGCONT)


def are_answered_at_the_end(server: Besieged, clients: list[socket.socket]) -> None:
    for client in clients:
        assert read_all(client).endswith(b"Hello, World!")
        client.close()
    assert ended(server) == 0


def test_who_waits_to_be_accepted_is_served_at_a_stop(besieged: Starter) -> None:
    server = besieged()
    with standstill(server):
        waiting = [server.connect() for _ in range(20)]
        for client in waiting:
            client.sendall(GET % b"/")
    are_answered_at_the_end(server, waiting)


def test_what_lies_unread_is_answered_at_a_stop(besieged: Starter) -> None:
    server = besieged()
    clients = [server.connect() for _ in range(20)]
    for client in clients:
        client.sendall(GET % b"/")
        assert client.recv(4096).endswith(b"Hello, World!")
    with standstill(server):
        for client in clients:
            client.sendall(GET % b"/")
    are_answered_at_the_end(server, clients)


def test_a_half_head_that_waited_for_a_stop_costs_no_time(besieged: Starter) -> None:
    server = besieged("--stop-timeout", "2")
    with standstill(server):
        half = server.connect()
        half.sendall(HEAD)
    with half:
        time.sleep(1.5)
        assert server.process.poll() is None
        assert server.cpu_s() < 0.5, "it turns in circles"
        assert ended(server) == 0
