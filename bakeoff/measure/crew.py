"""Which processes and threads do a contender's work."""

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from bakeoff.measure.proc import parse_stat
from bakeoff.model.audit import Crew

AT_WORK_SHARE = 0.05

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
    used = {task: max(0, spent - before.get(task, 0)) for task, spent in after.items()}
    least_ns = AT_WORK_SHARE * max(used.values())
    at_work = [task for task, spent in used.items() if spent > least_ns]
    return Crew(
        processes=len({pid for pid, _ in after}),
        threads=len(after),
        processes_at_work=len({pid for pid, _ in at_work}),
        threads_at_work=len(at_work),
    )


def _used_ns(task: Path) -> int:
    """Exact from schedstat, where the kernel has it; else in ticks of 10 ms."""
    try:
        return int((task / "schedstat").read_text().split()[0])
    except FileNotFoundError:
        stat = parse_stat((task / "stat").read_text(errors="replace"))
        return stat.user_ns + stat.system_ns
