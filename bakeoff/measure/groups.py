"""The control groups that we run in: what they let us do, and how much CPU they leave us."""

import os
from pathlib import Path


def parse_own_groups(mountinfo: str, own: str) -> dict[str, Path]:
    """Controller → folder of our own group; version 2 is the controller without a name.

    From /proc/self/mountinfo and /proc/self/cgroup.
    """
    paths: dict[str, str] = {}
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        paths |= dict.fromkeys(controllers.split(","), path)
    groups: dict[str, Path] = {}
    for line in mountinfo.splitlines():
        fields, _, tail = line.partition(" - ")
        root, mounted_at = fields.split()[3:5]
        kind, _, options = tail.split()[:3]
        names = [""] if kind == "cgroup2" else options.split(",") if kind == "cgroup" else []
        for name in paths.keys() & names:
            inside = os.path.relpath(paths[name], root)
            groups[name] = Path(mounted_at) / ("" if inside.startswith("..") else inside)
    return groups


def own_groups() -> dict[str, Path]:
    """`parse_own_groups` of this process; empty where there are none."""
    try:
        mountinfo = Path("/proc/self/mountinfo").read_text(errors="replace")
        return parse_own_groups(mountinfo, Path("/proc/self/cgroup").read_text(errors="replace"))
    except OSError:
        return {}


def counting(groups: dict[str, Path]) -> str:
    """The kind of group in which contenders' CPU time can be counted; `tree` where in none."""
    for name, kind in (("", "cgroup-v2"), ("cpuacct", "cgroup-v1")):
        if name in groups and os.access(groups[name], os.W_OK):
            return kind
    return "tree"


def parse_cpu_max(text: str) -> float | None:
    """Version 2's cpu.max, in processors; None for `max`."""
    quota, period = text.split()
    return None if quota == "max" else int(quota) / int(period)


def cpu_quota(groups: dict[str, Path]) -> float | None:
    """How many processors' time our group and those above it leave us; None: no limit is seen."""
    limits = [_quota_2(folder) for folder in _upwards(groups.get(""))]
    limits += [_quota_1(folder) for folder in _upwards(groups.get("cpu"))]
    return min((limit for limit in limits if limit is not None), default=None)


def _upwards(folder: Path | None) -> list[Path]:
    """`folder` and the groups above it."""
    above = [folder, *folder.parents] if folder else []
    return [each for each in above if (each / "cgroup.procs").exists()]


def _quota_2(folder: Path) -> float | None:
    try:
        return parse_cpu_max((folder / "cpu.max").read_text())
    except (OSError, ValueError):
        return None


def _quota_1(folder: Path) -> float | None:
    try:
        quota = int((folder / "cpu.cfs_quota_us").read_text())
        return quota / int((folder / "cpu.cfs_period_us").read_text()) if quota > 0 else None
    except (OSError, ValueError):
        return None
