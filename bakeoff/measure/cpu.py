"""The CPU time of one contender and everything it forked.

This runs around every slice, so it reads the few files it needs itself: psutil's objects cost many
times as much, and give CPU time only in ticks of 10 ms.
"""

import contextlib
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bakeoff.keeper import cgroups
from bakeoff.model.readings import CpuTime
from bakeoff.model.receipt import CpuCounter

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_READ_BYTES = 1 << 16


class CpuReader(AbstractContextManager["CpuReader"]):
    """Reads a counter again and again; the files of a control group stay open in between.

    cgroup-v2, cgroup-v1: the time of all processes that were ever in the group, dead ones included.
    tree: see `read_tree`. none, or a counter that is gone: None.
    """

    def __init__(self, counter: CpuCounter) -> None:
        self._files: list[int] = []
        self._reads = [self._opened(each) for each in counter.every]

    def read(self) -> CpuTime | None:
        """The CPU time since the contender began; None: it can't be read, or no longer."""
        try:
            times = [read() for read in self._reads]
        except (OSError, ValueError, KeyError):
            return None
        known = [time for time in times if time]
        return CpuTime.summed(known) if known and len(known) == len(times) else None

    def close(self) -> None:
        while self._files:
            os.close(self._files.pop())
        self._reads.clear()

    def _opened(self, counter: CpuCounter) -> Callable[[], CpuTime | None]:
        try:
            if counter.kind == "cgroup-v2" and counter.path:
                return partial(_version_2, *self._open(counter.path, "cpu.stat"))
            if counter.kind == "cgroup-v1" and counter.path:
                return partial(
                    _version_1,
                    *self._open(
                        counter.path, "cpuacct.usage", "cpuacct.usage_user", "cpuacct.usage_sys"
                    ),
                )
        except OSError:
            return _nothing
        pid = counter.pid
        return partial(read_tree, pid) if counter.kind == "tree" and pid else _nothing

    def _open(self, folder: str, *names: str) -> list[int]:
        files = [os.open(Path(folder) / name, os.O_RDONLY | os.O_CLOEXEC) for name in names]
        self._files += files
        return files

    def __exit__(self, *_: object) -> None:
        self.close()


def _version_2(file: int) -> CpuTime:
    """cpu.stat: lines of `key value`, µs."""
    text = os.pread(file, _READ_BYTES, 0).decode()
    stat = {key: int(value) for key, value in (line.split() for line in text.splitlines())}
    return CpuTime(
        total_ns=stat["usage_usec"] * 1000,
        user_ns=stat["user_usec"] * 1000,
        system_ns=stat["system_usec"] * 1000,
    )


def _version_1(*files: int) -> CpuTime:
    """cpuacct.usage*, ns."""
    total, user, system = (int(os.pread(file, _READ_BYTES, 0)) for file in files)
    return CpuTime(total_ns=total, user_ns=user, system_ns=system)


def read_tree(root: int) -> CpuTime | None:
    """CPU time of the process `root` and all below it; None: it is gone.

    For living processes the sum is exact to the ns: a process's CPU clock counts all its threads,
    including ended ones. A child that ended and was waited for counts in its parent, rounded down
    to ticks of 10 ms. A child is lost, and the reading drops by its time, if its parent ignores
    SIGCHLD or if it left the tree before it ended. User and system time are in ticks.
    """
    total = user = system = 0
    alive = False
    for pid in process_tree(root):
        with contextlib.suppress(OSError):
            stat = parse_stat(_text(f"/proc/{pid}/stat"))
            # The clock's id as clock_getcpuclockid(3) makes it.
            total += time.clock_gettime_ns((~pid << 3) | 2)
            total += stat.reaped_user_ns + stat.reaped_system_ns
            user += stat.user_ns + stat.reaped_user_ns
            system += stat.system_ns + stat.reaped_system_ns
            alive = True
    return CpuTime(total_ns=total, user_ns=user, system_ns=system) if alive else None


def counted_pids(counter: CpuCounter) -> tuple[int, ...]:
    """All processes that `counter` counts now."""
    pids: set[int] = set()
    for each in counter.every:
        pids.update(cgroups.members(Path(each.path)) if each.path else ())
        pids.update(process_tree(each.pid) if each.kind == "tree" and each.pid else ())
    return tuple(sorted(pids))


def process_tree(root: int) -> tuple[int, ...]:
    """`root`, its children, their children and so on, if they still are its descendants.

    Without bakeoff: the process that started the servers may have started it, too.
    """
    pids, us = [root], os.getpid()
    for pid in pids:  # grows as children are found
        pids += [child for child in _children(pid) if child != us]
    return tuple(pids)


class Stat(NamedTuple):
    """CPU time in /proc/PID/stat; `reaped_*` is that of children that were waited for."""

    user_ns: int
    system_ns: int
    reaped_user_ns: int
    reaped_system_ns: int


def parse_stat(text: str) -> Stat:
    """/proc/PID/stat, proc(5). The name is in brackets and may itself contain brackets."""
    fields = text.rpartition(")")[2].split()
    return Stat(*(int(ticks) * TICK_NS for ticks in fields[11:15]))


def _children(pid: int) -> list[int]:
    """The children of all threads of `pid`, since the kernel lists them by thread."""
    children: list[int] = []
    with contextlib.suppress(OSError):
        with os.scandir(f"/proc/{pid}/task") as threads:
            names = [thread.name for thread in threads]
        for name in names:
            children += map(int, _text(f"/proc/{pid}/task/{name}/children").split())
    return children


def _text(path: str) -> str:
    """A file of /proc in one read; pathlib takes twice as long."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, _READ_BYTES).decode("utf-8", "replace")
    finally:
        os.close(file)


def _nothing() -> None:
    return None
