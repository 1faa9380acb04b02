"""CPU time over a process tree, where no control group could be made."""

import contextlib
import os
import time

from bakeoff.measure.proc import parse_stat
from bakeoff.model.samples import CpuTime


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
            stat = parse_stat(_text(f"/proc/{pid}/stat"))
            total += time.clock_gettime_ns(_cpu_clock(pid))
            total += stat.reaped_user_ns + stat.reaped_system_ns
            user += stat.user_ns + stat.reaped_user_ns
            system += stat.system_ns + stat.reaped_system_ns
            seen = True
    return CpuTime(total_ns=total, user_ns=user, system_ns=system) if seen else None


def process_tree(root: int) -> tuple[int, ...]:
    """`root`, its children, their children and so on, as far as they still are its descendants."""
    found = [root]
    for pid in found:  # grows as children are found
        found += _children(pid)
    return tuple(found)


def _children(pid: int) -> list[int]:
    """The children of all threads of `pid`, since the kernel lists them by thread."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        with os.scandir(f"/proc/{pid}/task") as threads:
            names = [thread.name for thread in threads]
        for name in names:
            found += map(int, _text(f"/proc/{pid}/task/{name}/children").split())
    return found


def _cpu_clock(pid: int) -> int:
    """The id of the CPU clock of another process, as clock_getcpuclockid(3) makes it."""
    return (~pid << 3) | 2


def _text(path: str) -> str:
    """A file of /proc in one read; pathlib takes twice as long, and this runs around each slice."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, 1 << 16).decode("utf-8", "replace")
    finally:
        os.close(file)
