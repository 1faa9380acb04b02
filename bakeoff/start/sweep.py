"""End what earlier runs left behind whose keeper was killed too."""

import os
import signal
import time

from bakeoff.start.keeper import cgroups, processes


def sweep() -> tuple[int, ...]:
    """End processes that carry the marker of a keeper that is gone; remove its control groups.

    Returns the pids that were sent SIGKILL. Spares whatever doesn't carry our marker, this process
    and its ancestors, and all that belongs to a keeper that is alive.
    """
    strays = _strays()
    processes.send(signal.SIGKILL, strays)
    until = time.monotonic() + 1.0
    while time.monotonic() < until and any(map(processes.runs, strays)):
        time.sleep(0.005)
    for base in cgroups.bases(cgroups.KINDS):
        for group in base.path.glob(f"{cgroups.PREFIX}*"):
            if processes.keeper_is_gone(group.name.removeprefix(cgroups.PREFIX)):
                cgroups.remove_soon(group, within_s=0.5)
    return tuple(sorted(strays))


def _strays() -> set[int]:
    table = processes.processes()
    spared = {os.getpid()}
    ancestor = os.getpid()
    while (process := table.get(ancestor)) and process.parent:
        ancestor = process.parent
        spared.add(ancestor)
    return {pid for pid in table.keys() - spared if _is_stray(pid)}


def _is_stray(pid: int) -> bool:
    marker = processes.marker(pid)
    return marker is not None and processes.keeper_is_gone(marker)
