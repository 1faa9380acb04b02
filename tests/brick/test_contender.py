"""catalogue/contenders/brick started by hand, and wrongly."""

import os
import resource
import socket
import subprocess
from pathlib import Path

import pytest

from bakeoff.build import out_folder
from tests.brick.conftest import ROOT

pytestmark = pytest.mark.e2e


@pytest.fixture
def server() -> Path:
    made = out_folder(ROOT / "catalogue" / "contenders" / "brick") / "server"
    assert made.exists(), f"{made} is not there: `bakeoff setup brick` builds it"
    return made


def said(server: Path, **env: str) -> str:
    """Its one line of regret."""
    done = subprocess.run(
        [server],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=10,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    )
    assert done.returncode == 1
    assert done.stdout == "" and done.stderr.count("\n") == 1
    return done.stderr.strip()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_port_that_is_taken(server: Path, workers: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        line = said(server, PORT=port, WORKERS=workers)
    assert line == f"can't listen at 127.0.0.1:{port}: Address already in use"


@pytest.mark.parametrize("text", ["", "0", "-1", "65536", "80a", "eighty"])
@pytest.mark.parametrize("name", ["PORT", "WORKERS"])
def test_no_number(server: Path, name: str, text: str) -> None:
    assert said(server, **{name: text}) == f'{name} is "{text}"; it takes a number from 1 to 65535'


def test_a_host_that_is_no_address(server: Path) -> None:
    line = said(server, HOST="nowhere", PORT="8080")
    assert line.startswith("can't listen at nowhere:8080: not an IPv4 or IPv6 address")


def test_more_threads_than_descriptors(server: Path) -> None:
    """Whatever runs out first is named, and nothing hangs."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    assert "Too many open files" in said(server, PORT=port, WORKERS="65535")
