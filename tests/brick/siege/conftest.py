"""brick-besieged, what it costs the machine, and clients that mean no good."""

import os
import re
import resource
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.brick.conftest import program

GET = b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n"
Starter = Callable[..., "Besieged"]


@dataclass(frozen=True)
class Besieged:
    """A server under siege, seen from outside."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def descriptors(self) -> list[str]:
        names = []
        for path in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # Closed meanwhile.
                names.append(str(path.readlink()))
        return names

    def connections(self) -> int:
        """Its sockets, but for the one that listens."""
        return sum(name.startswith("socket:") for name in self.descriptors()) - 1

    def pss_bytes(self) -> int:
        rollup = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        found = re.search(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)
        assert found
        return int(found[1]) * 1024

    def cpu_s(self) -> float:
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self, receive_bytes: int = 0) -> socket.socket:
        client = socket.socket()
        client.settimeout(15)
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


def becomes_true(what: Callable[[], bool], within_s: float) -> bool:
    end = time.monotonic() + within_s
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@contextmanager
def started(io: str, *words: str, descriptors: int | None = None) -> Iterator[Besieged]:
    """One that ends with SIGTERM, and well, unless the test has ended it."""

    def limit() -> None:
        if descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    process = subprocess.Popen(
        [program("brick-besieged"), "--port", "0", "--io", io, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,
    )
    assert process.stdout and process.stderr
    try:
        said = re.match(r"http://127.0.0.1:(\d+)/ by ", process.stdout.readline())
        if not said:
            error = process.stderr.read()
            if io == "uring" and "io_uring" in error:
                pytest.skip(error)
            pytest.fail(error)
        server = Besieged(process, int(said[1]))
        assert server.answers()  # It minds signals from now on.
        assert becomes_true(lambda: server.connections() == 0, within_s=10)
        yield server
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=15) == 0, process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


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
