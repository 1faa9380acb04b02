"""The samples of a run, by kind and by entry, and which blocks and slices count.

Records come in file order and may stop anywhere. Blocks in which the host took CPU time away are
left out for that reason, never for their outcome. So are slices in which other processes had the
cores, or in which the host had moved the cores of servers and generator closer together or farther
apart than in most. The verdict has the figures with and without them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log
from statistics import fmean
from typing import Literal

import numpy as np

from bakeoff.judge import loaders
from bakeoff.judge.tally import Turn
from bakeoff.model import samples
from bakeoff.model.cut import Draw, SliceLengths, Warmup
from bakeoff.model.engine import SliceEvent
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan
from bakeoff.model.protocol import WITH_STREAMS, Agreed
from bakeoff.model.readings import CoreTime, Memory, TcpTrouble, stolen_share

Place = tuple[int, int]
"""A block of a boot: its draw and its number."""
Rates = Mapping[str, Mapping[Place, float]]
"""Entry → block → ln throughput, over the short blocks of a boot."""


@dataclass(frozen=True)
class History:
    """The records by their kind, in file order. `any_time`: their end may have depended on their
    content, so intervals must hold whenever that is."""

    starts: tuple[samples.BootStart, ...]
    warmups: tuple[Warmup, ...]
    blocks: tuple[samples.Block, ...]
    ends: tuple[samples.BootEnd, ...]
    draws: tuple[Draw, ...] = ()
    changes: tuple[samples.PlanChange, ...] = ()
    singles: tuple[samples.SingleBlock, ...] = ()
    costs: tuple[samples.Costs, ...] = ()
    any_time: bool = False

    @classmethod
    def of(cls, records: Sequence[samples.Record]) -> "History":
        return cls(
            starts=tuple(record for record in records if isinstance(record, samples.BootStart)),
            warmups=tuple(record for record in records if isinstance(record, Warmup)),
            blocks=tuple(record for record in records if isinstance(record, samples.Block)),
            ends=tuple(record for record in records if isinstance(record, samples.BootEnd)),
            draws=tuple(record for record in records if isinstance(record, Draw)),
            changes=tuple(record for record in records if isinstance(record, samples.PlanChange)),
            singles=tuple(record for record in records if isinstance(record, samples.SingleBlock)),
            costs=tuple(record for record in records if isinstance(record, samples.Costs)),
        )

    @property
    def boots(self) -> tuple[int, ...]:
        return tuple(sorted({block.boot for block in self.blocks}))

    def lengths(self, name: str) -> SliceLengths | None:
        """The planned lengths of its slices, the same in all boots."""
        return next(
            (warmup.lengths[name] for warmup in self.warmups if name in warmup.lengths), None
        )

    @cached_property
    def _slices(self) -> dict[str, list[tuple[samples.Block, samples.Slice]]]:
        """By entry: a search through all blocks for each of thirty entries took seconds."""
        slices: dict[str, list[tuple[samples.Block, samples.Slice]]] = {}
        for block in self.blocks:
            for slice_ in block.slices:
                slices.setdefault(slice_.entry, []).append((block, slice_))
        return slices

    @cached_property
    def ln_rates(self) -> Mapping[int, Rates]:
        """Boot → entry → block → ln throughput, over the short blocks."""
        found: dict[int, dict[str, dict[Place, float]]] = {boot: {} for boot in self.boots}
        for block in self.blocks:
            for slice_ in block.slices if block.kind == "short" else ():
                if slice_.event.requests_per_s:
                    of_entry = found[block.boot].setdefault(slice_.entry, {})
                    of_entry[block.draw, block.block] = log(slice_.event.requests_per_s)
        return found

    def slices(self, name: str) -> Sequence[tuple[samples.Block, samples.Slice]]:
        return self._slices.get(name, ())

    def events(
        self, name: str, boot: int | None = None, kind: str | None = None
    ) -> list[SliceEvent]:
        """What the engine reported of its slices, of one boot or one kind of block if given."""
        return [
            slice_.event
            for block, slice_ in self.slices(name)
            if boot in (None, block.boot) and kind in (None, block.kind)
        ]

    def blocks_of(self, *names: str, kind: str) -> int:
        """The number of blocks of one kind in which all of `names`, at least one, had a slice."""
        theirs = (
            {(block.boot, block.block) for block, _ in self.slices(name) if block.kind == kind}
            for name in names
        )
        return len(set.intersection(*theirs))

    @cached_property
    def _processes(self) -> dict[tuple[int, int], dict[str, int]]:
        return {(draw.boot, draw.draw): draw.processes for draw in self.draws}

    def process(self, name: str, boot: int, draw: int) -> int:
        """Which of the entry's processes in that boot answered in that draw; 0: its only one."""
        return self._processes.get((boot, draw), {}).get(name, 0)

    def started(self, name: str) -> list[samples.BootEntry]:
        return [entry for start in self.starts for entry in start.started if entry.name == name]

    def agreed(self, name: str) -> list[Agreed]:
        return [start.agreed[name] for start in self.starts if name in start.agreed]

    def out(self, name: str) -> dict[int, str]:
        return {start.boot: start.out[name] for start in self.starts if name in start.out}

    def died(self, name: str) -> list[str]:
        return [end.died[name] for end in self.ends if name in end.died]

    def fewest_open(self, name: str) -> int | None:
        """The fewest connections that the generator could open to it in any boot."""
        opened = [
            start.connections_open[name] for start in self.starts if name in start.connections_open
        ]
        return min(opened, default=None)

    def processes(self, name: str) -> int:
        """How many of its processes answered in blocks; in runs of earlier versions, one in each
        boot."""
        blocks = (block for block, _ in self.slices(name))
        return len({(each.boot, self.process(name, each.boot, each.draw)) for each in blocks})

    def loaded(self, name: str) -> list[Memory]:
        return [end.loaded[name] for end in self.ends if name in end.loaded]

    def kib_per_connection(self, name: str) -> float | None:
        """The memory that each of its connections takes at rest, the mean over boots."""
        weighed = [
            (entry.holding.pss_mib - entry.idle.pss_mib)
            * 1024
            / (start.connections_open[name] + start.held_open.get(name, 0))
            for start in self.starts
            for entry in start.started
            if entry.name == name
            and entry.holding
            and entry.idle
            and start.connections_open.get(name)
        ]
        return fmean(weighed) if weighed else None

    def places(self, plan: Plan, name: str) -> int:
        """How many requests to an entry can be under way at a time, over all connections.

        A connection whose server admits fewer streams than were requested is full with those.
        """
        places = plan.places_of(name)
        if plan.protocol_of(name) not in WITH_STREAMS:
            return places
        limits = [agreed.max_concurrent_streams for agreed in self.agreed(name)]
        return min([places, *(plan.connections * limit for limit in limits if limit)])

    @property
    def tcp(self) -> TcpTrouble | None:
        """TCP's counters, summed over the boots that ended; None if none were read."""
        given = [end.tcp for end in self.ends if end.tcp]
        return TcpTrouble.summed(given) if given else None

    def turns(self, name: str) -> list[Turn]:
        lengths = self.lengths(name)
        ramp_ms = lengths.ramp_ms if lengths else 0
        threads = {start.boot: start.threads for start in self.starts}
        return [
            # With several load generators, those that took part.
            Turn(
                slice_,
                ramp_ms,
                sum(share.threads for share in slice_.loaders) or threads[block.boot],
            )
            for block, slice_ in self.slices(name)
        ]

    def lasting(self, name: str) -> list[SliceEvent]:
        """The slices its latency is taken from: the long ones, or all if it had no long one.

        A short slice cuts the tail: a request that waits long is served in the drain, after the
        load has stopped, and so sooner. (A server of 37,000 requests/s with a p99 of 9 ms seemed to
        have 56 of 64 requests in flight in slices of 22 ms.)
        """
        return self.events(name, kind="long") or self.events(name)


STEAL_SHARE_MAX = 0.05
DELAY_SHARE_MAX = 0.05
"""The share of a window in which the generator was ready to run while others had its cores."""
OTHERS_SHARE_MAX = 0.2
"""The share of a slice in which others had the servers' cores."""
TRIPS_ALIKE = 2.0
"""Two distances of cores are one where a trip takes at most so many times as long as the other."""
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


def unseen(history: "History", plan: Plan) -> Finding | None:
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
    if not trip_ns or not other_ns:
        return True
    return 1 / TRIPS_ALIKE <= trip_ns / other_ns <= TRIPS_ALIKE


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


def judged_kind(blocks: Sequence[samples.Block]) -> Literal["short", "long"]:
    """The kind of slices from which ratios are taken: the short ones, if there are any."""
    return "short" if any(block.kind == "short" for block in blocks) else "long"


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
