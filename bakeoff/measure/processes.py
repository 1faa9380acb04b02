"""The activity of a contender's processes: working threads, new and ended processes, memory.

Read when a boot's measuring begins and ends, never between slices.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import psutil

from bakeoff.measure.cpu import parse_stat
from bakeoff.measure.kernel import parse_counters
from bakeoff.model.audit import Conduct, Crew, Written
from bakeoff.model.readings import Memory, Usage
from bakeoff.model.receipt import Handle

# Worker processes that share a listening socket share the load badly: with 64 connections the least
# busy of four used 16 % of the CPU time of the busiest. Helping threads (collectors, compilers) use
# a lot too: those of V8 14 to 38 % each of that of its one JavaScript thread.
PROCESS_AT_WORK_SHARE = 0.05
THREAD_AT_WORK_SHARE = 0.5

ThreadTimes = Mapping[tuple[int, int], int]
"""(process, thread) → its CPU time, ns."""


class Placement(NamedTuple):
    """The places of processes: pid → session, pid → parent, (process, thread) → allowed CPUs."""

    sessions: Mapping[int, int]
    parents: Mapping[int, int]
    cpus: Mapping[tuple[int, int], frozenset[int]]


def read_thread_times(pids: Iterable[int]) -> dict[tuple[int, int], int]:
    """All threads of `pids` with their CPU time, ns; those that end meanwhile are left out."""
    times: dict[tuple[int, int], int] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    times[pid, int(thread.name)] = _used_ns(thread)
    return times


def _used_ns(thread: Path) -> int:
    """Exact from schedstat, if the kernel has it; else in ticks of 10 ms, as from psutil."""
    try:
        return int((thread / "schedstat").read_text().split()[0])
    except FileNotFoundError:
        stat = parse_stat((thread / "stat").read_text(errors="replace"))
        return stat.user_ns + stat.system_ns


def read_usage(pids: Iterable[int]) -> Usage:
    """The events of all threads of `pids` since each began, without ended threads."""
    total: Counter[str] = Counter()
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    total.update(_met(thread))
    with contextlib.suppress(OSError, KeyError):
        tcp = parse_counters(Path("/proc/net/snmp").read_text())["Tcp"]
        total |= Counter(segments=tcp["OutSegs"], accepted=tcp["PassiveOpens"])
        extended = parse_counters(Path("/proc/net/netstat").read_text())["TcpExt"]
        total["data_segments"] = extended["TCPOrigDataSent"]
    return Usage(**{field: total[field] for field in Usage.model_fields})


def _met(thread: Path) -> dict[str, int]:
    status = dict(
        line.split(":", 1)
        for line in (thread / "status").read_text(errors="replace").splitlines()
        if "_switches:" in line
    )
    fields = (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()
    met = {
        "voluntary_switches": int(status["voluntary_ctxt_switches"]),
        "involuntary_switches": int(status["nonvoluntary_ctxt_switches"]),
        "minor_faults": int(fields[7]),
        "major_faults": int(fields[9]),
    }
    with contextlib.suppress(FileNotFoundError):
        met["delay_ns"] = int((thread / "schedstat").read_text().split()[1])
    return met


def threads_at_work(before: ThreadTimes, after: ThreadTimes) -> Crew | None:
    """The threads at the end, and those of them that worked in between; None: there are none.

    A thread that ended before the end is missed.
    """
    if not after:
        return None
    used_ns: dict[int, list[int]] = {}
    for (pid, tid), total_ns in after.items():
        used_ns.setdefault(pid, []).append(max(0, total_ns - before.get((pid, tid), 0)))
    least_ns = PROCESS_AT_WORK_SHARE * max(map(sum, used_ns.values()))
    at_work = [threads for threads in used_ns.values() if sum(threads) > least_ns]
    return Crew(
        processes=len(used_ns),
        threads=len(after),
        processes_at_work=len(at_work),
        threads_at_work=sum(
            spent > THREAD_AT_WORK_SHARE * max(threads) for threads in at_work for spent in threads
        ),
    )


def read_placement(threads: Iterable[tuple[int, int]]) -> Placement:
    """The places of (process, thread) pairs; those that end meanwhile are left out."""
    placement = Placement(sessions := {}, parents := {}, cpus := {})
    for pid, tid in threads:
        with contextlib.suppress(OSError, psutil.Error):
            if pid not in parents:
                sessions[pid] = os.getsid(pid)
                parents[pid] = psutil.Process(pid).ppid()
            cpus[pid, tid] = frozenset(os.sched_getaffinity(tid))
    return placement


def process_changes(
    before: ThreadTimes,
    after: ThreadTimes,
    placement: Placement,
    first_pid: int | None,
    given_cpus: Collection[int],
) -> Conduct:
    """The changes of the processes between two readings; `placement` was read with the second.

    `first_pid` leads the contender's session; None: we did not start it. A process with a session
    of its own that still descends from it has not escaped: some runtimes keep such a helper.
    `given_cpus` is empty if the contender has no cores of its own. Only threads that worked in
    between count as strayed: the kernel's io_uring helpers run where they like, and rarely work.
    """
    used_ns = {thread: max(0, ns - before.get(thread, 0)) for thread, ns in after.items()}
    busy_ns = PROCESS_AT_WORK_SHARE * max(used_ns.values(), default=0)
    allowed = frozenset[int]().union(
        *(cpus for thread, cpus in placement.cpus.items() if used_ns.get(thread, 0) > busy_ns)
    )
    return Conduct(
        escaped=len(_escaped(placement, first_pid)) if first_pid else 0,
        ended=len(_at_work(before) - {pid for pid, _ in after}),
        began=len(_at_work(used_ns) - {pid for pid, _ in before}),
        strayed=tuple(sorted(allowed - set(given_cpus))) if given_cpus else (),
    )


def _at_work(used_ns: ThreadTimes) -> set[int]:
    total_ns: dict[int, int] = {}
    for (pid, _), ns in used_ns.items():
        total_ns[pid] = total_ns.get(pid, 0) + ns
    least_ns = PROCESS_AT_WORK_SHARE * max(total_ns.values(), default=0)
    return {pid for pid, ns in total_ns.items() if ns > least_ns}


def _escaped(placement: Placement, first_pid: int) -> set[int]:
    """The processes neither in the first process's session nor below it."""
    return {
        pid
        for pid, session in placement.sessions.items()
        if session != first_pid and first_pid not in _line_of(pid, placement.parents)
    }


def _line_of(pid: int, parents: Mapping[int, int]) -> list[int]:
    """`pid`, its parent, and so on, up to one whose parent isn't known."""
    line = [pid]
    while (parent := parents.get(line[-1])) and parent not in line:
        line.append(parent)
    return line


def read_memory(pids: Iterable[int]) -> Memory | None:
    """The sum of Pss over `pids`, MiB; None: none of them can be read.

    Pss divides a shared page among the processes that share it, so forked workers don't count it
    twice. Reading it walks page tables: never do that inside a slice.
    """
    pss_bytes = []
    for pid in pids:
        with contextlib.suppress(psutil.Error, OSError):
            pss_bytes.append(psutil.Process(pid).memory_full_info().pss)
    if not pss_bytes:
        return None
    return Memory(pss_mib=sum(pss_bytes) / 2**20, processes=len(pss_bytes))


def read_written(handle: Handle) -> Written | None:
    """The sizes of its log and of all files in its scratch folder; None: it isn't ours."""
    if handle.log is None:
        return None
    folders = os.walk(handle.scratch) if handle.scratch else ()
    return Written(
        log_bytes=_size(Path(handle.log)),
        scratch_bytes=sum(_size(Path(root, name)) for root, _, names in folders for name in names),
    )


def _size(file: Path) -> int:
    with contextlib.suppress(OSError):
        return file.lstat().st_size
    return 0
