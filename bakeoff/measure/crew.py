"""Which processes and threads do a contender's work."""

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from bakeoff.measure.proc import parse_stat
from bakeoff.model.audit import Crew

# Worker processes that share a listening socket share the load badly: with 64 connections the
# laziest of four used 16 % of what the busiest did. Threads that only help (collectors, compilers)
# use a lot too: V8's 14 to 38 % each of what its one JavaScript thread does.
PROCESS_AT_WORK_SHARE = 0.05
THREAD_AT_WORK_SHARE = 0.5

Tasks = Mapping[tuple[int, int], int]
"""(process, thread) → the CPU time that it has used, ns."""


def read_tasks(pids: Iterable[int]) -> dict[tuple[int, int], int]:
    """All threads of `pids` with their CPU time; those that go meanwhile are left out."""
    found: dict[tuple[int, int], int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    found[pid, int(task.name)] = _used_ns(task)
    return found


def crew(before: Tasks, after: Tasks) -> Crew | None:
    """Who is there in the end, and who of them worked in between; None where nobody is.

    A thread that ended before the end is missed.
    """
    if not after:
        return None
    used: dict[int, list[int]] = {}
    for (pid, tid), spent_ns in after.items():
        used.setdefault(pid, []).append(max(0, spent_ns - before.get((pid, tid), 0)))
    least_ns = PROCESS_AT_WORK_SHARE * max(map(sum, used.values()))
    at_work = [threads for threads in used.values() if sum(threads) > least_ns]
    return Crew(
        processes=len(used),
        threads=len(after),
        processes_at_work=len(at_work),
        threads_at_work=sum(
            spent > THREAD_AT_WORK_SHARE * max(threads) for threads in at_work for spent in threads
        ),
    )


def _used_ns(task: Path) -> int:
    """Exact from schedstat, where the kernel has it; else in ticks of 10 ms."""
    try:
        return int((task / "schedstat").read_text().split()[0])
    except FileNotFoundError:
        stat = parse_stat((task / "stat").read_text(errors="replace"))
        return stat.user_ns + stat.system_ns
