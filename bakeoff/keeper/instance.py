"""One contender that the keeper started, with all processes that it forked."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import cgroups
from .processes import Process, descendants, is_running, marker, processes, send
from .spawn import Spawned

KILL_WITHIN_S = 2.0
"""A process that outlives SIGKILL for this long is stuck in the kernel and not waited for."""


class Instance:
    """A started contender: its first process, its group, its scratch folder, and how it ended."""

    def __init__(self, instance_id: str, spawned: Spawned, scratch: Path) -> None:
        self.instance_id = instance_id
        self.pid = spawned.pid
        self.exec_ns = spawned.exec_ns
        self.group = spawned.group
        self.scratch = scratch
        self.adopted: dict[int, int] = {}
        """Other processes that it has started, with their starts."""
        self.status: int | None = None
        self.ended_ns = 0

    def ended(self, wait_status: int) -> None:
        self.status = os.waitstatus_to_exitcode(wait_status)
        self.ended_ns = time.monotonic_ns()

    def members(self) -> set[int]:
        """The pids of all its processes that still run.

        The keeper is the subreaper of all processes that it starts, so none leaves its tree. A
        process belongs to this instance by its group, its descent, its session or its marker; a
        process without any of these is adopted.
        """
        table = processes()
        ours = descendants([os.getpid()], table)
        mine = cgroups.members(self.group.path) if self.group else set()
        mine |= {pid for pid in ours if self.knows(table[pid])}
        mine |= descendants(mine, table)
        return {pid for pid in mine if pid in table and is_running(table[pid])}

    def knows(self, process: Process) -> bool:
        """Whether it is the first process, in its session, adopted, or marked."""
        return (
            self.pid in (process.pid, process.session)
            or self.adopted.get(process.pid) == process.started
            or marker(process.pid) == self.instance_id
        )

    def kill(self) -> None:
        if self.group:
            cgroups.kill(self.group.path)
        send(signal.SIGKILL, self.members())

    def clear_away(self) -> None:
        if self.group:
            cgroups.remove_soon(self.group.path, within_s=0.5)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def report(self) -> dict[str, Any]:
        return {
            "pid": self.pid,
            "status": self.status,
            "lived_s": (self.ended_ns - self.exec_ns) / 1e9 if self.status is not None else None,
        }


def end(
    instances: list[Instance], grace_s: float, wait: Callable[[], None], hurried: Callable[[], bool]
) -> dict[str, Any]:
    """End `instances` together: SIGTERM, `grace_s` or until `hurried`, then SIGKILL.

    `wait` waits a moment and reaps. Returns `how` they ended, and the `survivors` of SIGKILL.
    """
    left = _all(instances)
    had_ended = all(instance.status is not None for instance in instances) and not left
    send(signal.SIGTERM, left)
    until = time.monotonic() + grace_s
    while (left := _all(instances)) and time.monotonic() < until and not hurried():
        wait()
    how = "had ended" if had_ended else "SIGKILL" if left else "SIGTERM"
    until = time.monotonic() + KILL_WITHIN_S
    while left and time.monotonic() < until:
        for instance in instances:
            instance.kill()
        wait()
        left = _all(instances)
    # Reap the first processes that have ended; unkillable ones are left.
    until = time.monotonic() + 0.1
    while any(instance.status is None for instance in instances) and time.monotonic() < until:
        wait()
    for instance in instances:
        instance.clear_away()
    return {"how": how, "survivors": sorted(left)}


def _all(instances: list[Instance]) -> set[int]:
    return set().union(*(instance.members() for instance in instances))
