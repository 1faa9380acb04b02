"""Who listens where, from the tables of /proc/net."""

import socket

import pytest

from bakeoff.start.sockets import Listener, endpoint, owner, parse_listeners

TCP = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0
   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 222 1 0
   2: 0100007F:0BB8 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 333 1 0
"""
TCP6 = """\
  sl  local_address                         remote_address                        st tx rx tr tm
0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 444
1: 00000000000000000000000001000000:0051 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 555
2: 0000000000000000FFFF00000100007F:0052 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 666
"""


def test_listening_sockets_are_read_and_connections_are_not() -> None:
    assert parse_listeners(TCP) == [
        Listener("127.0.0.1", 3000, 111),
        Listener("0.0.0.0", 8080, 222),
    ]


def test_ipv6_words_are_turned_and_mapped_addresses_are_ipv4() -> None:
    assert [str(one) for one in parse_listeners(TCP6)] == ["[::]:80", "[::1]:81", "127.0.0.1:82"]
    assert parse_listeners(TCP6)[0].inode == 444


@pytest.mark.parametrize(
    ("address", "serves"),
    [("127.0.0.1", True), ("0.0.0.0", True), ("::", True), ("127.0.0.2", False), ("::1", False)],
)
def test_a_listener_serves_its_address_or_any(address: str, serves: bool) -> None:
    assert Listener(address, 80, 1).serves("127.0.0.1", 80) == serves
    assert not Listener(address, 81, 1).serves("127.0.0.1", 80)


def test_ipv6_endpoints_have_brackets() -> None:
    assert endpoint("::1", 80) == "[::1]:80"
    assert endpoint("127.0.0.1", 80) == "127.0.0.1:80"


def test_the_owner_of_a_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert "(pid " in (owner(port) or "")
    assert owner(port) is None
