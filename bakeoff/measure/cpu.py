"""The CPU time of one contender, with all that it forked."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from bakeoff.measure.proc import parse_keyed, parse_stat
from bakeoff.model.receipt import CpuCounter
from bakeoff.model.samples import CpuTime

_BYTES = 4096


class CpuReader:
    """Reads one counter again and again; control groups keep their files open in between.

    cgroup-v2, cgroup-v1: all time of all processes that were ever in the group, the dead included.
    tree: see `read_tree`. none, or a counter that has gone: None.
    """

    def __init__(self, counter: CpuCounter) -> None:
        self._files: list[int] = []
        self._read = self._opened(counter)

    def read(self) -> CpuTime | None:
        """The CPU time since the contender began; None where it can't be seen, or no longer."""
        try:
            return self._read()
        except (OSError, ValueError, KeyError):
            return None

    def close(self) -> None:
        """Close the files. May be called again."""
        while self._files:
            os.close(self._files.pop())
        self._read = _nothing

    def _opened(self, counter: CpuCounter) -> Callable[[], CpuTime | None]:
        try:
            if counter.kind == "cgroup-v2" and counter.path:
                self._open(counter.path, "cpu.stat")
                return self._version_2
            if counter.kind == "cgroup-v1" and counter.path:
                self._open(counter.path, "cpuacct.usage", "cpuacct.usage_user", "cpuacct.usage_sys")
                return self._version_1
        except OSError:
            return _nothing
        pid = counter.pid
        return (lambda: read_tree(pid)) if counter.kind == "tree" and pid else _nothing

    def _open(self, folder: str, *names: str) -> None:
        for name in names:
            self._files.append(os.open(Path(folder) / name, os.O_RDONLY | os.O_CLOEXEC))

    def _version_2(self) -> CpuTime:
        """cpu.stat, µs."""
        stat = parse_keyed(os.pread(self._files[0], _BYTES, 0).decode())
        return CpuTime(
            total_ns=stat["usage_usec"] * 1000,
            user_ns=stat["user_usec"] * 1000,
            system_ns=stat["system_usec"] * 1000,
        )

    def _version_1(self) -> CpuTime:
        """cpuacct.usage*, ns."""
        total, user, system = (int(os.pread(file, _BYTES, 0)) for file in self._files)
        return CpuTime(total_ns=total, user_ns=user, system_ns=system)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read_cpu(counter: CpuCounter) -> CpuTime | None:
    """Read `counter` once. To read it around every slice keep a `CpuReader`."""
    with CpuReader(counter) as reader:
        return reader.read()


def _nothing() -> None:
    return None


def read_tree(root: int) -> CpuTime | None:
    """CPU time of the process `root` and all below it; None where it has gone.

    The sum is exact to the ns for processes that live: each process's CPU clock counts its
    threads, ended ones too. A child that ended and was waited for counts in its parent, rounded
    down to ticks of 10 ms; one whose parent ignores SIGCHLD, or that left the tree before it
    ended, is lost, and the reading drops by it. The split into user and system is in ticks.
    """
    total = user = system = 0
    seen = False
    for pid in process_tree(root):
        with contextlib.suppress(OSError):
            stat = parse_stat(Path(f"/proc/{pid}/stat").read_text(errors="replace"))
            total += time.clock_gettime_ns(_cpu_clock(pid))
            total += stat.reaped_user_ns + stat.reaped_system_ns
            user += stat.user_ns + stat.reaped_user_ns
            system += stat.system_ns + stat.reaped_system_ns
            seen = True
    return CpuTime(total_ns=total, user_ns=user, system_ns=system) if seen else None


def _cpu_clock(pid: int) -> int:
    """The id of the CPU clock of another process, as clock_getcpuclockid(3) makes it."""
    return (~pid << 3) | 2


def process_tree(root: int) -> Iterator[int]:
    """`root`, its children, their children and so on, as far as they still are its descendants."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting += _children(pid)


def _children(pid: int) -> list[int]:
    """The children of all threads of `pid`."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
    return found
