"""What connections that do nothing cost."""

import os
from collections.abc import Iterator

import pytest

from tests.brick.siege.conftest import GET, Besieged, Starter, becomes_true

pytestmark = pytest.mark.e2e
IDLE = 4096
MOST_PSS_BYTES = 4 << 20
MOST_EACH_BYTES = 256
MOST_LEFT_BYTES = 256 << 10


@pytest.fixture
def room() -> Iterator[None]:
    """For both ends, in two processes."""
    soft, _ = os.sysconf("SC_OPEN_MAX"), None
    if soft < IDLE + 100:
        pytest.skip(f"a process may have {soft} descriptors, and {IDLE} clients need more")
    yield


@pytest.mark.usefixtures("room")
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
    assert becomes_true(lambda: server.connections() == IDLE, within_s=10)
    # A second later it has given back what it had more than it needs.
    assert becomes_true(lambda: server.pss_bytes() < MOST_PSS_BYTES, within_s=3), shown(server)
    each = (server.pss_bytes() - at_first) / IDLE
    assert each <= MOST_EACH_BYTES, f"{each:.0f} bytes each"
    for client in clients:
        client.close()
    left = at_first + MOST_LEFT_BYTES
    assert becomes_true(lambda: server.pss_bytes() <= left, within_s=10), shown(server)
    assert server.connections() == 0


def shown(server: Besieged) -> str:
    return f"{server.pss_bytes()} bytes, {server.connections()} connections"
