"""The brick's programs, as `make brick` leaves them in build/brick."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "brick"


def program(name: str) -> Path:
    found = BUILD / name
    assert found.exists(), f"{found} is not there: `make brick` builds it"
    return found


def ended(*words: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    """A program that runs to its end; `env` is added to its environment."""
    return subprocess.run(
        words, capture_output=True, text=True, timeout=300, env={**os.environ, **env}
    )


class NoPort(Exception):
    """What a server said instead of its port."""


@dataclass(frozen=True)
class Running:
    """A server's process, and where it listens on this machine."""

    process: subprocess.Popen[str]
    port: int

    @property
    def pid(self) -> int:
        return self.process.pid

    def cpu_s(self) -> float:
        """CPU time that it has taken so far."""
        stat = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


Start = Callable[..., Running]


@contextmanager
def running(
    command: list[str | Path], before: Callable[[], None] | None = None
) -> Iterator[Running]:
    """A server that prints its port in a line; ends with SIGTERM or before, and well.

    `before` is called in its process. Raises `NoPort`.
    """
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before
    )
    assert process.stdout and process.stderr
    try:
        line = process.stdout.readline()
        port = re.search(r"(\d+)/?\s", line)
        if not port:
            raise NoPort(line + process.stderr.read())
        yield Running(process, int(port[1]))
        process.terminate()
        assert process.wait(timeout=60) == 0, process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


@pytest.fixture
def yardstick() -> Iterator[Start]:
    """Starts brick-yardstick with these words."""
    with ExitStack() as servers:
        yield lambda *words: servers.enter_context(
            running([program("brick-yardstick"), "--port", "0", *words])
        )
