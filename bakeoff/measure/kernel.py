"""What the whole machine did, as the kernel counts it."""

from collections.abc import Collection
from pathlib import Path

from bakeoff.measure.cpu import TICK_NS
from bakeoff.model.readings import CoreTime, TcpTrouble


def read_cores() -> tuple[CoreTime, ...]:
    """What each processor did since the machine started.

    psutil leaves out the processors' numbers, which differ from positions where one is offline.
    """
    return parse_cores(Path("/proc/stat").read_text())


def read_used_ns(cpus: Collection[int]) -> int | None:
    """CPU time that all processes together have had on `cpus`, ns; None if it can't be known.

    The root group of version 1 counts it to the ns. /proc/stat has ticks of 10 ms, and
    /proc/pressure can't tell threads of a server that wait for each other from one held up.
    """
    try:
        used_ns = Path("/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu").read_text().split()
        return sum(int(used_ns[cpu]) for cpu in cpus)
    except (OSError, IndexError):
        return None


def read_tcp() -> TcpTrouble | None:
    """TCP's troubles since the network namespace began; None if the kernel doesn't say."""
    try:
        extended = parse_counters(Path("/proc/net/netstat").read_text())["TcpExt"]
        plain = parse_counters(Path("/proc/net/snmp").read_text())["Tcp"]
        return TcpTrouble(
            listen_overflows=extended["ListenOverflows"],
            listen_drops=extended["ListenDrops"],
            retransmits=plain["RetransSegs"],
        )
    except (OSError, KeyError):
        return None


def parse_cores(text: str) -> tuple[CoreTime, ...]:
    """The lines `cpuN` of /proc/stat. Older kernels end a line before steal.

    Nice time counts as user, hard interrupts as system, waiting for a disk as idle.
    """
    cores = []
    for line in text.splitlines():
        label, *ticks = line.split() or [""]
        if not (label.startswith("cpu") and label[3:].isdigit()):
            continue
        user, nice, system, idle, iowait, irq, softirq, steal = (
            int(tick) * TICK_NS / 1e9 for tick in (*ticks, *"00000")[:8]
        )
        cores.append(
            CoreTime(
                cpu=int(label[3:]),
                user_s=user + nice,
                system_s=system + irq,
                softirq_s=softirq,
                steal_s=steal,
                idle_s=idle + iowait,
            )
        )
    return tuple(cores)


def parse_counters(text: str) -> dict[str, dict[str, int]]:
    """Pairs of lines as in /proc/net/netstat and snmp: `Group: names`, `Group: values`."""
    groups: dict[str, dict[str, int]] = {}
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        group, *keys = names.split()
        groups[group.rstrip(":")] = dict(zip(keys, map(int, values.split()[1:]), strict=False))
    return groups
