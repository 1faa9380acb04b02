"""The formats of /proc and of control groups, as pure functions over their text."""

import os
from typing import NamedTuple

from bakeoff.model.samples import CoreTime

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Stat(NamedTuple):
    """What counts of /proc/PID/stat; `reaped_*` is CPU time of children that were waited for."""

    name: str
    state: str
    parent: int
    user_ns: int
    system_ns: int
    reaped_user_ns: int
    reaped_system_ns: int


def parse_stat(text: str) -> Stat:
    """/proc/PID/stat, proc(5). The name stands in brackets and may itself hold some."""
    head, _, tail = text.rpartition(")")
    fields = tail.split()
    user, system, reaped_user, reaped_system = (int(ticks) * TICK_NS for ticks in fields[11:15])
    name = head.partition("(")[2]
    return Stat(name, fields[0], int(fields[1]), user, system, reaped_user, reaped_system)


def parse_keyed(text: str) -> dict[str, int]:
    """Lines of `key value`, as cpu.stat has them."""
    return {key: int(value) for key, value in (line.split() for line in text.splitlines())}


def parse_kib(text: str, key: str) -> int | None:
    """The value of the line `Key:   123 kB`, as smaps_rollup and meminfo have them, KiB."""
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return int(value.split()[0])
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


def parse_pressure_us(text: str) -> int | None:
    """`total` of the line `some` in /proc/pressure/cpu, µs since the machine started."""
    for line in text.splitlines():
        if line.startswith("some "):
            return int(line.rpartition("total=")[2])
    return None
