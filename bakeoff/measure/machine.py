"""machine.json: the facts that a run discloses. None where the machine doesn't report one."""

import os
import platform
import resource
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import psutil

from bakeoff.keeper import cgroups
from bakeoff.model.machine import Machine

CPU = Path("/sys/devices/system/cpu")
_CLOCK_SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
_IO_URING = {"0": "allowed", "1": "allowed for one group", "2": "disabled"}


def machine(engine: str, bakeoff: str) -> Machine:
    cpuinfo = _text("/proc/cpuinfo") or ""
    groups = cgroups.groups()
    vendor, product = (_text(f"/sys/class/dmi/id/{key}") for key in ("sys_vendor", "product_name"))
    return Machine(
        taken_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        kernel=f"{platform.system()} {platform.release()}",
        distribution=_distribution(),
        cpu_model=cpu_model(cpuinfo),
        cpus=os.cpu_count() or 1,
        threads_per_core=max(map(len, siblings()), default=None),
        memory_mib=psutil.virtual_memory().total // 2**20,
        virtualisation=virtualisation(cpuinfo, vendor, product),
        governor=_governor(),
        turbo=_turbo(),
        mitigations=_mitigations(),
        clock_source=_text(_CLOCK_SOURCE),
        cgroup=counting(groups),
        cpu_quota=cpu_quota(groups),
        somaxconn=_number("/proc/sys/net/core/somaxconn"),
        port_range=_port_range(),
        open_files_limit=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        tcp_tw_reuse=_number("/proc/sys/net/ipv4/tcp_tw_reuse"),
        load_average=os.getloadavg()[0],
        io_uring=_IO_URING.get(_text("/proc/sys/kernel/io_uring_disabled") or ""),
        python=platform.python_version(),
        bakeoff=bakeoff,
        engine=engine,
    )


def _text(path: Path | str) -> str | None:
    """The stripped text of a small file; None: it can't be read."""
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return None


def _number(path: Path | str) -> int | None:
    text = _text(path)
    return int(text) if text and text.isdigit() else None


def _distribution() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def parse_cpuinfo(cpuinfo: str, key: str) -> str | None:
    """The first value of `key` in /proc/cpuinfo."""
    for line in cpuinfo.splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip() == key:
            return value.strip()
    return None


def cpu_model(cpuinfo: str) -> str:
    """The processor's name or, on ARM kernels, which don't give one, its architecture."""
    for key in ("model name", "Model", "Hardware", "cpu model"):
        if name := parse_cpuinfo(cpuinfo, key):
            return name
    return platform.machine() or "unknown"


def virtualisation(cpuinfo: str, vendor: str | None, product: str | None) -> str | None:
    """`none`, or what is known of the hypervisor. x86 has a flag for it; ARM has none."""
    flags = parse_cpuinfo(cpuinfo, "flags")
    if flags is None:
        return None
    if "hypervisor" not in flags.split():
        return "none"
    named = " ".join(part for part in (vendor, product) if part)
    return f"virtual machine ({named})" if named else "virtual machine"


def parse_numbers(listed: str) -> tuple[int, ...]:
    """A list of processors as the kernel writes it: `0-2,5` is 0, 1, 2 and 5."""
    numbers: list[int] = []
    for part in listed.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return tuple(numbers)


def siblings() -> tuple[tuple[int, ...], ...]:
    """The processors that share a core, group by group; empty where the machine doesn't report
    it."""
    listed = (_text(path) for path in CPU.glob("cpu[0-9]*/topology/thread_siblings_list"))
    return tuple(sorted({parse_numbers(group) for group in listed if group}))


def _governor() -> str | None:
    """The frequency governor; several, with commas, if the processors differ."""
    names = (_text(path) for path in CPU.glob("cpu[0-9]*/cpufreq/scaling_governor"))
    return ", ".join(sorted({name for name in names if name})) or None


def _turbo() -> bool | None:
    """Whether the processor may exceed its base frequency."""
    no_turbo = _number(CPU / "intel_pstate/no_turbo")
    boost = _number(CPU / "cpufreq/boost")
    if no_turbo is not None:
        return no_turbo == 0
    return None if boost is None else boost == 1


def _mitigations() -> dict[str, str]:
    texts = {path.name: _text(path) for path in sorted((CPU / "vulnerabilities").glob("*"))}
    return {name: text for name, text in texts.items() if text}


def _port_range() -> tuple[int, int] | None:
    limits = (_text("/proc/sys/net/ipv4/ip_local_port_range") or "").split()
    return (int(limits[0]), int(limits[1])) if len(limits) == 2 else None


def counting(groups: dict[str, Path]) -> str:
    """The kind of group that can count contenders' CPU time; `tree` if none can."""
    for kind, controller in cgroups.CONTROLLERS.items():
        if controller in groups and os.access(groups[controller], os.W_OK):
            return kind
    return "tree"


def cpu_quota(groups: dict[str, Path]) -> float | None:
    """How many processors' time our group and those above it allow; None: no limit is seen."""
    limits = [_quota_2(folder) for folder in _upwards(groups.get(""))]
    limits += [_quota_1(folder) for folder in _upwards(groups.get("cpu"))]
    return min((limit for limit in limits if limit is not None), default=None)


def _upwards(folder: Path | None) -> Iterable[Path]:
    above = [folder, *folder.parents] if folder else []
    return [each for each in above if (each / "cgroup.procs").exists()]


def _quota_2(folder: Path) -> float | None:
    """Version 2: quota and period, in µs; the quota `max` is not a limit."""
    try:
        quota, period = (folder / "cpu.max").read_text().split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError):
        return None


def _quota_1(folder: Path) -> float | None:
    """Version 1: each in a file of its own; a quota of -1 is not a limit."""
    try:
        quota = int((folder / "cpu.cfs_quota_us").read_text())
        return quota / int((folder / "cpu.cfs_period_us").read_text()) if quota > 0 else None
    except (OSError, ValueError):
        return None
