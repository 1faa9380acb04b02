"""A control group for each contender: it counts the CPU time of all processes that the contender
forks.

Groups are made only below our own group: elsewhere, the contender would escape the limits that the
user, a container or a batch system set for us. No controller is needed, since version 2 accounts
CPU time in every group.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .processes import send

PREFIX = "bakeoff-"
CONTROLLERS = {"cgroup-v2": "", "cgroup-v1": "cpuacct"}
"""The controller whose groups count CPU time, by kind; version 2 has one group without a name."""
KINDS = tuple(CONTROLLERS)
"""In the order in which they are tried."""


class Base(NamedTuple):
    """A group of ours in which a contender's group may be made."""

    kind: str
    path: Path


def parse_groups(mountinfo: str, own: str) -> dict[str, Path]:
    """Controller → folder of a process's group, from /proc/self/mountinfo and /proc/PID/cgroup.

    On hybrid machines version 2 is mounted beside version 1, without controllers.
    """
    paths: dict[str, str] = {}
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        paths |= dict.fromkeys(controllers.split(","), path)
    groups: dict[str, Path] = {}
    for line in mountinfo.splitlines():
        fields, _, tail = line.partition(" - ")
        root, mounted_at = (_unescaped(part) for part in fields.split()[3:5])
        kind, _, options = tail.split()[:3]
        names = [""] if kind == "cgroup2" else options.split(",") if kind == "cgroup" else []
        for name in paths.keys() & names:
            # The mount itself if the group isn't below it.
            inside = os.path.relpath(paths[name], root)
            groups[name] = Path(mounted_at) / ("" if inside.startswith("..") else inside)
    return groups


def _unescaped(path: str) -> str:
    """Mountinfo writes space, tab, newline and backslash as octal numbers."""
    for character in " \t\n\\":
        path = path.replace(f"\\{ord(character):03o}", character)
    return path


def groups(pid: int | None = None) -> dict[str, Path]:
    """The groups of a process, by default this one; empty where they can't be known."""
    try:
        mountinfo = Path("/proc/self/mountinfo").read_text(errors="replace")
        own = Path(f"/proc/{pid or 'self'}/cgroup").read_text(errors="replace")
    except OSError:
        return {}
    return parse_groups(mountinfo, own)


def bases(kinds: tuple[str, ...] = KINDS, pid: int | None = None) -> list[Base]:
    """The groups of a process that count CPU time, in the order of `kinds`, writable or not."""
    there = groups(pid)
    found = ((kind, there.get(CONTROLLERS[kind])) for kind in kinds)
    return [Base(kind, group) for kind, group in found if group]


def enclose(pid: int, instance_id: str, candidates: list[Base]) -> Base | None:
    """Make a group for `instance_id` with `pid` in it, below the first base that allows it."""
    for base in candidates:
        group = base.path / f"{PREFIX}{instance_id}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / "cgroup.procs").write_text(str(pid))
        except OSError:
            remove(group)
            continue
        return Base(base.kind, group)
    return None


def members(group: Path) -> set[int]:
    """The pids in `group` and below; a pid of another namespace reads as 0 and is left out."""
    pids: set[int] = set()
    for folder in _folders(group):
        with contextlib.suppress(OSError, ValueError):
            pids.update(int(pid) for pid in (folder / "cgroup.procs").read_text().split())
    return pids - {0}


def kill(group: Path) -> None:
    with contextlib.suppress(OSError):
        (group / "cgroup.kill").write_text("1")


def remove(group: Path) -> bool:
    """Remove `group` and all below; returns whether it is gone. A group with processes stays."""
    for folder in reversed(list(_folders(group))):
        with contextlib.suppress(OSError):
            folder.rmdir()
    return not group.exists()


def remove_soon(group: Path, within_s: float) -> bool:
    """Remove `group`, waiting for the kernel to release processes that just ended."""
    until = time.monotonic() + within_s
    while not remove(group):
        if time.monotonic() > until:
            return False
        send(signal.SIGKILL, members(group))
        time.sleep(0.005)
    return True


def _folders(group: Path) -> Iterator[Path]:
    """`group` and all groups below, from the top."""
    for folder, _, _ in os.walk(group):
        yield Path(folder)
