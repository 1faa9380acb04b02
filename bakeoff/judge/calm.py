"""The blocks and slices that count.

Blocks in which the host took CPU time away are left out for that reason, never for their outcome,
and so are slices in which other processes had the cores. The verdict has the figures with and
without them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from bakeoff.judge import loaders
from bakeoff.model.finding import Finding
from bakeoff.model.readings import CoreTime, stolen_share
from bakeoff.model.samples import Block, Slice

STEAL_SHARE_MAX = 0.05
DELAY_SHARE_MAX = 0.05
"""Of a window, in which the generator was ready to run and others had its cores."""
OTHERS_SHARE_MAX = 0.2
"""Of a slice, in which others had the servers' cores."""
CALM_BLOCKS_MIN = 30
"""If fewer would remain, nothing is left out, and a finding says so."""
BOOT_BLOCKS_MIN = 10
"""A boot with fewer calm blocks is left out: too few to say how far it is from the others."""


def calm(
    blocks: Sequence[Block], cpus: frozenset[int], *, in_company: bool = False
) -> tuple[Block, ...]:
    """The blocks in which the host took at most 5 % of the time of `cpus` (steal), and in which
    all load generators loaded together, without the slices in which other processes had the cores.
    These stay where slices may be `in_company`: a request's CPU time is the same beside others.

    A block stays where two of its slices do (of one, that one). A boot's first block has no steal:
    nothing was read before it. The clock ticks every 10 ms, so in a short block a single tick is
    over the limit: that costs blocks and favours no entry. A block of which nothing is left out is
    the same object.
    """
    gone = disturbed(blocks, cpus)
    left = [
        block if in_company else _alone(block)
        for place, block in enumerate(blocks)
        if place not in gone
    ]
    kept = [block for block in left if block is not None]
    kind = judged_kind(blocks)
    judged = Counter(block.boot for block in kept if block.kind == kind)
    kept = [block for block in kept if judged[block.boot] >= BOOT_BLOCKS_MIN]
    enough = sum(block.kind == kind for block in kept) >= CALM_BLOCKS_MIN
    return tuple(kept) if enough else tuple(blocks)


def disturbed(blocks: Sequence[Block], cpus: frozenset[int]) -> frozenset[int]:
    """The places of the blocks that were disturbed as a whole, whether they are left out or not."""
    stolen = {
        place
        for place, (before, block) in enumerate(pairwise(blocks), start=1)
        if before.boot == block.boot
        and (stolen_share(before.cores, block.cores, cpus) or 0.0) > STEAL_SHARE_MAX
    }
    return frozenset(stolen | loaders.spoiled(blocks))


def had_company(of: Slice) -> bool | None:
    """Whether other processes had too much of a slice's cores; None: it can't be seen of any."""
    event = of.event
    waited, others = event.delayed_ns, of.others_share
    if waited is None and others is None:
        return None
    delayed = (waited or 0) > DELAY_SHARE_MAX * event.window_ns * len(event.busy_cores)
    return delayed or (others or 0.0) > OTHERS_SHARE_MAX


def _alone(block: Block) -> Block | None:
    """The block without the slices that had company; None: too few of them would remain."""
    slices = tuple(each for each in block.slices if not had_company(each))
    if len(slices) == len(block.slices):
        return block
    return block.model_copy(update={"slices": slices}) if len(slices) > 1 else None


def left_out(blocks: Sequence[Block], kept: Sequence[Block]) -> int:
    """Of how many blocks some slices or all are not `kept`."""
    whole = {id(block) for block in kept}
    return sum(id(block) not in whole for block in blocks)


def kept_disturbed(
    blocks: Sequence[Block], kept: Sequence[Block], cpus: frozenset[int]
) -> Iterator[Finding]:
    """Where nothing could be left out of what is `calm`."""
    if left_out(blocks, kept):
        return
    gone = disturbed(blocks, cpus)
    n = sum(place in gone or _alone(block) is not block for place, block in enumerate(blocks))
    if n:
        yield Finding.of(
            "blocks_kept",
            n=n,
            blocks=len(blocks),
            limit_share=STEAL_SHARE_MAX,
            least=CALM_BLOCKS_MIN,
        )


def judged_kind(blocks: Sequence[Block]) -> Literal["short", "long"]:
    """The kind of slices that ratios are taken from: the short ones, where there are any."""
    return "short" if any(block.kind == "short" for block in blocks) else "long"


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
    passed = sum(last[key].total_s - first[key].total_s for key in first)
    return max(0.0, stolen / passed) if passed > 0 else None
