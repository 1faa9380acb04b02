"""Processes and files of runs, recorded before they exist, so that a killed run can be cleaned up.

An entry is a file in a folder of this user's, named by the process that owns it: one for each
keeper, each command and each scratch folder. It has a JSON object on each line: its owner, each
session before its program runs, processes that were seen, folders and files. Its owner removes it
when all that it names is gone. An entry without an owner is a killed run's; `sweep` cleans up after
it.

Only folders and files are synced, which can outlive a power cut: a process can't, and a kill does
not undo writes.
"""

import contextlib
import itertools
import json
import os
import socket
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .home import user_folder
from .processes import Process, identity, is_gone, namespace, process

FORGOTTEN_AFTER_S = 30 * 86_400
"""An entry of a machine or a pid namespace that we can't see is kept for this long."""
_numbers = itertools.count(1)


class Entry(NamedTuple):
    """An entry that we own. The markers of all that it starts begin with `name`."""

    name: str
    path: Path

    def add(self, **line: Any) -> None:
        # A write that a kill cut off stays on a line of its own.
        data = b"\n" + json.dumps(line).encode()
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            os.write(descriptor, data)
        finally:
            os.close(descriptor)

    def add_session(self, log: str = "") -> None:
        """Add our own session, of which we are the leader; its output goes to `log`."""
        own = process(os.getpid())
        assert own, "a process that runs"
        self.add(session=own.pid, started=own.started, log=log)

    def add_seen(self, seen: Process) -> None:
        self.add(seen=seen.pid, started=seen.started)

    def close(self) -> None:
        self.path.unlink(missing_ok=True)


class Session(NamedTuple):
    """A session's leader, by pid and start time, and the file that it prints to."""

    leader: int
    started: int
    log: str


class Kept(NamedTuple):
    """An entry as read; `of` is the process for which its owner works, which may be itself.

    `seen` has pid and start time of processes, session leaders among them.
    """

    name: str
    path: Path
    of: str
    boot: str
    machine: str
    written_s: float
    """When it was last added to, in seconds since 1970."""
    sessions: tuple[Session, ...]
    seen: frozenset[tuple[int, int]]
    folders: tuple[Path, ...]
    """Folders to remove; a name with a star at its end stands for all with that beginning."""
    files: tuple[tuple[Path, str], ...]
    """Files to remove if they have that text, or its beginning."""
    groups: tuple[Path, ...]
    """Control groups: every process in one is ours."""

    def is_marked(self, marker: str | None) -> bool:
        """Whether a process with that marker was started by its owner."""
        return marker is not None and f"{marker}-".startswith(f"{self.name}-")

    def is_of_this_boot(self) -> bool:
        """Whether its processes may still exist."""
        return (self.boot, self.machine) == (_boot(), _machine())

    def is_of_a_past_boot(self) -> bool:
        """Whether only its files may still exist."""
        return self.boot != _boot() and self.machine == _machine()

    def is_stale(self) -> bool:
        """Whether no process cleans up after it."""
        return self.is_of_a_past_boot() or (self.is_of_this_boot() and is_gone(self.name))

    def is_ending(self) -> bool:
        """Whether its owner is about to clean up: the run for which it worked is gone."""
        return self.is_of_this_boot() and is_gone(self.of) and not is_gone(self.name)

    def is_forgotten(self) -> bool:
        """Whether it is of a machine or a namespace that we can't see, and old."""
        seen = self.is_of_this_boot() and self.name.split("-")[2:3] == [str(namespace())]
        return not seen and self.written_s < time.time() - FORGOTTEN_AFTER_S


def places() -> tuple[Path, ...]:
    """Folders for entries: the first writable one is used, and all are read.

    `$XDG_STATE_HOME/bakeoff/running`; for users without a home, one in /tmp.
    """
    found = [Path(f"/tmp/bakeoff-{os.getuid()}/running")]
    with contextlib.suppress(RuntimeError):  # there may be no home
        found.insert(0, user_folder("XDG_STATE_HOME", ".local/state") / "running")
    return tuple(found)


def enter(name: str, of: str, **more: Any) -> Entry:
    """A new entry. Raises OSError where it can't be kept."""
    header = {"of": of, "boot": _boot(), "machine": _machine(), **more}
    fault: OSError | None = None
    for folder in places():
        draft, path = folder / f".{name}", folder / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(folder):
                raise PermissionError(1, "belongs to another user", str(folder))
            with draft.open("w") as file:
                file.write(json.dumps(header))
                if more:
                    file.flush()
                    os.fsync(file.fileno())
            draft.replace(path)
            if more:
                sync_folder(folder)
            return Entry(name, path)
        except OSError as error:
            fault = fault or error
    assert fault
    raise fault


@contextlib.contextmanager
def entered(**more: Any) -> Iterator[Entry]:
    """An entry of this process for as long as the context. Raises OSError."""
    own = identity(os.getpid())
    entry = enter(f"{own}-{next(_numbers)}", own, **more)
    try:
        yield entry
    finally:
        entry.close()


def entries() -> list[Kept]:
    found = []
    for folder in places():
        with contextlib.suppress(OSError):
            if _is_ours(folder):
                found += [kept for path in folder.iterdir() if (kept := _read(path))]
    return found


def _read(path: Path) -> Kept | None:
    if path.name.startswith("."):
        if is_gone(path.name.removeprefix(".")):
            path.unlink(missing_ok=True)
        return None
    try:
        lines = [parsed for text in path.read_text().split("\n") if (parsed := _parsed(text))]
        header = lines[0]
        sessions = tuple(
            Session(int(line["session"]), int(line["started"]), str(line["log"]))
            for line in lines
            if "session" in line
        )
        ended = {line["ended"] for line in lines if "ended" in line}
        seen = ((int(line["seen"]), int(line["started"])) for line in lines if "seen" in line)
        return Kept(
            name=path.name,
            path=path,
            of=str(header["of"]),
            boot=str(header["boot"]),
            machine=str(header["machine"]),
            written_s=path.stat().st_mtime,
            sessions=tuple(each for each in sessions if each.leader not in ended),
            seen=frozenset([*seen, *(each[:2] for each in sessions)]),
            folders=tuple(map(Path, header.get("folders", ()))),
            files=tuple((Path(name), text) for name, text in header.get("files", {}).items()),
            groups=tuple(Path(line["group"]) for line in lines if "group" in line),
        )
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None  # Removed meanwhile, or not ours.


def _parsed(text: str) -> dict[str, Any] | None:
    """A line; None: a kill cut it off."""
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _is_ours(folder: Path) -> bool:
    """Whether no other user can write there: all that an entry names is ended and removed."""
    status = folder.lstat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022 and not folder.is_symlink()


@cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


@cache
def _machine() -> str:
    """The identity of this machine, which another one that shares the folder lacks."""
    try:
        number = Path("/etc/machine-id").read_text().strip()
    except OSError:
        number = ""
    return f"{number} {socket.gethostname()}"


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, as its files are."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
