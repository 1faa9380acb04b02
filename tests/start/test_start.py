"""From an entry to a server that answers."""

import os
import re
import resource
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from bakeoff.model.errors import BakeoffError, ContenderOut
from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Handle
from bakeoff.start import Keeper

from .conftest import HOST, Start, ask, command, entry, in_a_shell, starter


class Running(NamedTuple):
    """A server that was started, its process, its keeper and the folder of both."""

    handle: Handle
    process: psutil.Process
    keeper: Keeper
    folder: Path


@pytest.fixture(scope="module")
def it(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("start")
    with Keeper(folder / "scratch") as keeper:
        handle = starter(keeper, folder)(entry(command("good")))
        yield Running(handle, psutil.Process(handle.pid), keeper, folder)


class TestARunningServer:
    def test_has_a_handle_that_says_where_it_answers(self, it: Running) -> None:
        assert it.handle.address == f"{HOST}:{it.handle.port}"
        assert ask(HOST, it.handle.port) is None
        assert str(it.handle.port) in it.handle.command
        assert it.handle.time_to_ready_ms is not None
        assert 0 < it.handle.time_to_ready_ms < 10_000

    def test_has_port_host_scratch_and_its_own_in_its_environment(self, it: Running) -> None:
        found = it.process.environ()
        assert (found["PORT"], found["HOST"]) == (str(it.handle.port), HOST)
        assert (found["WORKERS"], found["PATH"]) == ("1", os.environ["PATH"])
        assert Path(found["TMPDIR"]).is_dir()
        assert Path(found["TMPDIR"]).parent == it.folder / "scratch"
        assert it.handle.scratch == found["TMPDIR"]

    def test_stands_alone(self, it: Running) -> None:
        pid = it.process.pid
        assert os.getsid(pid) == os.getpgid(pid) == pid
        assert os.getsid(it.keeper.pid) == it.keeper.pid
        assert it.process.cpu_affinity() == [min(os.sched_getaffinity(0))]
        assert str(Path(f"/proc/{pid}/fd/0").readlink()) == os.devnull
        assert it.keeper.pids("it") == (pid,)

    def test_may_open_as_many_files_as_the_hard_limit_allows(self, it: Running) -> None:
        ours, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        allowed = 1 << 20 if hard == resource.RLIM_INFINITY else min(hard, 1 << 20)
        limits = resource.prlimit(it.process.pid, resource.RLIMIT_NOFILE)
        assert limits == (max(ours, allowed), hard)

    def test_is_up_once(self, it: Running) -> None:
        with pytest.raises(BakeoffError, match="it is already up"):
            starter(it.keeper, it.folder)(entry(command("good")))


def test_it_inherits_no_ignored_signals_and_no_files(start: Start) -> None:
    pid = start(entry(in_a_shell("exec sleep 60 & exec " + command("good")))).pid or 0
    (sleeper,) = (child.pid for child in psutil.Process(pid).children())
    status = dict(
        line.split(":\t", 1)
        for line in Path(f"/proc/{sleeper}/status").read_text().splitlines()
        if line.startswith("Sig") and ":\t" in line
    )
    # A shell's `&` ignores the first two; 32 and 33 are the C library's own, nobody can reset them.
    let_be = _bits(signal.SIGINT, signal.SIGQUIT, 32, 33)
    assert int(status["SigIgn"], 16) & ~let_be == 0
    assert int(status["SigBlk"], 16) == 0
    assert {fd.name for fd in Path(f"/proc/{sleeper}/fd").iterdir()} <= set("012")


def _bits(*numbers: int) -> int:
    return sum(1 << (number - 1) for number in numbers)


def test_two_of_one_kind_are_up_at_once(start: Start) -> None:
    first, twin = start(entry(command("good"), name="a")), start(entry(command("good"), name="b"))
    assert first.port != twin.port
    assert ask(HOST, first.port) is None
    assert ask(HOST, twin.port) is None


def test_a_fixed_port_is_used_and_used_again(start: Start, keeper: Keeper) -> None:
    free = start(entry(command("good"), name="probe")).port
    keeper.stop("probe")
    for _ in range(2):
        assert start(entry(command("good"), port=free)).port == free
        ask(HOST, free)
        keeper.stop("it")


def test_a_file_that_may_not_be_executed(start: Start, tmp_path: Path) -> None:
    (tmp_path / "script").touch(mode=0o600)
    with pytest.raises(ContenderOut, match=r"script` .*: Permission denied"):
        start(entry(f"{tmp_path}/script"))


def test_a_folder_that_is_not_there(start: Start) -> None:
    moved = entry("true").model_copy(update={"folder": "/no/such/folder"})
    with pytest.raises(ContenderOut, match=r"/no/such/folder .*: No such"):
        start(moved)


def test_what_dies_at_start_is_told_with_the_end_of_its_log(start: Start) -> None:
    lines = "; ".join(f"echo line {n} >&2" for n in range(30))
    with pytest.raises(ContenderOut) as out:
        start(entry(f"sh -c '{lines}; exit 3'"))
    assert re.search(r"exited with status 3 after \d+\.\d s", str(out.value))
    assert "line 29" in str(out.value)
    assert "line 14" not in str(out.value)


def test_what_never_answers(start: Start) -> None:
    for timeout_s in (0.5, 5, 50):  # A busy machine may take longer to begin.
        with pytest.raises(ContenderOut, match=f" {timeout_s:g} s") as out:
            start(entry(command("mute"), timeout_s=timeout_s))
        if "no answer" in str(out.value):
            break
    assert re.search(r"no answer(.|\n)*here I am", str(out.value))


def test_a_failed_start_frees_the_name(start: Start) -> None:
    with pytest.raises(ContenderOut):
        start(entry("false"))
    assert start(entry(command("good"))).pid


def test_death_tells_how_it_ended(start: Start, keeper: Keeper) -> None:
    pid = start(entry(command("good"))).pid or 0
    assert keeper.death("it") is None
    os.kill(pid, signal.SIGKILL)
    while (death := keeper.death("it")) is None:
        pass
    assert death.startswith("was killed by signal SIGKILL")


def test_death_is_told_with_what_it_answered_and_what_it_was_for(
    start: Start, keeper: Keeper
) -> None:
    pid = start(entry(command("good"))).pid or 0
    os.kill(pid, signal.SIGTERM)
    while (death := keeper.death("it", 20_000, "while it was warmed up")) is None:
        pass
    assert re.match(
        r"was killed by signal SIGTERM after 20,000 answers to the load, \d+\.\d s after its "
        r"start, while it was warmed up",
        death,
    )


class TestInAShell:
    def test_the_server_behind_it_is_found_and_ended(self, start: Start, keeper: Keeper) -> None:
        handle = start(in_sh(f"cd .. && A=1 {command('good')}"))
        assert ask(HOST, handle.port) is None
        pids = keeper.pids("it")
        assert any("good.py" in " ".join(psutil.Process(pid).cmdline()) for pid in pids)
        assert keeper.stop("it").survivors == ()
        assert not any(map(psutil.pid_exists, pids))

    def test_values_with_spaces_stay_whole(self, start: Start, tmp_path: Path) -> None:
        log = tmp_path / "logs" / "it.log"
        with pytest.raises(ContenderOut, match="status 4"):
            start(in_sh("printf '%s|' {out} {port}; exit 4"))
        out, port, rest = log.read_text().split("|")
        assert (out, port.isdigit(), rest) == (str(tmp_path), True, "")

    @pytest.mark.parametrize(
        ("script", "how"),
        [
            ("exit 7", "exited with status 7"),
            ("sh -c 'kill -SEGV $$'; exit $?", "was killed by signal SIGSEGV"),
            ("nosuchprogram {port}", "exited with status 127"),
        ],
    )
    def test_its_status_is_that_of_the_program(self, start: Start, script: str, how: str) -> None:
        with pytest.raises(ContenderOut, match=how):
            start(in_sh(script))


def in_sh(script: str) -> Entry:
    one = entry(script)
    assert one.contender
    run = one.contender.run.model_copy(update={"shell": True})
    return one.model_copy(update={"contender": one.contender.model_copy(update={"run": run})})


def test_a_start_that_takes_long_is_said(start: Start) -> None:
    said: list[str] = []
    answers = iter([*["refused"] * 3, None])

    def slowly(_host: str, _port: int) -> str | None:
        time.sleep(0.9)
        return next(answers)

    start(entry(command("good"), timeout_s=60), answers=slowly, say=said.append)
    (line,) = said
    assert re.match(r"not ready after \d s \(refused\); it has 60 s", line)


def test_an_unknown_name_is_a_fault_of_ours(keeper: Keeper) -> None:
    with pytest.raises(BakeoffError, match="nobody"):
        keeper.stop("nobody")
