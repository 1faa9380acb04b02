"""The path of `volley path`, over real sockets. It takes the right to make a network device."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from bakeoff.installation import engine_path
from bakeoff.load import Forwarder
from bakeoff.model.errors import MissingPiece
from bakeoff.model.plan import NetworkPath
from tests.waiting import wait_for

CAP_NET_ADMIN = 12
needs_a_device = pytest.mark.skipif(
    not int(Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0], 16)
    >> CAP_NET_ADMIN
    & 1,
    reason="making a network device takes CAP_NET_ADMIN",
)


@contextmanager
def path(delay_ms: float = 0.0, loss: float = 0.0, seed: int = 1) -> Iterator[Forwarder]:
    forwarder = Forwarder(NetworkPath(delay_ms=delay_ms, loss=loss), seed, ())
    try:
        yield forwarder
    finally:
        forwarder.close()


def is_ours(address: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def arrived(forwarder: Forwarder, packets: int) -> list[int]:
    """Which of so many packets reach a socket on `near` from one that sends to `far`."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        receiver.bind((forwarder.near, 0))
        receiver.settimeout(1.0)
        sender.connect((forwarder.far, receiver.getsockname()[1]))
        forwarder.seen()
        got: list[int] = []
        for number in range(packets):
            sender.send(number.to_bytes(4))
        while True:
            seen = forwarder.seen()
            packets -= seen.forwarded + seen.lost
            if packets <= 0:
                break
        receiver.setblocking(False)
        with pytest.raises(BlockingIOError):
            while True:
                got.append(int.from_bytes(receiver.recv(4)))
        return got


@needs_a_device
def test_a_round_trip_takes_the_delay_and_the_peer_seems_to_be_another_machine() -> None:
    with path(delay_ms=20) as forwarder, socket.create_server((forwarder.near, 0)) as server:
        port = server.getsockname()[1]
        began = time.monotonic()
        with socket.create_connection((forwarder.far, port)) as client:
            assert time.monotonic() - began >= 0.020
            accepted, peer = server.accept()
            with accepted:
                assert peer[0] == forwarder.far
                assert client.getpeername() == (forwarder.far, port)
                began = time.monotonic()
                client.sendall(b"there")
                accepted.sendall(accepted.recv(64))
                assert client.recv(64) == b"there"
                assert time.monotonic() - began >= 0.020
        assert forwarder.seen().forwarded >= 5


@needs_a_device
def test_a_seed_says_which_packets_are_lost_and_what_is_left_comes_in_order() -> None:
    with path(loss=0.2, seed=7) as forwarder:
        first = arrived(forwarder, 200)
    with path(loss=0.2, seed=7) as forwarder:
        assert arrived(forwarder, 200) == first
    assert first == sorted(first) and 100 < len(first) < 200


@needs_a_device
@pytest.mark.parametrize("how", ["closed", "killed"])
def test_nothing_is_left_of_a_path(how: str) -> None:
    with path() as forwarder:
        assert is_ours(forwarder.near) and not is_ours(forwarder.far)
        if how == "killed":
            (own,) = [
                each for each in psutil.Process().children() if each.cmdline()[1:2] == ["path"]
            ]
            own.kill()
            wait_for(lambda: not is_ours(forwarder.near))
    assert not is_ours(forwarder.near)


@needs_a_device
def test_two_paths_have_addresses_of_their_own() -> None:
    with path() as one, path() as other:
        assert len({one.near, one.far, other.near, other.far}) == 4


def test_without_the_right_it_says_what_it_takes() -> None:
    nobody = ("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin")
    done = subprocess.run(
        [*nobody, engine_path(), "path"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "CAP_NET_ADMIN" in done.stderr and not done.stdout


def test_a_core_that_is_not_there_is_named() -> None:
    with pytest.raises(MissingPiece, match="--cpus"):
        Forwarder(NetworkPath(delay_ms=0), 1, (1023,))
