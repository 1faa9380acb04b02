"""Single facts of the machine, each None where the machine doesn't say."""

import platform
from collections.abc import Iterable
from pathlib import Path

CPU = Path("/sys/devices/system/cpu")
_IO_URING = {"0": "allowed", "1": "allowed for one group", "2": "disabled"}


def text(path: Path | str) -> str | None:
    """The stripped text of a small file; None where it can't be read."""
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return None


def number(path: Path | str) -> int | None:
    """The number that is the whole text of a small file."""
    found = text(path)
    return int(found) if found and found.isdigit() else None


def parse_numbers(listed: str) -> tuple[int, ...]:
    """A list of processors as the kernel writes it: `0-2,5` is 0, 1, 2 and 5."""
    found: list[int] = []
    for part in listed.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def parse_cpuinfo(cpuinfo: str, key: str) -> str | None:
    """The first value of `key` in /proc/cpuinfo."""
    for line in cpuinfo.splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip() == key:
            return value.strip()
    return None


def cpu_model(cpuinfo: str) -> str:
    """What the processor calls itself; ARM kernels don't say, then its architecture."""
    for key in ("model name", "Model", "Hardware", "cpu model"):
        if found := parse_cpuinfo(cpuinfo, key):
            return found
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


def siblings() -> tuple[tuple[int, ...], ...]:
    """The processors that share a core, group by group; empty where the machine doesn't say."""
    listed = (text(path) for path in CPU.glob("cpu[0-9]*/topology/thread_siblings_list"))
    return tuple(sorted({parse_numbers(group) for group in listed if group}))


def governor() -> str | None:
    """The frequency governor; several, with commas, where the processors differ."""
    return _joined(text(path) for path in CPU.glob("cpu[0-9]*/cpufreq/scaling_governor"))


def turbo() -> bool | None:
    """Whether the processor may exceed its base frequency."""
    no_turbo = number(CPU / "intel_pstate/no_turbo")
    boost = number(CPU / "cpufreq/boost")
    if no_turbo is not None:
        return no_turbo == 0
    return None if boost is None else boost == 1


def mitigations() -> dict[str, str]:
    """Hardware vulnerability → what the kernel does about it."""
    found = {path.name: text(path) for path in sorted((CPU / "vulnerabilities").glob("*"))}
    return {name: said for name, said in found.items() if said}


def port_range() -> tuple[int, int] | None:
    """First and last port of outgoing connections."""
    found = (text("/proc/sys/net/ipv4/ip_local_port_range") or "").split()
    return (int(found[0]), int(found[1])) if len(found) == 2 else None


def io_uring() -> str | None:
    """Whether io_uring may be used; older kernels don't say."""
    return _IO_URING.get(text("/proc/sys/kernel/io_uring_disabled") or "")


def distribution() -> str | None:
    """What the distribution calls itself."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _joined(found: Iterable[str | None]) -> str | None:
    return ", ".join(sorted({each for each in found if each})) or None
