"""An agent that nobody holds yet."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.listening import Listening

WITHIN_S = 30.0
AGENT = """
import sys, types
context = types.SimpleNamespace(gcs_address=sys.argv[1])
sys.modules["ray"] = types.SimpleNamespace(
    get_runtime_context=lambda: context, __version__="2.0"
)
import bakeoff
from bakeoff.cluster import agent
agent.LOOK_S = 0.02
made = agent.Agent()
print("made", flush=True)
for line in sys.stdin:
    if line == "begin\\n":
        print("fault" in made.begin("127.0.0.1", ("load",), (), bakeoff.__version__), flush=True)
    elif line == "renew\\n":
        print(made.renew(), flush=True)
"""
"""An agent as Ray's worker has it, which does what it reads."""


class Running:
    """An agent in a process of its own."""

    def __init__(self, head: str, home: Path) -> None:
        root = str(Path(__file__).parents[2])
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT, head],
            env={**os.environ, "PYTHONPATH": root, "XDG_CACHE_HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._answer() == "made"

    def do(self, word: str) -> str:
        """What it answers."""
        assert self.process.stdin
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()


@pytest.fixture
def head() -> Listening:
    return Listening()


@pytest.fixture
def agent(head: Listening, tmp_path: Path) -> Iterator[Running]:
    """An agent whose cluster's head is there."""
    running = Running(head.address, tmp_path)
    yield running
    running.process.kill()
    running.process.communicate()


def test_it_ends_with_the_head_before_it_is_begun(agent: Running, head: Listening) -> None:
    head.go()
    assert agent.process.wait(WITHIN_S) == 0


def test_it_ends_with_the_head_before_its_first_lease(agent: Running, head: Listening) -> None:
    assert agent.do("begin") == "False"
    head.go()
    assert agent.process.wait(WITHIN_S) == 0


def test_once_it_is_held_its_lease_ends_it(agent: Running, head: Listening) -> None:
    agent.do("begin")
    assert agent.do("renew") == "[]"
    head.go()
    with pytest.raises(subprocess.TimeoutExpired):
        agent.process.wait(1.0)
    assert agent.do("renew") == "[]"
