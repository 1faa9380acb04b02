"""What becomes of a contender's processes: who left, who ended, who took other cores."""

import contextlib
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from bakeoff.measure.crew import PROCESS_AT_WORK_SHARE, Tasks
from bakeoff.measure.proc import parse_stat
from bakeoff.model.audit import Conduct


class Places(NamedTuple):
    """Where processes belong: pid → its session and its parent, and (process, thread) → where it
    may run."""

    sessions: Mapping[int, int]
    parents: Mapping[int, int]
    cpus: Mapping[tuple[int, int], frozenset[int]]


def read_places(tasks: Iterable[tuple[int, int]]) -> Places:
    """Of (process, thread) pairs; those that go meanwhile are left out."""
    sessions: dict[int, int] = {}
    parents: dict[int, int] = {}
    cpus: dict[tuple[int, int], frozenset[int]] = {}
    for pid, tid in tasks:
        with contextlib.suppress(OSError):
            sessions[pid] = os.getsid(pid)
            parents[pid] = parse_stat(Path(f"/proc/{pid}/stat").read_text(errors="replace")).parent
            cpus[pid, tid] = frozenset(os.sched_getaffinity(tid))
    return Places(sessions, parents, cpus)


def conduct(
    before: Tasks, after: Tasks, places: Places, first: int | None, given: Collection[int]
) -> Conduct:
    """What happened between two looks; `places` were read with the second.

    `first` is the contender's first process, which leads its session; None where it isn't ours.
    Who has a session of its own and still is a child of that process did not escape: some runtimes
    keep a helper so. `given` are its cores, none where it has no cores of its own. Only threads
    that worked in between count as strayed: the kernel's helpers of io_uring, which run where they
    like, rarely do.
    """
    worked = _per_process(before)
    used = {task: max(0, spent - before.get(task, 0)) for task, spent in after.items()}
    working = _per_process(used)
    busy_ns = PROCESS_AT_WORK_SHARE * max(used.values(), default=0)
    allowed: frozenset[int] = frozenset()
    for task, cpus in places.cpus.items():
        if used.get(task, 0) > busy_ns:
            allowed |= cpus
    there = {pid for pid, _ in after}
    knew = {pid for pid, _ in before}
    return Conduct(
        escaped=len(_escaped(places, first)) if first else 0,
        ended=len(_at_work(worked) - there),
        began=len(_at_work(working) - knew),
        strayed=tuple(sorted(allowed - set(given))) if given else (),
    )


def _escaped(places: Places, first: int) -> set[int]:
    """Neither of the first process's session nor below it."""
    return {
        pid
        for pid, session in places.sessions.items()
        if session != first and first not in _ancestors(pid, places.parents)
    }


def _ancestors(pid: int, parents: Mapping[int, int]) -> list[int]:
    """`pid`, its parent, and so on; the last is one whose parent isn't known."""
    line = [pid]
    while (parent := parents.get(line[-1])) and parent not in line:
        line.append(parent)
    return line


def _per_process(tasks: Tasks) -> dict[int, int]:
    """pid → the CPU time of its threads, ns."""
    found: dict[int, int] = {}
    for (pid, _), spent_ns in tasks.items():
        found[pid] = found.get(pid, 0) + spent_ns
    return found


def _at_work(spent_ns: Mapping[int, int]) -> set[int]:
    """Processes that did a worthwhile part of what the busiest did."""
    least_ns = PROCESS_AT_WORK_SHARE * max(spent_ns.values(), default=0)
    return {pid for pid, spent in spent_ns.items() if spent > least_ns}
