"""What an entry costs: CPU per request, CPU out of its turn, memory."""

from collections.abc import Iterable
from statistics import fmean

from bakeoff.judge.disturbed import total_s
from bakeoff.judge.tally import Tally
from bakeoff.model.samples import Block, CoreTime, Memory
from bakeoff.model.verdict import MemoryUse, PerRequest


def per_request(spent: Tally) -> PerRequest:
    """CPU µs per request. The server's is over ramp, window and drain, as is what it answered.

    The split in user and system may be counted in coarser ticks than the sum: it is scaled to it.
    """
    client = spent.client_cpu_ns / 1e3 / spent.requests if spent.requests else 0.0
    if spent.cpu is None or not spent.cpu_requests:
        return PerRequest(server=None, server_user=None, server_system=None, client=client)
    server = spent.cpu.total_ns / 1e3 / spent.cpu_requests
    split = spent.cpu.user_ns + spent.cpu.system_ns
    user = server * spent.cpu.user_ns / split if split else None
    return PerRequest(
        server=server,
        server_user=user,
        server_system=None if user is None else max(0.0, server - user),
        client=client,
    )


def leak_share(spent: Tally, cores: int) -> float | None:
    """CPU used out of its turn, as a share of its server cores; None: it can't be seen."""
    if not spent.leak_wall_ns:
        return None
    return spent.leak_ns / (spent.leak_wall_ns * cores)


def memory(idle: Iterable[Memory | None], loaded: Iterable[Memory | None]) -> MemoryUse:
    """Means over boots."""
    return MemoryUse(idle=_mean_mib(idle), loaded=_mean_mib(loaded))


def _mean_mib(readings: Iterable[Memory | None]) -> float | None:
    known = [reading.pss_mib for reading in readings if reading is not None]
    return fmean(known) if known else None


def steal_share(blocks: Iterable[Block], cpus: frozenset[int]) -> float | None:
    """Share of the race's cores that the host took away, between the first and last block of
    each boot; None where it can't be known. No cpus: those of the whole machine."""
    first: dict[tuple[int, int], CoreTime] = {}
    last: dict[tuple[int, int], CoreTime] = {}
    for block in blocks:
        for core in block.cores:
            if not cpus or core.cpu in cpus:
                first.setdefault((block.boot, core.cpu), core)
                last[block.boot, core.cpu] = core
    stolen = sum(last[key].steal_s - first[key].steal_s for key in first)
    passed = sum(total_s(last[key]) - total_s(first[key]) for key in first)
    return max(0.0, stolen / passed) if passed > 0 else None
