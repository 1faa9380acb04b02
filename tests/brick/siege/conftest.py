"""brick-besieged, what it costs the machine, and clients that mean no good."""

import re
import resource
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.brick.conftest import NoPort, Running, program, running
from tests.waiting import wait_for

GET = b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n"
Starter = Callable[..., "Besieged"]


class Besieged(Running):
    """A server under siege, seen from outside."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def descriptors(self) -> list[str]:
        names = []
        for path in Path(f"/proc/{self.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # Closed meanwhile.
                names.append(str(path.readlink()))
        return names

    def connections(self) -> int:
        return sum(name.startswith("socket:") for name in self.descriptors()) - 1

    def pss_bytes(self) -> int:
        rollup = Path(f"/proc/{self.pid}/smaps_rollup").read_text()
        found = re.search(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)
        assert found
        return int(found[1]) * 1024

    def connect(self, receive_bytes: int = 0) -> socket.socket:
        client = socket.socket()
        client.settimeout(60)
        if receive_bytes:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        client.connect(("127.0.0.1", self.port))
        return client

    def warm_up(self) -> None:
        """Once round all buffers that it shares with the kernel: they stay."""
        with self.connect() as client:
            for _ in range(512):
                client.sendall(GET % b"/")
                assert client.recv(4096).endswith(b"Hello, World!")

    def answers(self) -> bool:
        """Whether it serves somebody new."""
        with self.connect() as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            answer = read_all(client)
        return answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"Hello, World!")


def read_all(client: socket.socket) -> bytes:
    """Until the server closes, or resets."""
    received = b""
    try:
        while piece := client.recv(1 << 16):
            received += piece
    except ConnectionResetError:
        pass
    return received


def reset(client: socket.socket) -> None:
    """Closes without a farewell."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


@contextmanager
def started(io: str, *words: str, descriptors: int | None = None) -> Iterator[Besieged]:
    """One that is idle. Where there is no io_uring, what needs it is skipped."""

    def limit() -> None:
        if descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    command: list[str | Path] = [program("brick-besieged"), "--port", "0", "--io", io, *words]
    try:
        with running(command, before=limit) as one:
            server = Besieged(one.process, one.port)
            assert server.answers()  # It minds signals from now on.
            wait_for(lambda: server.connections() == 0)
            yield server
    except NoPort as error:
        if io == "uring" and "io_uring" in str(error):
            pytest.skip(str(error))
        raise


@pytest.fixture(params=["epoll", "uring"])
def io(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def besieged(io: str) -> Iterator[Starter]:
    """Starts one with these words."""
    with ExitStack() as servers:
        yield lambda *words, descriptors=None: servers.enter_context(
            started(io, *words, descriptors=descriptors)
        )
