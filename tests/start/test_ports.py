"""Which port a contender gets, and who listens where."""

import os
import socket

import pytest

from bakeoff.model.errors import ContenderOut
from bakeoff.start.listeners import Listener, endpoint, listeners_of
from bakeoff.start.ports import Ports

HOST = "127.0.0.1"


def test_no_port_is_given_twice() -> None:
    ports = Ports()
    given = [ports.free(HOST) for _ in range(50)]
    assert len(set(given)) == len(given)


def test_a_free_port_can_be_bound() -> None:
    with socket.create_server((HOST, Ports().free(HOST))) as server:
        assert server.getsockname()[0] == HOST


def test_a_port_that_is_taken_for_udp_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as taken:
        taken.bind((HOST, Ports().free(HOST)))
        port = taken.getsockname()[1]
        drawn = iter([port, port + 1, port])
        monkeypatch.setattr("random.randrange", lambda *_: next(drawn))
        assert Ports().free(HOST) == port + 1
        with pytest.raises(ContenderOut, match=rf"port {port} is taken by .*{os.getpid()}"):
            Ports().fixed(HOST, port, udp=True)
        assert Ports().fixed(HOST, port) == port


def test_a_socket_of_udp_that_is_bound_listens_and_one_that_is_connected_does_not() -> None:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as bound,
        socket.socket(type=socket.SOCK_DGRAM) as connected,
    ):
        bound.bind((HOST, 0))
        connected.connect(bound.getsockname())
        ours = listeners_of([os.getpid()], udp=True)
        found = [each for each in ours if each.port == bound.getsockname()[1]]
        assert [str(each) for each in found] == [f"UDP {endpoint(*bound.getsockname())}"]
        assert connected.getsockname()[1] not in [each.port for each in ours]
        assert found[0] not in listeners_of([os.getpid()])


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
    taken = rf"port \d+ is taken by .* \(pid {os.getpid()}\); end it, or take"
    with (
        socket.create_server((HOST, 0)) as server,
        pytest.raises(ContenderOut, match=taken),
    ):
        Ports().fixed(HOST, server.getsockname()[1])


@pytest.mark.parametrize(
    ("family", "address", "listens_at"),
    [
        (socket.AF_INET, "127.0.0.1", "127.0.0.1"),
        (socket.AF_INET6, "::1", "[::1]"),
        (socket.AF_INET6, "::ffff:127.0.0.1", "127.0.0.1"),
    ],
)
def test_listening_sockets_of_a_process_are_told_from_its_connections(
    family: socket.AddressFamily, address: str, listens_at: str
) -> None:
    with socket.socket(family) as server:
        server.bind((address, 0))
        server.listen()
        port: int = server.getsockname()[1]
        with socket.create_connection((address, port)):
            found = [str(each) for each in listeners_of([os.getpid(), 2**22 + 1])]
        assert found.count(f"{listens_at}:{port}") == 1


@pytest.mark.parametrize(
    ("address", "serves"),
    [("127.0.0.1", True), ("0.0.0.0", True), ("::", True), ("127.0.0.2", False), ("::1", False)],
)
def test_a_listener_serves_its_address_or_any(address: str, serves: bool) -> None:
    assert Listener(address, 80).serves("127.0.0.1", 80) == serves
    assert not Listener(address, 81).serves("127.0.0.1", 80)


def test_ipv6_endpoints_have_brackets() -> None:
    assert endpoint("::1", 80) == "[::1]:80"
    assert endpoint("127.0.0.1", 80) == "127.0.0.1:80"
