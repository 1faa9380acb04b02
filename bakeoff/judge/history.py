"""The samples of a run, by kind and by entry. Records come in file order and may stop anywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from statistics import fmean
from typing import Literal

from bakeoff.judge.state import Core
from bakeoff.judge.tally import Turn
from bakeoff.model import samples
from bakeoff.model.cut import Draw, SliceLengths, Warmup
from bakeoff.model.engine import SliceEvent
from bakeoff.model.plan import Plan
from bakeoff.model.protocol import WITH_STREAMS, Agreed
from bakeoff.model.readings import Memory, TcpTrouble

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
    def core(self) -> Core:
        """How fast the servers' core was, over the judged slices."""
        kind = judged_kind(self.blocks)
        return Core.of(block for block in self.blocks if block.kind == kind)

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


def judged_kind(blocks: Sequence[samples.Block]) -> Literal["short", "long"]:
    """The kind of slices from which ratios are taken: the short ones, if there are any."""
    return "short" if any(block.kind == "short" for block in blocks) else "long"
