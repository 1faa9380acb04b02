"""From an entry to a server that answers."""

import os
import resource
import signal
from pathlib import Path

import pytest

from bakeoff.model.errors import BakeoffError, ContenderOut
from bakeoff.start import Keeper

from .conftest import HOST, Start, ask, command, entry, in_a_shell


def environment(pid: int) -> dict[str, str]:
    pairs = Path(f"/proc/{pid}/environ").read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def status(pid: int, key: str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split(":")[1].strip() for line in lines if line.startswith(f"{key}:"))


def test_a_handle_says_where_it_answers(start: Start) -> None:
    handle = start(entry(command("good")))
    assert handle.address == f"{HOST}:{handle.port}"
    assert ask(HOST, handle.port) is None
    assert str(handle.port) in handle.command
    assert handle.time_to_ready_ms is not None
    assert 0 < handle.time_to_ready_ms < 10_000


def test_its_environment_has_port_host_scratch_and_its_own(start: Start, tmp_path: Path) -> None:
    handle = start(entry(command("good")))
    found = environment(handle.pid or 0)
    assert (found["PORT"], found["HOST"], found["WORKERS"]) == (str(handle.port), HOST, "1")
    assert found["PATH"] == os.environ["PATH"]
    scratch = Path(found["TMPDIR"])
    assert scratch.is_dir()
    assert scratch.parent == tmp_path / "scratch"
    assert handle.scratch == str(scratch)


def test_it_stands_alone(start: Start, keeper: Keeper) -> None:
    pid = start(entry(command("good"))).pid or 0
    assert os.getsid(pid) == os.getpgid(pid) == pid
    assert os.getsid(keeper.pid) == keeper.pid
    assert os.sched_getaffinity(pid) == {min(os.sched_getaffinity(0))}
    assert str(Path(f"/proc/{pid}/fd/0").readlink()) == os.devnull
    assert keeper.pids("it") == (pid,)


def test_it_inherits_no_ignored_signals_and_no_files(start: Start) -> None:
    pid = start(entry(in_a_shell("exec sleep 60 & exec " + command("good")))).pid or 0
    sleeper = next(p for p in map(int, children(pid)) if p)
    # A shell's `&` ignores the first two; 32 and 33 are the C library's own, nobody can reset them.
    let_be = _bits(signal.SIGINT, signal.SIGQUIT, 32, 33)
    assert int(status(sleeper, "SigIgn"), 16) & ~let_be == 0
    assert int(status(sleeper, "SigBlk"), 16) == 0
    assert {fd.name for fd in Path(f"/proc/{sleeper}/fd").iterdir()} <= set("012")


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _bits(*numbers: int) -> int:
    return sum(1 << (number - 1) for number in numbers)


def test_it_may_open_as_many_files_as_the_hard_limit_allows(start: Start) -> None:
    pid = start(entry(command("good"))).pid or 0
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    assert soft == min(hard, 1 << 20) or soft == hard


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


def test_a_fixed_port_that_is_taken_says_by_whom(start: Start) -> None:
    first = start(entry(command("good"), name="first"))
    with pytest.raises(ContenderOut, match=rf"port {first.port} is taken by python.*\(pid \d+\)"):
        start(entry(command("good"), port=first.port))


def test_a_command_that_is_not_there(start: Start) -> None:
    with pytest.raises(ContenderOut, match="`no-such-server` cannot be executed: No such file"):
        start(entry("no-such-server {port}"))


def test_a_file_that_may_not_be_executed(start: Start, tmp_path: Path) -> None:
    (tmp_path / "script").touch(mode=0o600)
    with pytest.raises(ContenderOut, match="script` cannot be executed: Permission denied"):
        start(entry(f"{tmp_path}/script"))


def test_a_folder_that_is_not_there(start: Start) -> None:
    moved = entry("true").model_copy(update={"folder": "/no/such/folder"})
    with pytest.raises(ContenderOut, match="folder /no/such/folder cannot be entered: No such"):
        start(moved)


def test_what_dies_at_start_is_told_with_the_end_of_its_log(start: Start) -> None:
    lines = "; ".join(f"echo line {n} >&2" for n in range(30))
    with pytest.raises(ContenderOut) as out:
        start(entry(f"sh -c '{lines}; exit 3'"))
    assert "exited with status 3 after 0." in str(out.value)
    assert "line 29" in str(out.value)
    assert "line 14" not in str(out.value)


def test_what_a_signal_killed_is_told_by_its_name(start: Start) -> None:
    with pytest.raises(ContenderOut, match="was killed by signal SIGSEGV"):
        start(entry("sh -c 'kill -SEGV $$'"))


def test_what_never_answers(start: Start) -> None:
    with pytest.raises(ContenderOut, match=r"not ready within 0.5 s.*no answer(.|\n)*here I am"):
        start(entry(command("mute"), timeout_s=0.5))


def test_what_listens_on_a_port_of_its_own(start: Start, keeper: Keeper) -> None:
    other = start(entry(command("good"), name="probe")).port
    keeper.stop("probe")
    with pytest.raises(ContenderOut) as out:
        start(entry(command("good").replace("{port}", str(other)), timeout_s=2))
    assert f"it listens on 127.0.0.1:{other}, not on port " in str(out.value)
    assert f"use {{port}} or $PORT in the command, or say --port {other}" in str(out.value)


def test_what_listens_on_another_address(start: Start) -> None:
    with pytest.raises(ContenderOut, match=r"it listens on 127.0.0.2:(\d+), not on 127.0.0.1:\1"):
        start(entry(command("good").replace("{host}", "127.0.0.2"), timeout_s=2))


def test_what_goes_into_the_background_is_out(start: Start, keeper: Keeper) -> None:
    with pytest.raises(ContenderOut, match=r"status 0.*in the background.*must stay in the foregr"):
        start(entry(command("background")))


def test_a_failed_start_frees_the_name(start: Start) -> None:
    with pytest.raises(ContenderOut):
        start(entry("false"))
    assert start(entry(command("good"))).pid


def test_death_tells_how_it_ended(start: Start, keeper: Keeper) -> None:
    pid = start(entry(command("good"))).pid or 0
    assert keeper.death("it") is None
    os.kill(pid, signal.SIGKILL)
    while (told := keeper.death("it")) is None:
        pass
    assert told.startswith("was killed by signal SIGKILL")


def test_a_name_is_up_once(start: Start) -> None:
    start(entry(command("good")))
    with pytest.raises(BakeoffError, match="it is already up"):
        start(entry(command("good")))


def test_an_unknown_name_is_a_fault_of_ours(keeper: Keeper) -> None:
    with pytest.raises(BakeoffError, match="failed to stop nobody"):
        keeper.stop("nobody")
