"""Blocks in which the host took the machine away: left out by what it did, never by their outcome.

The rule is fixed beforehand, and the verdict keeps both analyses.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from bakeoff.model.samples import Block, CoreTime

STEAL_SHARE_MAX = 0.05
CALM_BLOCKS_MIN = 30
"""Where fewer would remain nothing is left out: the whole race was disturbed, and is said to be."""
BOOT_BLOCKS_MIN = 10
"""A boot with fewer calm blocks goes as a whole: so few can't say how far it is from the others."""


def calm(blocks: Sequence[Block], cpus: frozenset[int]) -> tuple[Block, ...]:
    """The blocks in which the host took at most 5 % of the time of `cpus` (steal).

    A boot's first block stays: nothing was read before it. The clock ticks every 10 ms, so in a
    short block a single tick is over the limit: that costs blocks, and favours nobody.
    """
    kept = []
    before: Block | None = None
    for block in blocks:
        known = before is not None and before.boot == block.boot
        if not known or before is None or _stolen(before, block, cpus) <= STEAL_SHARE_MAX:
            kept.append(block)
        before = block
    kind = judged_kind(blocks)
    judged = Counter(block.boot for block in kept if block.kind == kind)
    kept = [block for block in kept if judged[block.boot] >= BOOT_BLOCKS_MIN]
    enough = sum(block.kind == kind for block in kept) >= CALM_BLOCKS_MIN
    return tuple(kept) if enough else tuple(blocks)


def judged_kind(blocks: Sequence[Block]) -> Literal["short", "long"]:
    """The kind of slices that ratios are taken from: the short ones, where there are any."""
    return "short" if any(block.kind == "short" for block in blocks) else "long"


def _stolen(before: Block, block: Block, cpus: frozenset[int]) -> float:
    """Share of the time of `cpus` between the ends of two blocks that the host took."""
    began = {core.cpu: core for core in before.cores if core.cpu in cpus}
    ended = {core.cpu: core for core in block.cores if core.cpu in began}
    stolen_s = sum(core.steal_s - began[cpu].steal_s for cpu, core in ended.items())
    passed_s = sum(total_s(core) - total_s(began[cpu]) for cpu, core in ended.items())
    return stolen_s / passed_s if passed_s > 0 else 0.0


def total_s(core: CoreTime) -> float:
    """All time that a core has accounted for."""
    return core.user_s + core.system_s + core.softirq_s + core.steal_s + core.idle_s
