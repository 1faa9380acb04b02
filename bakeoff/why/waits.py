"""The activity of threads while they don't work, by the kernel's function in which each waits."""

import time
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import NamedTuple, Self

from bakeoff.model.why import Wait

PERIOD_S = 0.01
"""The time from one look at all threads to the next."""
LOOKING_SHARE = 0.1
"""The share of a core's time that looks may take: with many threads there are fewer looks."""
AT_WORK_SHARE = 0.05
"""A thread with less than this share of the busiest thread's CPU time is idle: its waits delay
nothing."""
_WAITING_IN: Mapping[Wait, tuple[str, ...]] = {
    "requests": (
        *("ep_poll", "do_epoll_wait", "io_cqring_wait", "inet_csk_"),
        *("do_poll", "do_sys_poll", "do_select", "poll_schedule"),
    ),
    "thread": ("futex", "__futex", "do_futex"),
    "timer": ("hrtimer_nanosleep", "do_nanosleep", "common_nsleep"),
    "socket": ("sk_", "tcp_", "wait_woken", "unix_", "skb_", "__skb_"),
}
"""The beginnings of such functions' names, from Linux 5 to 6."""
_RUNNING = "R"


class _Ran(NamedTuple):
    """Since the thread began: CPU time, and time in which it was ready but had no core, ns."""

    running_ns: int
    ready_ns: int


class Waits:
    """The threads that `pids` have when the block begins, observed until it ends.

    `times` has the time of threads at work by its use, ns; empty where nothing can be seen.
    """

    def __init__(self, pids: Collection[int]) -> None:
        self._pids = pids
        self._stop = Event()
        self._seen: dict[Path, Counter[Wait]] = {}
        self.times: dict[Wait, int] = {}

    def __enter__(self) -> Self:
        self._began_ns = time.monotonic_ns()
        self._before = {
            thread: ran for pid in self._pids for thread in _threads(pid) if (ran := _ran(thread))
        }
        self._seen = {thread: Counter() for thread in self._before}
        self._watcher = Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._watcher.join()
        lasted_ns = time.monotonic_ns() - self._began_ns
        ran = {
            thread: _Ran(after.running_ns - before.running_ns, after.ready_ns - before.ready_ns)
            for thread, before in self._before.items()
            if (after := _ran(thread))
        }
        least_ns = AT_WORK_SHARE * max((each.running_ns for each in ran.values()), default=0)
        found: Counter[Wait] = Counter()
        for thread, each in ran.items():
            if each.running_ns > least_ns:
                found.update(_spent(each, self._seen[thread], lasted_ns))
        self.times = dict(found)

    def _watch(self) -> None:
        pause_s, chance = PERIOD_S, Random()
        # A program that wakes up as often is not to be seen awake each time.
        while not self._stop.wait(pause_s * chance.uniform(0.5, 1.5)):
            began_s = time.thread_time()
            for thread, seen in self._seen.items():
                with suppress(OSError):
                    if wait := _waits_for(thread):
                        seen[wait] += 1
            pause_s = max(PERIOD_S, (time.thread_time() - began_s) / LOOKING_SHARE)


def can_be_seen() -> bool:
    """Whether this kernel shows what threads wait for."""
    thread = Path("/proc/thread-self")
    return _ran(thread) is not None and (thread / "wchan").exists()


def _threads(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def _ran(thread: Path) -> _Ran | None:
    try:
        running_ns, ready_ns, _ = (thread / "schedstat").read_text().split()
        return _Ran(int(running_ns), int(ready_ns))
    except (OSError, ValueError):
        return None


def _spent(ran: _Ran, seen: Counter[Wait], lasted_ns: int) -> Counter[Wait]:
    """One thread's time: that of its work is counted, and the rest is divided as it was seen.

    A thread that wakes up while it is observed has no name either.
    """
    if len(seen) > 1:
        del seen["unseen"]
    rest_ns = max(0, lasted_ns - ran.running_ns - ran.ready_ns)
    spent: Counter[Wait] = Counter({"running": ran.running_ns, "ready": ran.ready_ns})
    for wait, often in seen.items():
        spent[wait] += round(rest_ns * often / seen.total())
    return spent


def _waits_for(thread: Path) -> Wait | None:
    """Its wait; None: it has work."""
    state = (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    if state == _RUNNING:
        return None
    return wait_in((thread / "wchan").read_text(), state)


def wait_in(function: str, state: str) -> Wait:
    """The wait of a thread that is in a `function` of the kernel; `0`: that is hidden from us.

    A `state` of D is a wait that no signal ends, which is a wait for a disk.
    """
    if function in ("", "0"):
        return "unseen"
    known = (wait for wait, begins in _WAITING_IN.items() if function.startswith(begins))
    return next(known, "disk" if state == "D" else "other")
