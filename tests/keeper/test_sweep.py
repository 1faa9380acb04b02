"""A sweep ends the rest of killed runs, and nothing else, whatever has its number."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from bakeoff.keeper import cgroups, ledger
from bakeoff.keeper import sweep as module
from bakeoff.keeper.ledger import enter, entries
from bakeoff.keeper.processes import MARKER, process, runs
from bakeoff.keeper.scratch import scratch_folder
from bakeoff.keeper.sweep import sweep

from .conftest import Leaderless, Sleeper


def started(pid: int) -> int:
    there = process(pid)
    assert there
    return there.started


def test_a_session_that_was_written_down_is_ended_and_said(gone: str, sleeper: Sleeper) -> None:
    pid = sleeper()
    enter(gone, gone).add(session=pid, started=started(pid), log="")
    assert sweep() == (f"ended 1 process of a run that was killed: sleep (pid {pid})",)
    assert not runs(pid)
    assert entries() == [] and sweep() == ()


def test_a_process_that_only_has_the_number_is_spared(gone: str, sleeper: Sleeper) -> None:
    pid = sleeper()
    entry = enter(gone, gone)
    entry.add(session=pid, started=started(pid) - 1, log="")
    entry.add(seen=pid, started=started(pid) + 1)
    assert sweep() == ()
    assert runs(pid) and entries() == []


def test_members_of_a_session_without_its_leader_are_known_by_their_log(
    gone: str, leaderless: Leaderless, tmp_path: Path
) -> None:
    """As workers of a server that blanks its environment, whose first process is gone."""
    session, member = leaderless(tmp_path / "it.log")
    enter(gone, gone).add(session=session, started=started(member) - 5, log=f"{tmp_path}/it.log")
    assert sweep() == (f"ended 1 process of a run that was killed: sleep (pid {member})",)


def test_members_are_known_by_one_seen(gone: str, leaderless: Leaderless, tmp_path: Path) -> None:
    session, member = leaderless(tmp_path / "it.log")
    entry = enter(gone, gone)
    entry.add(session=session, started=started(member) - 5, log="")
    entry.add(seen=member, started=started(member))
    assert len(sweep()) == 1
    assert not runs(member)


@pytest.mark.parametrize("log", ["", "another.log"])
def test_a_stranger_in_a_session_of_that_number_is_spared(
    gone: str, leaderless: Leaderless, tmp_path: Path, log: str
) -> None:
    """Ours has ended, its number was given anew, and the new leader has ended too."""
    (tmp_path / "another.log").touch()
    session, member = leaderless(tmp_path / "it.log")
    enter(gone, gone).add(session=session, started=0, log=log and str(tmp_path / log))
    assert sweep() == ()
    assert runs(member)


def test_whoever_has_our_marker_is_ended_wherever_it_went(gone: str) -> None:
    enter(gone, gone)
    env = {MARKER: f"{gone}-3"}
    with subprocess.Popen(["sleep", "600"], env=env, start_new_session=True) as escaped:
        assert len(sweep()) == 1
        assert escaped.wait() == -9


def test_a_run_that_goes_on_is_spared(here: str, sleeper: Sleeper) -> None:
    pid = sleeper()
    entry = enter(here, here)
    entry.add(session=pid, started=started(pid), log="")
    assert sweep() == ()
    assert runs(pid)
    entry.close()


def test_a_keeper_whose_run_is_gone_may_end_it_and_is_killed_if_it_does_not(
    gone: str, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ENDING_S", 0.1)
    keeper, server = sleeper(), sleeper()
    own = f"{keeper}-{started(keeper)}-{gone.split('-')[2]}"
    enter(own, gone).add(session=server, started=started(server), log="")
    assert sweep() == (f"ended 1 process of a run that was killed: sleep (pid {server})",)
    assert not runs(keeper)


def test_after_a_restart_of_the_machine_processes_are_spared_and_folders_removed(
    gone: str, sleeper: Sleeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = sleeper()
    scratch = tmp_path / "scratch"
    (scratch / "17-1").mkdir(parents=True)
    entry = enter(gone, gone, folders=[f"{scratch}/17-*"])
    entry.add(session=pid, started=started(pid), log="")
    monkeypatch.setattr(ledger, "_boot", lambda: "another")
    assert sweep() == (f"removed what a run that was killed left: {scratch}/17-1",)
    assert runs(pid)
    assert not scratch.exists() and entries() == []


def test_of_another_machine_nothing_is_touched(
    gone: str, sleeper: Sleeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = sleeper()
    enter(gone, gone, folders=[str(tmp_path)]).add(session=pid, started=started(pid), log="")
    monkeypatch.setattr(ledger, "_machine", lambda: "another")
    assert sweep() == ()
    assert runs(pid) and tmp_path.exists() and len(entries()) == 1


def test_folders_of_others_in_the_same_scratch_folder_stay(gone: str, tmp_path: Path) -> None:
    for name in ("17-1", "17-tls", "171-1"):
        (tmp_path / "scratch" / name).mkdir(parents=True)
    enter(gone, gone, folders=[f"{tmp_path}/scratch/17-*"])
    assert len(sweep()) == 2
    assert [path.name for path in (tmp_path / "scratch").iterdir()] == ["171-1"]


def test_files_are_removed_where_they_have_our_text(gone: str, tmp_path: Path) -> None:
    texts = {"whole": "exit 101\n", "cut off": "exit", "changed": "exit 0\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    enter(gone, gone, files={str(tmp_path / name): "exit 101\n" for name in (*texts, "none")})
    assert len(sweep()) == 2
    assert [path.name for path in tmp_path.glob("*") if path.is_file()] == ["changed"]


def test_a_scratch_folder_goes_with_its_context_and_after_a_kill_with_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with scratch_folder("audit") as folder:
        (folder / "file").touch()
    assert not folder.exists()
    if (child := os.fork()) == 0:
        with scratch_folder("audit") as folder:
            os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    (left,) = tmp_path.glob("bakeoff-audit-*")
    assert sweep() == (f"removed what a run that was killed left: {left}",)
    assert not left.exists()


@pytest.mark.skipif(not cgroups.bases(), reason="no control groups here")
def test_whoever_is_in_a_control_group_of_ours_is_ended(gone: str, sleeper: Sleeper) -> None:
    pid = sleeper()
    group = cgroups.enclose(pid, f"{gone}-1", cgroups.bases())
    if group is None:
        pytest.skip("no control group can be made here")
    # A group shows whose it is to every sweep: that of another bakeoff here may be first.
    assert len(sweep()) <= 1
    assert not runs(pid) and not group.path.exists()


def test_of_two_sweeps_at_once_one_does_it_and_says_so(gone: str, sleeper: Sleeper) -> None:
    pid = sleeper()
    enter(gone, gone).add(session=pid, started=started(pid), log="")
    said: list[tuple[str, ...]] = []
    threads = [threading.Thread(target=lambda: said.append(sweep())) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(map(len, said)) == [0, 1]
    assert not runs(pid)


def test_five_are_named() -> None:
    done = module._Done(dict.fromkeys(range(1, 8), "nginx"), {9: "stuck"}, [])
    first, second = done.lines()
    assert first.startswith("ended 7 processes of a run that was killed: nginx (pid 1), ")
    assert first.endswith("nginx (pid 5) and 2 more")
    assert second == "could not end 1 process of a run that was killed: stuck (pid 9)"
