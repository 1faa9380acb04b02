"""Servers that somebody else runs."""

import os

from bakeoff.model.plan import Entry
from bakeoff.model.receipt import CpuCounter, Handle


def attach(entry: Entry) -> Handle:
    """The handle of `entry.attached`; with a pid its CPU time is read over the tree."""
    attached = entry.attached
    assert attached, "an entry to attach to"
    counter = CpuCounter(kind="tree", pid=attached.pid) if attached.pid else CpuCounter(kind="none")
    return Handle(
        name=entry.name,
        pid=attached.pid,
        address=attached.address,
        host=attached.host,
        port=attached.port,
        cpus=_cores_of(attached.pid),
        cpu=counter,
        log=None,
        command=(),
        time_to_ready_ms=None,
    )


def _cores_of(pid: int | None) -> tuple[int, ...]:
    """The processors that `pid` may run on; none where nobody can tell."""
    try:
        return tuple(sorted(os.sched_getaffinity(pid))) if pid else ()
    except OSError:
        return ()
