"""What a user types, in a folder that bakeoff has never seen."""

import os
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

BAKEOFF = Path(sys.executable).parent / "bakeoff"
SERVER = """
import asyncio, os, sys, time
{before}
BODY = {body!r}
HEAD = "HTTP/1.1 {status} X\\r\\nContent-Type: text/plain\\r\\nContent-Length: %d\\r\\n"
KEPT = (HEAD % len(BODY)).encode() + b"\\r\\n" + BODY
CLOSED = (HEAD % len(BODY)).encode() + b"Connection: close\\r\\n\\r\\n" + BODY

class Server(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.held = transport, b""
    def data_received(self, data):
        *whole, self.held = (self.held + data).split(b"\\r\\n\\r\\n")
        for request in whole:
            if b"onnection: close" in request:
                self.transport.write(CLOSED)
                self.transport.close()
            else:
                self.transport.write(KEPT)

async def serve():
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", int({port}))
    await server.serve_forever()

asyncio.run(serve())
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A folder to type commands in."""

    path: Path

    def bakeoff(self, *words: str, timeout_s: float = 60, **env: str) -> Ended:
        """Run bakeoff to its end."""
        done = subprocess.run(
            [BAKEOFF, *words],
            cwd=self.path,
            env={**os.environ, "COLUMNS": "100", **env},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        """Start bakeoff, in a session of its own, and let it run."""
        return subprocess.Popen(
            [BAKEOFF, *words],
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def server(
        self,
        name: str,
        *,
        body: bytes = b"Hello, World!",
        status: int = 200,
        port: str = 'os.environ["PORT"]',
        before: str = "",
    ) -> str:
        """A small server as a command; `before` is Python that runs before it listens."""
        text = SERVER.format(body=body, status=status, port=port, before=textwrap.dedent(before))
        (self.path / f"{name}.py").write_text(text)
        return f"{shlex.quote(sys.executable)} {name}.py"

    def contender(self, name: str, text: str) -> str:
        """A folder with a contender.toml."""
        (self.path / name).mkdir()
        (self.path / name / "contender.toml").write_text(textwrap.dedent(text))
        return f"./{name}"

    def ours(self) -> list[str]:
        """Command lines of processes that were started for a race in this folder."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            try:
                cwd = (each / "cwd").resolve()
                environ = (each / "environ").read_bytes()
                line = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            inside = self.path in (cwd, *cwd.parents) or str(self.path).encode() in environ
            if inside and line and "pytest" not in line:
                found.append(line)
        return found

    def wait_until_nothing_is_left(self, timeout_s: float = 10) -> None:
        """No process of a race in this folder; at once, or within the keeper's grace."""
        until = time.monotonic() + timeout_s
        while self.ours() and time.monotonic() < until:
            time.sleep(0.05)
        assert self.ours() == []


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A new folder, with a space in its name; nothing of it runs afterwards."""
    folder = tmp_path / "a place"
    folder.mkdir()
    here = Place(folder)
    yield here
    here.wait_until_nothing_is_left()


@pytest.fixture
def wait_for() -> Callable[[Callable[[], bool]], None]:
    """Wait until something is so; fail after a minute."""

    def wait(so: Callable[[], bool]) -> None:
        until = time.monotonic() + 60
        while not so():
            assert time.monotonic() < until, "it never came to be so"
            time.sleep(0.01)

    return wait


def interrupt(process: "subprocess.Popen[str]") -> None:
    """Ctrl-C: SIGINT to the foreground process group."""
    os.killpg(process.pid, signal.SIGINT)
