"""What a user types, in a folder that bakeoff has never seen."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import psutil
import pytest

from bakeoff.cli import main
from bakeoff.installation import engine_path
from tests.waiting import wait_for

BAKEOFF = Path(sys.executable).parent / "bakeoff"
# The shortest race that there is, but for its `-d`.
QUICK = ("-c", "8", "--boots", "1", "--instances", "1", "--no-twin", "--warm-up", "1s")
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
# An article of which an engine has two contenders, and nobody the third.
ARTICLE = """
name = "mine"
title = "gunicorn against Node"
published = 2026-11-22
language = "English"
summary = "A test's own article."

[setting]
cpu = "some"
threads = 2

[loads.ab]
tool = "ab"
command = "ab -n 1000 -c 8 http://localhost/"
connections = 8
connection = "close"
http = "1.0"
requests = 1000

[[comparisons]]
name = "ab"
title = "With ab"
workload = "hello"
load = "ab"
cpus = "one"

[[comparisons.rows]]
name = "gunicorn"
contender = "gunicorn"
label = "gunicorn"
published.requests_per_s = [4160.98]

[[comparisons.rows]]
name = "node-http"
contender = "node-http"
label = "node"
published.requests_per_s = [7155.3]

[[comparisons.rows]]
name = "brick"
contender = "no-such-server"
label = "C++"
published.requests_per_s = [75018.11]

[[claims]]
text = "Node is faster than gunicorn."
comparison = "ab"
metric = "requests_per_s"
of = "node-http"
over = "gunicorn"
above = 1.0

[[claims]]
text = "C++ is fastest."
comparison = "ab"
metric = "requests_per_s"
of = "brick"
over = "gunicorn"
above = 1.0
"""


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A folder to type commands in."""

    path: Path

    def bakeoff(self, *words: str, timeout_s: float = 180, **env: str) -> Ended:
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

    def bakeoff_here(self, *words: str) -> Ended:
        """The same in this process, which saves starting another."""
        out, err = StringIO(), StringIO()
        handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
        with (
            chdir(self.path),
            redirect_stdout(out),
            redirect_stderr(err),
            pytest.MonkeyPatch.context() as patch,
            pytest.raises(SystemExit) as ended,
        ):
            patch.setattr(sys, "argv", ["bakeoff", *words])
            main()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        return Ended(int(ended.value.code or 0), out.getvalue(), err.getvalue())

    def begin(self, *words: str) -> "subprocess.Popen[str]":
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
        return f"python3 {name}.py"

    def contender(self, name: str, text: str) -> str:
        (self.path / name).mkdir()
        (self.path / name / "contender.toml").write_text(textwrap.dedent(text))
        return f"./{name}"

    def recorded(self, kind: str, run: str = "runs/latest") -> int:
        samples = self.path / run / "samples.jsonl"
        # A line without an end is still being written, and lost if a kill comes now.
        whole = samples.read_text().rpartition("\n")[0] if samples.exists() else ""
        return whole.count(f'{{"type":"{kind}"')

    def blocks(self, run: str = "runs/latest") -> int:
        """How many finished blocks a run has on disk."""
        return self.recorded("block", run)

    def processes(self) -> list[str]:
        lines = []
        for each in psutil.process_iter(["pid", "cwd", "environ", "cmdline"]):
            told = (each.info["cwd"] or "", *(each.info["environ"] or {}).values())
            inside = any(str(self.path) in text for text in told)
            if inside and each.info["cmdline"] and each.info["pid"] != os.getpid():
                lines.append(" ".join(each.info["cmdline"]))
        return lines

    def wait_until_nothing_is_left(self) -> None:
        """No process of this folder runs; at once, or within the keeper's grace."""
        wait_for(lambda: not self.processes())


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A new folder, with a space in its name; nothing of it runs afterwards."""
    folder = tmp_path / "a place"
    folder.mkdir()
    here = Place(folder)
    yield here
    here.wait_until_nothing_is_left()


@pytest.fixture
def null_server(place: Place) -> Iterator[str]:
    """The URL of the engine's server, which has one answer to everything."""
    words = [str(engine_path()), "null", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield f"http://{server.stdout.readline().split()[-1]}/"
        server.kill()


def wait_for_line(process: "subprocess.Popen[str]", text: str) -> None:
    """Read its standard error up to a line with this text."""
    assert process.stderr
    assert any(text in line for line in process.stderr), f"it ended without saying {text}"


def interrupt(process: "subprocess.Popen[str]") -> None:
    """Ctrl-C: SIGINT to the foreground process group."""
    os.killpg(process.pid, signal.SIGINT)
