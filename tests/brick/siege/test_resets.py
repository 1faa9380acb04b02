"""Clients that come and vanish at any moment."""

import random
import socket
import time
from collections import deque

import pytest

from tests.brick.siege.conftest import GET, Besieged, Starter, becomes_true, reset

pytestmark = pytest.mark.e2e
AT_ONCE = 500
# Of 10,000 connections, the least leak of 64 bytes each shows; a heap in pieces keeps some pages.
MOST_LEFT_BYTES = 512 << 10
REQUESTS = [
    GET % b"/",
    (GET % b"/") * 20,
    GET % b"/big",
    GET % b"/stream",
    GET % b"/half-a-second",
    b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n" + bytes(5000),
    b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\nrefused",
    b"NONSENSE\r\n\r\n",
]


def test_descriptors_and_memory_come_back(besieged: Starter) -> None:
    left_behind(besieged(), least=10_000, least_s=5)


@pytest.mark.slow
def test_descriptors_and_memory_come_back_after_a_minute(besieged: Starter) -> None:
    left_behind(besieged(), least=10_000, least_s=60)


def left_behind(server: Besieged, least: int, least_s: float) -> None:
    """Storms it, and finds nothing of that afterwards."""
    server.warm_up()
    assert becomes_true(lambda: server.connections() == 0, within_s=10)
    at_first, names = server.pss_bytes(), sorted(server.descriptors())
    storm(server, least, least_s)
    assert becomes_true(server.answers, within_s=10)
    assert becomes_true(lambda: server.connections() == 0, within_s=10)
    assert len(server.descriptors()) == len(names)
    limit = at_first + MOST_LEFT_BYTES
    assert becomes_true(lambda: server.pss_bytes() <= limit, within_s=10), (
        f"{server.pss_bytes() - at_first} bytes are left"
    )


def storm(server: Besieged, least: int, least_s: float) -> None:
    dice = random.Random(7)
    there: deque[socket.socket] = deque()
    begin, count = time.monotonic(), 0
    while count < least or time.monotonic() < begin + least_s:
        there.append(newcomer(server, dice))
        count += 1
        if len(there) == AT_ONCE or dice.random() < 0.3:
            there.rotate(dice.randrange(len(there)))
            reset(there.pop())
    for client in there:
        reset(client)


def newcomer(server: Besieged, dice: random.Random) -> socket.socket:
    """Says nothing, a part or all of a request, and reads nothing, a part or much."""
    client = server.connect()
    request = dice.choice(REQUESTS)
    client.setblocking(False)
    try:
        client.send(request[: dice.choice([0, dice.randrange(len(request)), len(request)])])
        for _ in range(dice.randrange(3)):
            client.recv(dice.choice([1, 100, 10_000]))
    except (BlockingIOError, ConnectionError):
        pass
    return client
