"""What was started ends, and leaves nothing behind."""

import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from bakeoff.keeper.processes import runs
from bakeoff.start import Keeper
from tests.waiting import wait_for

from .conftest import (
    EVERY_KIND,
    HOST,
    Start,
    ask,
    command,
    entry,
    in_a_shell,
    left_of,
    needs,
    starter,
)


def sleepers_of(keeper: Keeper) -> list[int]:
    """The escaped workers: they show in the keeper's tree, whatever they did."""
    below = psutil.Process(keeper.pid).children(recursive=True)
    return [process.pid for process in below if process.name() == "sleep"]


def test_it_ends_at_sigterm(start: Start, keeper: Keeper) -> None:
    handle = start(entry(command("good")))
    stopped = keeper.stop("it")
    assert (stopped.how, stopped.survivors) == ("SIGTERM", ())
    assert not runs(handle.pid or 0)
    assert ask(HOST, handle.port) == "refused"


def test_what_ignores_sigterm_is_killed(start: Start, keeper: Keeper) -> None:
    start(entry(command("stubborn")))
    pids = keeper.pids("it")
    assert len(pids) == 2
    stopped = keeper.stop("it", grace_s=0.1)
    assert (stopped.how, stopped.survivors) == ("SIGKILL", ())
    assert not any(map(runs, pids))


def test_what_had_ended_is_told_so(start: Start, keeper: Keeper) -> None:
    os.kill(start(entry(command("good"))).pid or 0, signal.SIGKILL)
    wait_for(lambda: keeper.death("it") is not None)
    assert keeper.stop("it").how == "had ended"


@pytest.mark.parametrize("kinds", EVERY_KIND)
def test_stop_leaves_nothing(tmp_path: Path, kinds: tuple[str, ...]) -> None:
    with Keeper(tmp_path / "scratch", kinds) as keeper:
        handle = starter(keeper, tmp_path)(entry(command("good")))
        assert handle.cpu.kind == (kinds[0] if kinds else "tree")
        assert len(left_of(keeper.pid)) == (2 if kinds else 1)
        keeper.stop("it")
        assert left_of(keeper.pid) == []
        assert list((tmp_path / "scratch").iterdir()) == []
    assert not (tmp_path / "scratch").exists()
    assert not runs(keeper.pid)


@pytest.mark.parametrize("kinds", EVERY_KIND)
def test_a_worker_that_left_session_group_and_parent_is_found(
    tmp_path: Path, kinds: tuple[str, ...]
) -> None:
    with Keeper(tmp_path / "scratch", kinds) as keeper:
        starter(keeper, tmp_path)(entry(command("escaping")))
        wait_for(lambda: len(sleepers_of(keeper)) == 1)
        worker = sleepers_of(keeper)[0]
        assert worker in keeper.pids("it")
        keeper.stop("it")
        assert not runs(worker)


@needs("cgroup-v2")
def test_a_worker_that_dropped_its_environment_too_is_found_by_its_group(
    start: Start, keeper: Keeper
) -> None:
    start(entry(command("escaping") + " bare"))
    wait_for(lambda: len(sleepers_of(keeper)) == 1)
    worker = sleepers_of(keeper)[0]
    keeper.stop("it")
    assert not runs(worker)


def test_without_a_group_it_is_found_at_the_latest_when_the_keeper_closes(tmp_path: Path) -> None:
    with Keeper(tmp_path / "scratch", ()) as keeper:
        starter(keeper, tmp_path)(entry(command("escaping") + " bare"))
        wait_for(lambda: len(sleepers_of(keeper)) == 1)
        worker = sleepers_of(keeper)[0]
    assert not runs(worker)


def test_stopping_one_leaves_the_others_alone(start: Start, keeper: Keeper) -> None:
    start(entry(command("escaping"), name="a"))
    other = start(entry(command("escaping"), name="b"))
    wait_for(lambda: len(keeper.pids("b")) == 2)
    keeper.stop("a")
    assert ask(HOST, other.port) is None
    assert len(keeper.pids("b")) == 2


def test_close_ends_all_and_may_be_called_again(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "scratch")
    start = starter(keeper, tmp_path)
    pids = [start(entry(command("stubborn"), name=name)).pid or 0 for name in "abc"]
    keeper.close()
    keeper.close()
    assert not any(map(runs, pids))
    assert left_of(keeper.pid) == []


def test_what_it_wrote_into_its_scratch_folder_goes_with_it(
    start: Start, keeper: Keeper, tmp_path: Path
) -> None:
    writes = 'mkdir -p "$TMPDIR/deep"; echo x > "$TMPDIR/deep/file"'
    start(entry(in_a_shell(f"{writes}; {command('good')}")))
    assert list(tmp_path.glob("scratch/*/deep/file"))
    keeper.stop("it")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_keeper_waits_without_using_a_processor(start: Start, keeper: Keeper) -> None:
    start(entry(command("good")))
    schedstat = Path(f"/proc/{keeper.pid}/schedstat")
    readings = [schedstat.read_text()]
    # It may still be at the end of its last order, the longer the busier the machine.
    while len(readings) < 10 and len(set(readings[-2:])) == len(readings[-2:]):
        subprocess.run(["sleep", "0.3"], check=True)
        readings.append(schedstat.read_text())
    assert readings[-1] == readings[-2]


def test_no_group_is_left_where_the_command_cannot_run(start: Start, keeper: Keeper) -> None:
    with pytest.raises(Exception, match="can't be executed"):
        start(entry("no-such-server"))
    assert left_of(keeper.pid) == []
