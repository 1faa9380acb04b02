"""Whatever ends bakeoff, its contenders end too."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.start import Keeper, sweep

from .conftest import (
    EVERY_KIND,
    HOST,
    Start,
    ask,
    command,
    entry,
    left_of,
    needs,
    runs,
    soon,
    starter,
)

PROJECT = Path(__file__).parents[2]
Race = subprocess.Popen[str]


@contextmanager
def race(folder: Path, kinds: tuple[str, ...], server: str, count: int = 3) -> Iterator[Race]:
    """A race in a process of its own, with its own process group, as a terminal would start it."""
    words = (str(folder), ",".join(kinds), str(count), server)
    path = [str(PROJECT), str(PROJECT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    with subprocess.Popen(
        [sys.executable, "-m", "start.raced", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line(of: Race) -> str:
    assert of.stdout
    return of.stdout.readline().strip()


def nothing_is_left(keeper: int, folder: Path) -> bool:
    """No process, no control group, no scratch folder, and no keeper."""
    return not (runs(keeper) or left_of(keeper) or (folder / "scratch").exists())


@pytest.mark.parametrize("kinds", EVERY_KIND)
@pytest.mark.parametrize("server", ["good", "stubborn", "escaping"])
def test_kill_9_leaves_nothing(tmp_path: Path, kinds: tuple[str, ...], server: str) -> None:
    with race(tmp_path, kinds, server, count=2) as raced:
        keeper, *ports = int(line(raced)), int(line(raced)), int(line(raced))
        assert line(raced) == "up"
        raced.kill()
        assert soon(lambda: nothing_is_left(keeper, tmp_path))
    assert [ask(HOST, port) for port in ports] == ["refused", "refused"]


@pytest.mark.parametrize("seed", range(8))
def test_kill_9_at_any_moment_leaves_nothing(tmp_path: Path, seed: int) -> None:
    with race(tmp_path, ("cgroup-v2", "cgroup-v1"), "good", count=4) as raced:
        keeper = int(line(raced))
        time.sleep(random.Random(seed).uniform(0, 0.4))
        raced.kill()
        assert soon(lambda: nothing_is_left(keeper, tmp_path))


def test_kill_9_while_a_contender_is_still_starting(tmp_path: Path) -> None:
    with race(tmp_path, (), "mute", count=1) as raced:
        keeper = int(line(raced))
        assert soon(lambda: len(left_of(keeper)) == 1)
        raced.kill()
        assert soon(lambda: nothing_is_left(keeper, tmp_path))


def test_ctrl_c_reaches_neither_keeper_nor_contenders(tmp_path: Path) -> None:
    with race(tmp_path, (), "good", count=1) as raced:
        keeper, port = int(line(raced)), int(line(raced))
        assert line(raced) == "up"
        before = left_of(keeper)
        raced.send_signal(signal.SIGSTOP)  # else it would end them before we can look
        os.killpg(raced.pid, signal.SIGINT)
        assert ask(HOST, port) is None
        assert (runs(keeper), left_of(keeper)) == (True, before)


def test_sigterm_to_the_keeper_ends_all(start: Start, keeper: Keeper) -> None:
    pid = start(entry(command("good"))).pid or 0
    os.kill(keeper.pid, signal.SIGTERM)
    assert soon(lambda: not runs(pid) and not runs(keeper.pid))


def test_a_killed_keeper_takes_the_contenders_along(start: Start, keeper: Keeper) -> None:
    pid = start(entry(command("good"))).pid or 0
    os.kill(keeper.pid, signal.SIGKILL)
    assert soon(lambda: not runs(pid))


def test_a_killed_keeper_is_told_and_its_leftovers_end(
    start: Start, keeper: Keeper, tmp_path: Path
) -> None:
    start(entry(command("escaping")))
    assert soon(lambda: len(keeper.pids("it")) == 2)
    os.kill(keeper.pid, signal.SIGKILL)
    with pytest.raises(Exception, match=r"keeps the contenders \(pid \d+\) is gone"):
        keeper.pids("it")
    assert nothing_is_left(keeper.pid, tmp_path)


@needs("cgroup-v2")
def test_sweep_ends_what_a_killed_keeper_left(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "scratch")
    starter(keeper, tmp_path)(entry(command("escaping")))
    assert soon(lambda: len(keeper.pids("it")) == 2)
    os.kill(keeper.pid, signal.SIGKILL)
    assert soon(lambda: not runs(keeper.pid))
    assert left_of(keeper.pid) != []
    assert sweep() != ()
    assert left_of(keeper.pid) == []
    keeper.close()


def test_a_new_keeper_sweeps_first(tmp_path: Path) -> None:
    killed = Keeper(tmp_path / "scratch")
    starter(killed, tmp_path)(entry(command("escaping")))
    assert soon(lambda: len(killed.pids("it")) == 2)
    os.kill(killed.pid, signal.SIGKILL)
    assert soon(lambda: not runs(killed.pid))
    with Keeper(tmp_path / "other"):
        assert left_of(killed.pid) == []
    killed.close()


def test_sweep_leaves_a_living_race_alone(start: Start, keeper: Keeper) -> None:
    handle = start(entry(command("escaping")))
    assert soon(lambda: len(keeper.pids("it")) == 2)
    sweep()
    assert ask(HOST, handle.port) is None
    assert len(keeper.pids("it")) == 2


def test_sweep_leaves_processes_without_our_marker_alone() -> None:
    with subprocess.Popen(["sleep", "60"], env={"BAKEOFF": "1"}) as other:
        sweep()
        assert other.poll() is None
        other.kill()
