"""The length of a listen queue is what listen(2) was asked for."""

import socket
from contextlib import ExitStack

import pytest

from bakeoff.measure import read_listen_queue


@pytest.mark.parametrize("places", [1, 5, 100])
def test_a_queue_has_the_places_that_were_asked_for(places: int) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=places) as server:
        port = server.getsockname()[1]
        assert read_listen_queue(port) == places
    assert read_listen_queue(port) is None


def test_those_who_share_a_port_have_their_places_together() -> None:
    with ExitStack() as stack:
        port = 0
        for places in (3, 4):
            server = stack.enter_context(
                socket.create_server(("127.0.0.1", port), backlog=places, reuse_port=True)
            )
            port = server.getsockname()[1]
        assert read_listen_queue(port) == 7


def test_an_address_of_ipv6_counts_too() -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6, backlog=9) as server:
        assert read_listen_queue(server.getsockname()[1]) == 9
