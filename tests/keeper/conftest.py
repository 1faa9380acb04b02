"""What the tests of keeper share: a ledger of their own, and processes to be found."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bakeoff.keeper import ledger
from bakeoff.keeper.processes import identity, process

GONE_OWNER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from bakeoff.keeper.processes import identity
print(identity(os.getpid()))
"""
# A session whose leader ends at once, and that has a member without an environment.
LEADERLESS = """
import os, sys
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
told = os.dup(1)
os.dup2(log, 1), os.dup2(log, 2)
if os.fork() == 0:
    os.write(told, str(os.getpid()).encode())
    os.execve("/bin/sleep", ["sleep", "600"], {})
os._exit(0)
"""


@pytest.fixture(autouse=True)
def own_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a ledger that nobody else writes to."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "bakeoff" / "running"


@pytest.fixture(scope="session")
def gone() -> str:
    """The identity of a process that has ended."""
    package = str(Path(ledger.__file__).parents[2])
    words = [sys.executable, "-I", "-S", "-c", GONE_OWNER, package]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def here() -> str:
    return identity(os.getpid())


Sleeper = Callable[[], int]


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    """Starts a process in a session of its own; the pid."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> int:
        started.append(subprocess.Popen(["sleep", "600"], start_new_session=True, env={}))
        return started[-1].pid

    yield start
    for each in started:
        each.kill()
        each.wait()


Leaderless = Callable[[Path], tuple[int, int]]


@pytest.fixture
def leaderless() -> Iterator[Leaderless]:
    """Starts a session that prints to a log, and whose leader has ended; its number and the pid of
    its one member, which has no environment."""
    members: list[int] = []

    def start(log: Path) -> tuple[int, int]:
        words = [sys.executable, "-I", "-S", "-c", LEADERLESS, str(log)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as leader:
            assert leader.stdout
            # What is told ends when the member has become its program: its pipe closes then.
            members.append(int(leader.stdout.read()))
        return leader.pid, members[-1]

    yield start
    for pid in members:
        if (there := process(pid)) and there.name == "sleep":
            os.kill(pid, signal.SIGKILL)
