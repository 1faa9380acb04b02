"""Whatever ends bakeoff, its contenders end too."""

import multiprocessing
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bakeoff.keeper.processes import runs
from bakeoff.keeper.sweep import sweep
from bakeoff.model.errors import BakeoffError
from bakeoff.start import Keeper
from tests.waiting import wait_for

from .conftest import (
    EVERY_KIND,
    HOST,
    Start,
    ask,
    command,
    entry,
    left_of,
    starter,
)

FORK = multiprocessing.get_context("fork")


class Race(NamedTuple):
    """A race in a process of its own; it tells the keeper's pid, each port, and when all are up."""

    process: ForkProcess
    tells: "Connection[object, int | str]"

    def next(self) -> Any:
        return self.tells.recv()


@contextmanager
def race(folder: Path, kinds: tuple[str, ...], server: str, count: int = 3) -> Iterator[Race]:
    """`count` contenders, with a process group of their own as a terminal would give them."""
    ours, theirs = FORK.Pipe()
    process = FORK.Process(target=run_race, args=(theirs, folder, kinds, server, count))
    process.start()
    theirs.close()
    try:
        yield Race(process, ours)
    finally:
        process.kill()
        process.join()
        ours.close()


def run_race(
    told: "Connection[int | str, object]",
    folder: Path,
    kinds: tuple[str, ...],
    server: str,
    count: int,
) -> None:
    os.setpgid(0, 0)
    keeper = Keeper(folder / "scratch", kinds)
    told.send(keeper.pid)
    start = starter(keeper, folder)
    for number in range(count):
        told.send(start(entry(command(server), name=f"it-{number}")).port)
    told.send("up")
    time.sleep(600)


def nothing_is_left(keeper: int, folder: Path) -> bool:
    return not (runs(keeper) or left_of(keeper) or (folder / "scratch").exists())


@pytest.mark.parametrize("kinds", EVERY_KIND)
@pytest.mark.parametrize("server", ["good", "stubborn", "escaping"])
def test_kill_9_leaves_nothing(tmp_path: Path, kinds: tuple[str, ...], server: str) -> None:
    with race(tmp_path, kinds, server, count=2) as raced:
        keeper, *ports = raced.next(), raced.next(), raced.next()
        assert raced.next() == "up"
        raced.process.kill()
        wait_for(lambda: nothing_is_left(keeper, tmp_path))
    assert [ask(HOST, port) for port in ports] == ["refused", "refused"]


@pytest.mark.parametrize("seed", range(8))
def test_kill_9_at_any_moment_leaves_nothing(tmp_path: Path, seed: int) -> None:
    with race(tmp_path, ("cgroup-v2", "cgroup-v1"), "good", count=4) as raced:
        keeper = raced.next()
        time.sleep(random.Random(seed).uniform(0, 0.4))
        raced.process.kill()
        wait_for(lambda: nothing_is_left(keeper, tmp_path))


def test_kill_9_while_a_contender_is_still_starting(tmp_path: Path) -> None:
    with race(tmp_path, (), "mute", count=1) as raced:
        keeper = raced.next()
        wait_for(lambda: len(left_of(keeper)) == 1)
        raced.process.kill()
        wait_for(lambda: nothing_is_left(keeper, tmp_path))


def test_ctrl_c_reaches_neither_keeper_nor_contenders(tmp_path: Path) -> None:
    with race(tmp_path, (), "good", count=1) as raced:
        keeper, port = raced.next(), raced.next()
        assert raced.next() == "up"
        before = left_of(keeper)
        pid = raced.process.pid or 0
        os.kill(pid, signal.SIGSTOP)  # else it would end them before we can look
        os.killpg(pid, signal.SIGINT)
        assert ask(HOST, port) is None
        assert (runs(keeper), left_of(keeper)) == (True, before)


def test_sigterm_to_the_keeper_ends_all(start: Start, keeper: Keeper) -> None:
    pid = start(entry(command("good"))).pid or 0
    os.kill(keeper.pid, signal.SIGTERM)
    wait_for(lambda: not runs(pid) and not runs(keeper.pid))


def test_a_killed_keeper_takes_the_contenders_along(start: Start, keeper: Keeper) -> None:
    pid = start(entry(command("good"))).pid or 0
    os.kill(keeper.pid, signal.SIGKILL)
    wait_for(lambda: not runs(pid))


def test_a_killed_keeper_is_told_and_its_leftovers_end(
    start: Start, keeper: Keeper, tmp_path: Path
) -> None:
    start(entry(command("escaping")))
    wait_for(lambda: len(keeper.pids("it")) == 2)
    os.kill(keeper.pid, signal.SIGKILL)
    with pytest.raises(BakeoffError, match=r"keeps the contenders \(pid \d+\) is gone"):
        keeper.pids("it")
    assert nothing_is_left(keeper.pid, tmp_path)
    assert keeper.stop("it").how == "had ended", "a later stop isn't told again"
    with pytest.raises(BakeoffError, match="is gone"):
        keeper.death("it")


def new_keeper(folder: Path) -> None:
    with Keeper(folder):
        pass


@pytest.mark.parametrize("sweeps", [lambda _: sweep(), new_keeper], ids=["sweep", "a new keeper"])
def test_what_a_killed_keeper_left_is_ended(
    tmp_path: Path, sweeps: Callable[[Path], object]
) -> None:
    """By this sweep or by that of another test that runs meanwhile: by nothing else."""
    killed = Keeper(tmp_path / "scratch")
    starter(killed, tmp_path)(entry(command("escaping")))
    wait_for(lambda: len(killed.pids("it")) == 2)
    os.kill(killed.pid, signal.SIGKILL)
    wait_for(lambda: not runs(killed.pid))
    sweeps(tmp_path / "other")
    assert left_of(killed.pid) == []
    killed.close()


def test_sweep_leaves_a_living_race_alone(start: Start, keeper: Keeper) -> None:
    handle = start(entry(command("escaping")))
    wait_for(lambda: len(keeper.pids("it")) == 2)
    sweep()
    assert ask(HOST, handle.port) is None
    assert len(keeper.pids("it")) == 2


def test_sweep_leaves_processes_without_our_marker_alone() -> None:
    with subprocess.Popen(["sleep", "60"], env={"BAKEOFF": "1"}) as other:
        sweep()
        assert other.poll() is None
        other.kill()
