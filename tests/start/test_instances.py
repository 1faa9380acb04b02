"""Several processes of one contender: each has its own port, and all are ended."""

import multiprocessing
import time
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bakeoff.start import Keeper
from tests.waiting import wait_for

from .conftest import HOST, ask, command, entry, left_of, starter
from .test_sudden_death import nothing_is_left

FORK = multiprocessing.get_context("fork")
MANY = 40


def start(keeper: Keeper, folder: Path, key: str) -> int:
    handle = starter(keeper, folder)(entry(command("good"), name="it"), key=key)
    assert handle.name == "it"
    return handle.port


def test_one_of_several_is_ended_and_the_others_serve_on(tmp_path: Path) -> None:
    with closing(Keeper(tmp_path / "scratch")) as keeper:
        ports = {key: start(keeper, tmp_path, key) for key in ("it/0", "it/1", "it/2")}
        assert len(set(ports.values())) == 3
        assert not set(keeper.pids("it/0")) & set(keeper.pids("it/1"))
        assert keeper.stop("it/1").how == "SIGTERM"
        assert ask(HOST, ports["it/1"]) == "refused"
        assert [ask(HOST, ports[key]) for key in ("it/0", "it/2")] == [None, None]
        again = start(keeper, tmp_path, "it/3")
        assert again not in ports.values(), "no port is given twice, whatever state it is in"
    wait_for(lambda: not left_of(keeper.pid))


def run_many(told: "Connection[Any, Any]", folder: Path) -> None:
    keeper = Keeper(folder / "scratch")
    told.send(keeper.pid)
    told.send([start(keeper, folder, f"it/{number}") for number in range(MANY)])
    time.sleep(60)


def test_kill_9_with_many_up_leaves_nothing(tmp_path: Path) -> None:
    ours, theirs = FORK.Pipe()
    process = FORK.Process(target=run_many, args=(theirs, tmp_path))
    process.start()
    theirs.close()
    keeper, ports = ours.recv(), ours.recv()
    assert len(set(ports)) == MANY
    process.kill()
    process.join()
    wait_for(lambda: nothing_is_left(keeper, tmp_path))
    assert {ask(HOST, port) for port in ports} == {"refused"}
