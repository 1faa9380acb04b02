"""End the processes of killed runs whose keepers were killed, too.

The owner of a process is known by properties that it can't change. Each session was recorded, with
its leader's start time, before its program ran. A recorded process that still has its start time is
that process, and a session's number is not used again while it has a member. If all recorded
processes have ended, a member is ours if it has our marker or prints to our log. A process that
only has a number of ours is foreign, and spared.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from . import cgroups, ledger
from .ledger import Kept, Session
from .processes import Process, descendants, is_gone, is_running, marker, processes, send

ENDING_S = 10.0
"""How long a keeper may take to end its contenders when its run is gone."""
KILL_WITHIN_S = 2.0
"""A process that outlives SIGKILL for this long is stuck in the kernel and not waited for."""
STEP_S = 0.005
NAMED = 5


class _Done(NamedTuple):
    """The results of a sweep: pid and name of processes, and paths."""

    ended: dict[int, str]
    survived: dict[int, str]
    removed: list[Path]

    def lines(self) -> tuple[str, ...]:
        lines = []
        if self.ended:
            lines.append(f"ended {_named(self.ended)}")
        if self.survived:
            lines.append(f"could not end {_named(self.survived)}")
        lines += [f"removed what a run that was killed left: {path}" for path in self.removed]
        return tuple(lines)


def _named(these: dict[int, str]) -> str:
    """`2 processes of a run that was killed: nginx (pid 17), nginx (pid 18)`."""
    named = [f"{name} (pid {pid})" for pid, name in sorted(these.items())]
    more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    noun = "process" if len(named) == 1 else "processes"
    return f"{len(named)} {noun} of a run that was killed: {', '.join(named[:NAMED])}{more}"


def sweep() -> tuple[str, ...]:
    """End processes and remove folders and control groups of runs that were killed.

    Returns its actions, in lines for people. Spares this process and its ancestors, and all
    processes of runs that go on.
    """
    done = _Done({}, {}, [])
    kept = ledger.entries()
    _wait_for_endings([each for each in kept if each.is_ending()])
    for entry in kept:
        if entry.is_stale():
            with _locked(entry.path) as there:
                if there:
                    _end_entry(entry, done)
        elif entry.is_forgotten():
            entry.path.unlink(missing_ok=True)
    for base in cgroups.bases():
        for group in base.path.glob(f"{cgroups.PREFIX}*"):
            if is_gone(group.name.removeprefix(cgroups.PREFIX)):
                _end_group(group, done)
    return done.lines()


def end_session(leader: int) -> None:
    """End the rest of a session whose leader was our child, and has just been reaped."""
    until = time.monotonic() + KILL_WITHIN_S
    while time.monotonic() < until:
        table = processes()
        # If its number is a process again, that is a foreign one: none of ours remained.
        left = {each.pid for each in _members(leader, table) if is_running(each)}
        if not left or leader in table:
            return
        send(signal.SIGKILL, left)
        time.sleep(STEP_S)


def _wait_for_endings(ending: list[Kept]) -> None:
    """Wait for keepers whose run is gone to clean up; one that doesn't, as it is stopped, is
    killed."""
    until = time.monotonic() + ENDING_S
    while (ending := [each for each in ending if not is_gone(each.name)]) and (
        time.monotonic() < until
    ):
        time.sleep(STEP_S)
    owners = {int(each.name.split("-")[0]) for each in ending}
    send(signal.SIGKILL, owners)
    while any(not is_gone(each.name) for each in ending) and (
        time.monotonic() < until + KILL_WITHIN_S
    ):
        time.sleep(STEP_S)


def _end_entry(entry: Kept, done: _Done) -> None:
    left = _end_all(lambda table: strays(entry, table), done) if entry.is_of_this_boot() else set()
    for group in entry.groups:
        if group.is_dir():
            _end_group(group, done)
    for folder in _folders(entry):
        shutil.rmtree(folder, ignore_errors=True)
        done.removed.append(folder)
    for folder in entry.folders:
        if folder.name.endswith("*"):
            with contextlib.suppress(OSError):
                folder.parent.rmdir()
    for path, text in entry.files:
        with contextlib.suppress(OSError):
            if text.startswith(path.read_text()):  # A kill may have cut it off.
                path.unlink()
                done.removed.append(path)
    if not left:
        entry.path.unlink(missing_ok=True)


def _end_group(group: Path, done: _Done) -> None:
    cgroups.kill(group)
    _end_all(lambda table: cgroups.members(group) & table.keys(), done)
    cgroups.remove_soon(group, within_s=KILL_WITHIN_S)


def _end_all(whose: Callable[[dict[int, Process]], set[int]], done: _Done) -> set[int]:
    """SIGKILL until no process remains of those that `whose` finds among all; returns the
    survivors."""
    until = time.monotonic() + KILL_WITHIN_S
    while True:
        table = processes()
        left = {pid for pid in whose(table) if is_running(table[pid])} - _spared(table)
        for pid in left:
            done.ended[pid] = table[pid].name
        if not left or time.monotonic() > until:
            break
        send(signal.SIGKILL, left)
        time.sleep(STEP_S)
    for pid in left:
        done.survived[pid] = done.ended.pop(pid)
    return left


def strays(entry: Kept, table: dict[int, Process]) -> set[int]:
    """The processes of `entry` in `table`, which has all of the machine's."""
    known = {pid for pid, started in entry.seen if pid in table and table[pid].started == started}
    sessions = {table[pid].session for pid in known}
    for session in entry.sessions:
        if session.leader not in table and any(
            _is_proven(each, entry, session) for each in _members(session.leader, table)
        ):
            sessions.add(session.leader)
    ours = known | {pid for pid, each in table.items() if each.session in sessions}
    ours |= {pid for pid in table if entry.is_marked(marker(pid))}
    ours |= table.keys() & set[int]().union(*map(cgroups.members, entry.groups))
    return ours | descendants(ours, table)


def _members(session: int, table: dict[int, Process]) -> list[Process]:
    return [each for each in table.values() if each.session == session]


def _is_proven(member: Process, entry: Kept, session: Session) -> bool:
    """Whether a member of a session whose leader has ended belongs to ours, and not to a later
    session with the same number."""
    if member.started < session.started:
        return False
    return entry.is_marked(marker(member.pid)) or _prints_to(member.pid, session.log)


def _prints_to(pid: int, log: str) -> bool:
    """Whether its standard output or error is the file `log`."""
    try:
        of_log = Path(log).stat()
    except OSError:
        return False
    for stream in (1, 2):
        with contextlib.suppress(OSError):
            file = Path(f"/proc/{pid}/fd/{stream}").stat()
            if (file.st_dev, file.st_ino) == (of_log.st_dev, of_log.st_ino):
                return True
    return False


def _spared(table: dict[int, Process]) -> set[int]:
    """This process and all above it."""
    spared = {os.getpid()}
    ancestor = os.getpid()
    while (process := table.get(ancestor)) and process.parent:
        ancestor = process.parent
        spared.add(ancestor)
    return spared


def _folders(entry: Kept) -> list[Path]:
    """The existing folders that it names."""
    found: list[Path] = []
    for folder in entry.folders:
        if folder.name.endswith("*"):
            found += folder.parent.glob(folder.name)
        elif folder.is_dir():
            found.append(folder)
    return found


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Take an entry for this process alone; yields whether it still exists."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield os.fstat(descriptor).st_nlink > 0
    finally:
        os.close(descriptor)
