"""What clients cost: the idle, those that vanish at any moment, and more than there is room for."""

import os
import random
import socket
import time
from collections import deque

import pytest

from tests.brick.siege.conftest import GET, Besieged, Starter, read_all, reset
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
IDLE = 4096
MOST_PSS_BYTES = 4 << 20
MOST_EACH_BYTES = 256
MOST_LEFT_BY_IDLE_BYTES = 256 << 10


@pytest.mark.skipif(
    os.sysconf("SC_OPEN_MAX") < IDLE + 100, reason=f"{IDLE} clients need more open files"
)
@pytest.mark.parametrize("requests", [0, 1])
def test_idle_connections_are_cheap_and_leave_nothing_behind(
    besieged: Starter, requests: int
) -> None:
    server = besieged()
    server.warm_up()
    at_first = server.pss_bytes()
    clients = []
    for _ in range(IDLE):
        client = server.connect()
        for _ in range(requests):
            client.sendall(GET % b"/")
            assert client.recv(4096).endswith(b"Hello, World!")
        clients.append(client)
    wait_for(lambda: server.connections() == IDLE)
    # A second later it has given back what it had more than it needs.
    wait_for(lambda: server.pss_bytes() < MOST_PSS_BYTES, what=lambda: shown(server))
    each = (server.pss_bytes() - at_first) / IDLE
    assert each <= MOST_EACH_BYTES, f"{each:.0f} bytes each"
    for client in clients:
        client.close()
    left = at_first + MOST_LEFT_BY_IDLE_BYTES
    wait_for(lambda: server.pss_bytes() <= left, what=lambda: shown(server))
    assert server.connections() == 0


def shown(server: Besieged) -> str:
    return f"{server.pss_bytes()} bytes, {server.connections()} connections"


AT_ONCE = 500
# Of 10,000 connections, the least leak of 64 bytes each shows; a heap in pieces keeps some pages.
MOST_LEFT_BYTES = 512 << 10
STORMS = 4
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
    left_behind(besieged(), least=10_000, least_s=0)


@pytest.mark.slow
@pytest.mark.alone
def test_descriptors_and_memory_come_back_after_a_minute(besieged: Starter) -> None:
    left_behind(besieged(), least=10_000, least_s=60)


def left_behind(server: Besieged, least: int, least_s: float) -> None:
    """Storms it, and finds nothing of that afterwards."""
    server.warm_up()
    wait_for(lambda: server.connections() == 0)
    names = server.descriptors()
    # The busier the machine, the more clients wait at once, and the more pages a first storm
    # leaves in the heap for the next. A leak grows with each storm.
    for _ in range(STORMS):
        before = server.pss_bytes()
        storm(server, least, least_s)
        wait_for(server.answers)
        wait_for(lambda: server.connections() == 0)
        assert len(server.descriptors()) == len(names)
        time.sleep(2)  # It gives back within a second what it has more than it needs.
        left = server.pss_bytes() - before
        if left <= MOST_LEFT_BYTES:
            return
    raise AssertionError(f"the last of {STORMS} storms left {left} bytes, as each before it did")


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


FEW = 64
FULL_S = 3


def is_turned_away(server: Besieged) -> bool:
    """Told so, or closed: refusals wait for nothing."""
    with server.connect() as client:
        client.sendall(GET % b"/")
        received = read_all(client)
    return received == b"" or received.startswith(b"HTTP/1.1 503 ")


@pytest.mark.parametrize(("words", "descriptors"), [([], FEW), (["--connections", str(FEW)], None)])
def test_who_finds_no_room_is_turned_away_until_others_leave(
    besieged: Starter, words: list[str], descriptors: int | None
) -> None:
    server = besieged(*words, descriptors=descriptors)
    guests: list[socket.socket] = []
    while len(guests) < FEW:
        guest = server.connect()
        guest.sendall(GET % b"/")
        if not guest.recv(4096).endswith(b"Hello, World!"):
            guest.close()
            break
        guests.append(guest)
    assert FEW // 2 < len(guests) <= FEW

    cpu_s, begin = server.cpu_s(), time.monotonic()
    for _ in range(30):
        assert is_turned_away(server)
        time.sleep(0.05)
    assert server.cpu_s() - cpu_s < (time.monotonic() - begin) / 4, "it turns in circles"

    for guest in guests[:8]:
        guest.close()
    wait_for(server.answers)
    guests[-1].sendall(GET % b"/")
    assert guests[-1].recv(4096).endswith(b"Hello, World!"), "who was there first stays"
    for guest in guests:
        guest.close()
    wait_for(lambda: server.connections() == 0)


def test_a_full_server_that_nobody_asks_rests(besieged: Starter) -> None:
    server = besieged(descriptors=FEW)
    waiting = [server.connect() for _ in range(2 * FEW)]
    wait_for(lambda: len(server.descriptors()) >= FEW - 1)
    time.sleep(0.5)
    cpu_s = server.cpu_s()
    time.sleep(FULL_S)
    assert server.cpu_s() - cpu_s < FULL_S / 10
    for client in waiting:
        client.close()
    wait_for(server.answers)
