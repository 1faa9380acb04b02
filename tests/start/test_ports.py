"""Which port a contender gets."""

import socket

import pytest

from bakeoff.model.errors import ContenderOut
from bakeoff.start.ports import Ports, parse_outgoing_from

HOST = "127.0.0.1"


def test_no_port_is_given_twice() -> None:
    ports = Ports()
    given = [ports.free(HOST) for _ in range(50)]
    assert len(set(given)) == len(given)


def test_a_free_port_can_be_bound() -> None:
    with socket.create_server((HOST, Ports().free(HOST))) as server:
        assert server.getsockname()[0] == HOST


def test_the_ports_of_outgoing_connections_begin_where_the_kernel_says() -> None:
    assert parse_outgoing_from("32768\t60999\n") == 32768


def test_a_fixed_port_that_nobody_has_is_given() -> None:
    port = Ports().free(HOST)
    assert Ports().fixed(HOST, port) == port


def test_a_fixed_port_with_connections_in_time_wait_is_free() -> None:
    with socket.create_server((HOST, Ports().free(HOST))) as server:
        port: int = server.getsockname()[1]
        client = socket.create_connection((HOST, port))
        server.accept()[0].close()  # the server closes first, so its port waits
        client.close()
    assert Ports().fixed(HOST, port) == port


def test_a_fixed_port_that_is_taken_is_refused() -> None:
    with (
        socket.create_server((HOST, 0)) as server,
        pytest.raises(ContenderOut, match=r"port \d+ is taken by .* \(pid \d+\); end it, or take"),
    ):
        Ports().fixed(HOST, server.getsockname()[1])
