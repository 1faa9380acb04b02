"""What is left of this machine for more processes."""

import resource
from pathlib import Path

import psutil

from bakeoff.keeper import cgroups


def read_free_memory_mib() -> float:
    """Memory that can be had without swapping, MiB: of the machine, and of our control groups."""
    free = [psutil.virtual_memory().available]
    groups = cgroups.groups()
    for name, limit, used in (
        ("", "memory.max", "memory.current"),
        ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        folder = groups.get(name)
        for group in [folder, *folder.parents] if folder else []:
            rest = left(group / limit, group / used)
            if rest is not None:
                free.append(rest)
    return max(0, min(free)) / 2**20


def left(limit: Path, used: Path) -> int | None:
    """Bytes between two files' numbers; None where there are none, or no limit."""
    try:
        return int(limit.read_text()) - int(used.read_text())
    except (OSError, ValueError):
        return None


def read_free_files() -> int:
    """How many more files this process may open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return 1 << 30
    return max(0, limit - len(list(Path("/proc/self/fd").iterdir())))
