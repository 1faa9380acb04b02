"""What the machine is busy with while nobody measures: two looks, a second apart."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bakeoff.measure.cores import read_cores
from bakeoff.measure.proc import parse_stat
from bakeoff.model.samples import CoreTime


class Busiest(NamedTuple):
    """The process that used most CPU time, in processors."""

    pid: int
    name: str
    processors: float


class Watched(NamedTuple):
    """What was seen: the share of time that the hypervisor kept, and the busiest process."""

    steal_share: float
    busiest: Busiest | None


Looked = Mapping[int, tuple[str, int]]
"""pid → its name and the CPU time that it used, ns."""


def watch(seconds: float) -> Watched:
    """Look twice."""
    cores, looked, began = read_cores(), _look(), time.monotonic()
    time.sleep(seconds)
    lasted_s = time.monotonic() - began
    return Watched(steal_share(cores, read_cores()), busiest(looked, _look(), lasted_s))


def steal_share(before: tuple[CoreTime, ...], after: tuple[CoreTime, ...]) -> float:
    """Steal over all time between two readings, 0 to 1."""
    stolen = sum(core.steal_s for core in after) - sum(core.steal_s for core in before)
    passed = sum(map(_all_s, after)) - sum(map(_all_s, before))
    return max(0.0, stolen / passed) if passed > 0 else 0.0


def busiest(before: Looked, after: Looked, lasted_s: float) -> Busiest | None:
    """Who used most between two looks; None where nobody used any."""
    used = {
        pid: (nanoseconds - before[pid][1]) / 1e9 / lasted_s
        for pid, (_, nanoseconds) in after.items()
        if pid in before
    }
    top = max(used, key=lambda pid: used[pid], default=None)
    if top is None or used[top] <= 0:
        return None
    return Busiest(top, after[top][0], used[top])


def _all_s(core: CoreTime) -> float:
    return core.user_s + core.system_s + core.softirq_s + core.steal_s + core.idle_s


def _look() -> Looked:
    """All processes but this one."""
    seen: dict[int, tuple[str, int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and folder.name != str(os.getpid()):
            try:
                stat = parse_stat((folder / "stat").read_text(errors="replace"))
            except OSError:
                continue
            seen[int(folder.name)] = (stat.name, stat.user_ns + stat.system_ns)
    return seen
