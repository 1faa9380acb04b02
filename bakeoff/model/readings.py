"""Readings of the machine and of processes while they are measured."""

from collections.abc import Sequence
from typing import Self

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from bakeoff.model.base import Contract


class Counters(Contract):
    """Whole numbers that only grow while they are counted."""

    def since(self, earlier: Self) -> Self:
        """The counts between `earlier` and this reading; never below zero."""
        before = dict(earlier)
        return type(self)(**{key: max(0, value - before[key]) for key, value in self})

    @classmethod
    def summed(cls, counted: Sequence[Self]) -> Self:
        return cls(**{key: sum(getattr(each, key) for each in counted) for key in cls.model_fields})


class CpuTime(Counters):
    """CPU time of one process tree since it began, ns. The split may be coarser than the sum."""

    total_ns: NonNegativeInt
    user_ns: NonNegativeInt
    system_ns: NonNegativeInt


class Usage(Counters):
    """The events of one process tree's threads: how often one waited or was taken off its core,
    page faults without and with a read, and how long one was ready and waited for a core.

    The rest is TCP's, on both sides of the network namespace: sent segments, those of them with
    data, and accepted connections.
    """

    voluntary_switches: NonNegativeInt
    involuntary_switches: NonNegativeInt
    minor_faults: NonNegativeInt
    major_faults: NonNegativeInt
    delay_ns: NonNegativeInt
    segments: NonNegativeInt
    data_segments: NonNegativeInt
    accepted: NonNegativeInt


class CoreTime(Contract):
    """The times of one processor since the machine started, s, from /proc/stat (10 ms ticks)."""

    cpu: NonNegativeInt
    user_s: NonNegativeFloat
    system_s: NonNegativeFloat
    softirq_s: NonNegativeFloat
    steal_s: NonNegativeFloat
    idle_s: NonNegativeFloat

    @classmethod
    def together(cls, cores: Sequence[Self]) -> Self:
        """The processors with one number on several machines, as one."""
        times = [key for key in cls.model_fields if key != "cpu"]
        summed = {key: sum(getattr(each, key) for each in cores) for key in times}
        return cls(cpu=cores[0].cpu, **summed)

    @property
    def total_s(self) -> float:
        """All time that it has accounted for."""
        return self.user_s + self.system_s + self.softirq_s + self.steal_s + self.idle_s


def stolen_share(
    before: Sequence[CoreTime], after: Sequence[CoreTime], cpus: frozenset[int]
) -> float | None:
    """The share of the time of `cpus` (empty: of all) between two readings that the host took;
    None: no time passed for them."""
    began = {core.cpu: core for core in before if core.cpu in cpus or not cpus}
    ended = [core for core in after if core.cpu in began]
    passed_s = sum(core.total_s - began[core.cpu].total_s for core in ended)
    if passed_s <= 0:
        return None
    return max(0.0, sum(core.steal_s - began[core.cpu].steal_s for core in ended) / passed_s)


class Memory(Contract):
    """Sum of Pss over a process tree, MiB."""

    pss_mib: NonNegativeFloat
    processes: PositiveInt


class TcpTrouble(Counters):
    """Troubles of the kernel's TCP, over the whole network namespace: connections that met a full
    listen queue, connections that were dropped before they were accepted (including the former),
    segments that were sent again, and packets that connection tracking dropped, most often because
    its table was full."""

    listen_overflows: NonNegativeInt
    listen_drops: NonNegativeInt
    retransmits: NonNegativeInt
    tracking_drops: NonNegativeInt = 0


class Received(Counters):
    """The machine's received packets, loopback included: IP packets, as on the wire, and the
    datagrams of UDP for which no socket had room (`dropped`)."""

    packets: NonNegativeInt
    dropped: NonNegativeInt


class PathSeen(Contract):
    """The activity of a path's process over `lasted_ns`: packets that it forwarded, `lost` as
    planned, or had no place for (`overrun`); the most that were under way at a time; and how late
    they left. Over several stretches of time, latenesses are those of the worst."""

    lasted_ns: NonNegativeInt
    cpu_ns: NonNegativeInt
    forwarded: NonNegativeInt
    lost: NonNegativeInt
    overrun: NonNegativeInt
    most: NonNegativeInt
    late_p50_us: NonNegativeFloat
    late_p99_us: NonNegativeFloat
    late_max_us: NonNegativeFloat

    @classmethod
    def together(cls, seen: Sequence[Self]) -> Self | None:
        """Over several stretches; None for none."""
        if not seen:
            return None
        summed = ("lasted_ns", "cpu_ns", "forwarded", "lost", "overrun")
        return cls(
            **{
                key: (sum if key in summed else max)(getattr(each, key) for each in seen)
                for key in cls.model_fields
            }
        )


class NetworkUse(Counters):
    """The traffic of one machine, over all its interfaces except the loopback."""

    bytes_in: NonNegativeInt
    bytes_out: NonNegativeInt
    segments_out: NonNegativeInt
    retransmits: NonNegativeInt


class NetworkSeen(Contract):
    """The traffic on the network of either side while one boot was measured, draws included.

    `ray_cpu_s` is the CPU time of Ray's own processes on the servers' machine meanwhile.
    """

    server: NetworkUse
    load: NetworkUse
    ray_cpu_s: NonNegativeFloat = 0.0

    def since(self, earlier: Self) -> Self:
        """The traffic between `earlier` and this reading."""
        return type(self)(
            server=self.server.since(earlier.server),
            load=self.load.since(earlier.load),
            ray_cpu_s=max(0.0, self.ray_cpu_s - earlier.ray_cpu_s),
        )
