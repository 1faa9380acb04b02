"""More clients than there is room for."""

import socket
import time

import pytest

from tests.brick.siege.conftest import GET, Besieged, Starter, becomes_true, read_all

pytestmark = pytest.mark.e2e
FEW = 64
FULL_S = 3


def is_turned_away(server: Besieged) -> bool:
    """Told so, or closed: but soon, for the client's patience is 15 s."""
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
    turned_away = 0
    while time.monotonic() < begin + FULL_S:
        assert is_turned_away(server)
        turned_away += 1
        time.sleep(0.05)
    assert turned_away >= 10, "refusals wait for something"
    assert server.cpu_s() - cpu_s < FULL_S / 4, "it turns in circles"

    for guest in guests[:8]:
        guest.close()
    assert becomes_true(server.answers, within_s=5)
    guests[-1].sendall(GET % b"/")
    assert guests[-1].recv(4096).endswith(b"Hello, World!"), "who was there first stays"
    for guest in guests:
        guest.close()
    assert becomes_true(lambda: server.connections() == 0, within_s=5)


def test_a_full_server_that_nobody_asks_rests(besieged: Starter) -> None:
    server = besieged(descriptors=FEW)
    waiting = [server.connect() for _ in range(2 * FEW)]
    assert becomes_true(lambda: len(server.descriptors()) >= FEW - 1, within_s=5)
    time.sleep(0.5)
    cpu_s = server.cpu_s()
    time.sleep(FULL_S)
    assert server.cpu_s() - cpu_s < FULL_S / 10
    for client in waiting:
        client.close()
    assert becomes_true(server.answers, within_s=5)
