"""From the records of a run to the points of its pictures. Plain data, no drawing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from bakeoff.model.readings import CoreTime
from bakeoff.model.samples import Block, Record

MAX_DOTS = 1500
CORE_BINS = 160
MIN_BIN_S = 0.5
PARTS = ("user", "system", "softirq", "steal")


@dataclass(frozen=True)
class Dot:
    """One slice of one entry. `place` numbers the run's blocks from 1, over all boots."""

    entry: str
    boot: int
    place: int
    kind: Literal["short", "long"]
    requests_per_s: float
    ratio: float | None


@dataclass(frozen=True)
class CoreShare:
    """One part of a processor's time in a bin, stacked from `low` to `high`, shares of 1."""

    cpu: int
    start_s: float
    end_s: float
    part: str
    low: float
    high: float


def blocks_of(records: Iterable[Record]) -> list[Block]:
    return [record for record in records if isinstance(record, Block)]


def dots(blocks: Sequence[Block], reference: str) -> list[Dot]:
    """Every slice with its throughput, and its ratio to the reference's slice of the same block."""
    return [
        dot for place, block in enumerate(blocks, start=1) for dot in _dots(block, place, reference)
    ]


def _dots(block: Block, place: int, reference: str) -> Iterator[Dot]:
    rates = {slice_.entry: slice_.event.requests_per_s for slice_ in block.slices}
    base = rates.get(reference, 0.0)
    for name, requests_per_s in rates.items():
        ratio = requests_per_s / base if base > 0 and requests_per_s > 0 else None
        yield Dot(name, block.boot, place, block.kind, requests_per_s, ratio)


def thinned(blocks: Sequence[Block], per_block: int) -> tuple[list[Block], int]:
    """Every k-th short and every k-th long block, so that there are at most MAX_DOTS; and k.

    The kinds are thinned separately: long blocks come at regular places, and one stride over all
    could take only long blocks, or none of them.
    """
    stride = max(1, -(-len(blocks) * per_block // MAX_DOTS))
    kept = [
        block
        for kind in ("short", "long")
        for block in [one for one in blocks if one.kind == kind][::stride]
    ]
    return sorted(kept, key=lambda block: (block.boot, block.block)), stride


def core_shares(blocks: Sequence[Block], cpus: Sequence[int]) -> list[CoreShare]:
    """Use of each processor over time since the first block, in bins of at least MIN_BIN_S."""
    if not blocks:
        return []
    begin_ns, end_ns = blocks[0].at_ns, blocks[-1].at_ns
    bin_ns = max(MIN_BIN_S * 1e9, (end_ns - begin_ns) / CORE_BINS)
    return [
        share
        for before, after in _bins(blocks, bin_ns)
        for cpu in cpus
        for share in _shares(before, after, cpu, begin_ns)
    ]


def _bins(blocks: Sequence[Block], bin_ns: float) -> Iterator[tuple[Block, Block]]:
    for boot in sorted({block.boot for block in blocks}):
        edges: list[Block] = []
        for block in (one for one in blocks if one.boot == boot):
            if not edges or block.at_ns - edges[-1].at_ns >= bin_ns:
                edges.append(block)
        yield from pairwise(edges)


def _shares(before: Block, after: Block, cpu: int, begin_ns: int) -> Iterator[CoreShare]:
    spent = _spent(before.cores, after.cores, cpu)
    total = sum(spent.values())
    if total <= 0:
        return
    start_s, end_s = (before.at_ns - begin_ns) / 1e9, (after.at_ns - begin_ns) / 1e9
    low = 0.0
    for part in PARTS:
        high = low + spent[part] / total
        yield CoreShare(cpu, start_s, end_s, part, low, high)
        low = high


def _spent(before: Sequence[CoreTime], after: Sequence[CoreTime], cpu: int) -> dict[str, float]:
    earlier = next((core for core in before if core.cpu == cpu), None)
    later = next((core for core in after if core.cpu == cpu), None)
    if earlier is None or later is None:
        return {}
    return {
        part: max(0.0, getattr(later, f"{part}_s") - getattr(earlier, f"{part}_s"))
        for part in (*PARTS, "idle")
    }
