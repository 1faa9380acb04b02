"""The brick's programs, as `make brick` leaves them in build/brick."""

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


@dataclass(frozen=True)
class Running:
    """A server's process, and where it listens on this machine."""

    pid: int
    port: int


Start = Callable[..., Running]


@contextmanager
def running(command: list[str | Path]) -> Iterator[Running]:
    """A server that prints its port in a line; ends with SIGTERM, and well."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout
    try:
        line = server.stdout.readline()
        port = re.search(r"(\d+)/?\s", line)
        assert port, f"it said {line!r} and no port"
        yield Running(server.pid, int(port[1]))
        server.terminate()
        assert server.wait(timeout=15) == 0
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


@pytest.fixture
def yardstick() -> Iterator[Start]:
    """Starts brick-yardstick with these words."""
    with ExitStack() as servers:
        yield lambda *words: servers.enter_context(
            running([program("brick-yardstick"), "--port", "0", *words])
        )
