"""Which blocks and slices of a run count.

Blocks in which the host took CPU time away are left out for that reason, never for their outcome.
So are slices in which other processes had the cores, or in which the host had moved the cores of
servers and generator closer together or farther apart than in most. The verdict has the figures
with and without them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from bakeoff.judge import loaders
from bakeoff.judge.history import History, judged_kind
from bakeoff.model import samples
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan
from bakeoff.model.readings import CoreTime, stolen_share

STEAL_SHARE_MAX = 0.05
DELAY_SHARE_MAX = 0.05
"""The share of a window in which the generator was ready to run while others had its cores."""
OTHERS_SHARE_MAX = 0.2
"""The share of a slice in which others had the servers' cores."""
TRIPS_ALIKE = 2.0
"""Two distances of cores are one where a trip takes at most so many times as long as the other."""
WORK_ALIKE = 1.1
"""Two speeds of a core are one where the fixed work takes at most so many times as long."""
CALM_BLOCKS_MIN = 30
"""If fewer would remain, nothing is left out, and a finding says so."""
BOOT_BLOCKS_MIN = 10
"""A boot with fewer calm blocks is left out: its distance from the others is hardly known."""


def calm(
    blocks: Sequence[samples.Block], cpus: frozenset[int], *, in_company: bool = False
) -> tuple[samples.Block, ...]:
    """The blocks in which the host took at most 5 % of the time of `cpus` (steal), and in which all
    load generators loaded together, without the slices at another distance of the cores than most,
    and those in which other processes had the cores. The latter stay where slices may be
    `in_company`: a request's CPU time is the same beside others.

    A block stays if two of its slices do (or its only one). A boot's first block has no steal:
    nothing was read before it. The clock ticks every 10 ms, so in a short block a single tick is
    over the limit: that costs blocks and favours no entry. A block that stays whole is the same
    object.
    """
    gone = disturbed(blocks, cpus)
    left = _undisturbed(blocks, in_company)
    left = [block for place, block in enumerate(left) if place not in gone]
    kept = [block for block in left if block is not None]
    kind = judged_kind(blocks)
    judged = Counter(block.boot for block in kept if block.kind == kind)
    kept = [block for block in kept if judged[block.boot] >= BOOT_BLOCKS_MIN]
    enough = sum(block.kind == kind for block in kept) >= CALM_BLOCKS_MIN
    return tuple(kept) if enough else tuple(blocks)


def disturbed(blocks: Sequence[samples.Block], cpus: frozenset[int]) -> frozenset[int]:
    """The places of the blocks that were disturbed as a whole, whether or not they are left out."""
    stolen = {
        place
        for place, (before, block) in enumerate(pairwise(blocks), start=1)
        if before.boot == block.boot
        and (stolen_share(before.cores, block.cores, cpus) or 0.0) > STEAL_SHARE_MAX
    }
    return frozenset(stolen | loaders.spoiled(blocks))


def unseen(history: History, plan: Plan) -> Finding | None:
    """Whose cores no slice shows to have had company; None: all are seen, or the servers' aren't
    and their ticks, which are too coarse for a slice, show that others hardly had them."""
    slices = [slice_ for block in history.blocks for slice_ in block.slices]
    generator = all(slice_.event.delayed_ns is None for slice_ in slices)
    servers = all(slice_.others_share is None for slice_ in slices)
    share = _others_share(history.blocks, plan) if servers else None
    telling = share is not None and share > OTHERS_SHARE_MAX
    whose = {"servers": servers and (generator or telling), "generator": generator}
    if not any(whose.values()):
        return None
    names = [name for name, each in whose.items() if each]
    return Finding.of("state_unseen", unseen=names, share=share if telling else None)


def _others_share(blocks: Sequence[samples.Block], plan: Plan) -> float | None:
    """The share of the servers' cores' time that processes other than contenders had, over all
    draws; None: it can't be known."""
    if plan.cores.apart or plan.cores.shared or plan.solo:
        return None
    others_s = passed_s = 0.0
    for before, block in pairwise(blocks):
        if (before.boot, before.draw) != (block.boot, block.draw):
            continue
        earlier = {core.cpu: core for core in before.cores if core.cpu in plan.cores.server}
        for core in block.cores:
            if then := earlier.get(core.cpu):
                others_s += core.user_s + core.system_s - then.user_s - then.system_s
                passed_s += core.total_s - then.total_s
        for slice_ in block.slices:
            if slice_.server_cpu is None:
                return None
            own_ns = slice_.server_cpu.total_ns + (slice_.leak_ns or 0)
            others_s -= (own_ns + (slice_.event.fixed_work_ns or 0)) / 1e9
    return others_s / passed_s if passed_s > 0 else None


def had_company(of: samples.Slice) -> bool | None:
    """Whether other processes had too much of a slice's cores; None: that can't be seen.

    What the race itself runs beside the generator (a path, an upstream) works for its requests, and
    a part of that work is in the window.
    """
    event = of.event
    waited, others = event.delayed_ns, of.others_share
    if waited is None and others is None:
        return None
    beside_ns = of.beside_ns * min(1.0, event.answered / max(1, event.requests_all))
    limit_ns = DELAY_SHARE_MAX * event.window_ns * len(event.busy_cores) + beside_ns
    return (waited or 0) > limit_ns or (others or 0.0) > OTHERS_SHARE_MAX


def usual_trip_ns(blocks: Iterable[samples.Block]) -> float | None:
    """How long a line of the cache takes from the generator's core to the servers' and back, at the
    distance that most slices had; None: none was timed.

    A hypervisor moves the cores of a virtual machine. All data between generator and server goes
    the same way, so each request takes longer while they are apart: the less a server does for a
    request, the larger is the part that this adds.
    """
    slices = (slice_ for block in blocks for slice_ in block.slices)
    trips = np.sort([each.event.core_trip_ns or 0 for each in slices])
    trips = trips[trips > 0]
    if not len(trips):
        return None
    lows = np.searchsorted(trips, trips / TRIPS_ALIKE)
    highs = np.searchsorted(trips, trips * TRIPS_ALIKE, side="right")
    most = int(np.argmax(highs - lows))
    return float(np.median(trips[lows[most] : highs[most]]))


def one_distance(trip_ns: float | None, other_ns: float | None) -> bool:
    """Whether the cores were as far apart both times; an unknown distance is as any other."""
    return _alike(trip_ns, other_ns, TRIPS_ALIKE)


def one_speed(work_us: float | None, other_us: float | None) -> bool:
    """Whether the servers' core was as fast both times; an unknown speed is as any other."""
    return _alike(work_us, other_us, WORK_ALIKE)


def _alike(one: float | None, other: float | None, times: float) -> bool:
    return not one or not other or 1 / times <= one / other <= times


def cores_moved(blocks: Sequence[samples.Block]) -> Iterator[Finding]:
    """The blocks in which the cores were at another distance, and how far apart they were."""
    usual_ns = usual_trip_ns(blocks)
    moved = [
        [each for each in block.slices if not one_distance(each.event.core_trip_ns, usual_ns)]
        for block in blocks
    ]
    trips = [each.event.core_trip_ns or 0 for slices in moved for each in slices]
    if usual_ns and trips:
        yield Finding.of(
            "cores_moved",
            n=sum(map(bool, moved)),
            blocks=len(blocks),
            usual_trip_ns=usual_ns,
            trip_ns=float(np.median(trips)),
        )


def _undisturbed(
    blocks: Sequence[samples.Block], in_company: bool = False
) -> list[samples.Block | None]:
    """The blocks without their disturbed slices; None: too few of them would remain."""
    usual_ns = usual_trip_ns(blocks)

    def without(block: samples.Block) -> samples.Block | None:
        slices = tuple(
            each
            for each in block.slices
            if one_distance(each.event.core_trip_ns, usual_ns)
            and (in_company or not had_company(each))
        )
        if len(slices) == len(block.slices):
            return block
        return block.model_copy(update={"slices": slices}) if len(slices) > 1 else None

    return list(map(without, blocks))


def left_out(blocks: Sequence[samples.Block], kept: Sequence[samples.Block]) -> int:
    whole = {id(block) for block in kept}
    return sum(id(block) not in whole for block in blocks)


def kept_disturbed(
    blocks: Sequence[samples.Block], kept: Sequence[samples.Block], cpus: frozenset[int]
) -> Iterator[Finding]:
    """Where the blocks that should be left out of the `calm` ones could not be."""
    if left_out(blocks, kept):
        return
    gone = disturbed(blocks, cpus)
    left = _undisturbed(blocks)
    n = sum(place in gone or left[place] is not block for place, block in enumerate(blocks))
    if n:
        yield Finding.of(
            "blocks_kept",
            n=n,
            blocks=len(blocks),
            limit_share=STEAL_SHARE_MAX,
            least=CALM_BLOCKS_MIN,
        )


def steal_share(blocks: Iterable[samples.Block], cpus: frozenset[int]) -> float | None:
    """The share of the race's cores that the host took away, between the first and last block of
    each boot; None: it can't be known. Without cpus, the share of the whole machine."""
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
