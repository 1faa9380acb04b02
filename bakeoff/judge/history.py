"""The samples of a run by kind and by entry, the blocks that count, and each entry's sums.

Records come in file order and may stop anywhere.

Blocks in which the host took CPU time away are left out for that reason, never for their outcome.
The verdict has the figures with and without them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from math import log
from typing import Literal

from bakeoff.judge import loaders
from bakeoff.model.cut import Draw, SliceLengths, Warmup
from bakeoff.model.engine import BadExchange, RequestSlice, SliceEvent
from bakeoff.model.protocol import Agreed
from bakeoff.model.readings import CoreTime, CpuTime, Memory, TcpTrouble, stolen_share
from bakeoff.model.samples import (
    Block,
    BootEnd,
    BootEntry,
    BootStart,
    Costs,
    PlanChange,
    Record,
    SingleBlock,
    Slice,
)
from bakeoff.model.verdict import Errors, Handshakes

Place = tuple[int, int]
"""A block of a boot: its draw and its number."""
Rates = Mapping[str, Mapping[Place, float]]
"""Entry → block → ln throughput, over the short blocks of a boot."""

ERROR_GROUPS = {
    "connect_refused": "connect",
    "connect_timeout": "connect",
    "connect": "connect",
    "address_exhausted": "connect",
    "handshake": "connect",
    "certificate": "connect",
    "alpn": "connect",
    "reset": "read",
    "early_close": "read",
    "malformed": "read",
    "stream_reset": "read",
    "goaway": "read",
    "chain": "read",
    "write": "write",
    "timeout": "timeout",
    "status": "status",
    "mismatch": "mismatch",  # protocol 1 told no mismatches apart
    "mismatch_length": "mismatch",
    "mismatch_body": "mismatch",
    "mismatch_header": "mismatch",
}
WRONG_ANSWERS = tuple(k for k, group in ERROR_GROUPS.items() if group in ("status", "mismatch"))

STEAL_SHARE_MAX = 0.05
CALM_BLOCKS_MIN = 30
"""If fewer would remain, nothing is left out: then the whole race was disturbed."""
BOOT_BLOCKS_MIN = 10
"""A boot with fewer calm blocks is left out: too few to say how far it is from the others."""


@dataclass(frozen=True)
class Turn:
    """One slice of an entry, the length of its ramp, and how many threads loaded it."""

    slice_: Slice
    ramp_ms: int
    threads: int

    @property
    def span_ns(self) -> int:
        """Ramp, window and drain."""
        event = self.slice_.event
        return max(0, event.drained_ns - event.start_ns) + self.ramp_ms * 1_000_000

    @property
    def client_cpu_ns(self) -> int:
        """CPU time of the generator in the window, without the polling before it sleeps, which
        is no cost of a request."""
        event = self.slice_.event
        return min(event.cpu_ns, round(event.busy * event.window_ns * self.threads))


@dataclass(frozen=True)
class History:
    """The records by their kind, in file order."""

    starts: tuple[BootStart, ...]
    warmups: tuple[Warmup, ...]
    blocks: tuple[Block, ...]
    ends: tuple[BootEnd, ...]
    draws: tuple[Draw, ...] = ()
    changes: tuple[PlanChange, ...] = ()
    singles: tuple[SingleBlock, ...] = ()
    costs: tuple[Costs, ...] = ()

    @classmethod
    def of(cls, records: Sequence[Record]) -> "History":
        """Sorts the records by kind."""
        return cls(
            starts=tuple(record for record in records if isinstance(record, BootStart)),
            warmups=tuple(record for record in records if isinstance(record, Warmup)),
            blocks=tuple(record for record in records if isinstance(record, Block)),
            ends=tuple(record for record in records if isinstance(record, BootEnd)),
            draws=tuple(record for record in records if isinstance(record, Draw)),
            changes=tuple(record for record in records if isinstance(record, PlanChange)),
            singles=tuple(record for record in records if isinstance(record, SingleBlock)),
            costs=tuple(record for record in records if isinstance(record, Costs)),
        )

    @property
    def boots(self) -> tuple[int, ...]:
        """The boots in which at least one block was measured."""
        return tuple(sorted({block.boot for block in self.blocks}))

    def lengths(self, name: str) -> SliceLengths | None:
        """The planned lengths of its slices, the same in all boots."""
        return next(
            (warmup.lengths[name] for warmup in self.warmups if name in warmup.lengths), None
        )

    @cached_property
    def _slices(self) -> dict[str, list[tuple[Block, Slice]]]:
        """By entry. Looking through all blocks for each of thirty entries took seconds."""
        slices: dict[str, list[tuple[Block, Slice]]] = {}
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

    def slices(self, name: str) -> Sequence[tuple[Block, Slice]]:
        """Its slices, short and long, each with its block."""
        return self._slices.get(name, ())

    def events(
        self, name: str, boot: int | None = None, kind: str | None = None
    ) -> list[SliceEvent]:
        """What the engine reported of its slices, of one boot or one kind of block where given."""
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
        """Which of the entry's processes in that boot answered that draw; 0: its only one."""
        return self._processes.get((boot, draw), {}).get(name, 0)

    def started(self, name: str) -> list[BootEntry]:
        """The entry in each boot in which it was up."""
        return [each for start in self.starts for each in start.started if each.name == name]

    def agreed(self, name: str) -> list[Agreed]:
        """What the load generator's connections to it came to, in each boot that says so."""
        return [start.agreed[name] for start in self.starts if name in start.agreed]

    def out(self, name: str) -> dict[int, str]:
        """The boots it could not take part in, with the reasons."""
        return {start.boot: start.out[name] for start in self.starts if name in start.out}

    def died(self, name: str) -> list[str]:
        """How it died, in each boot in which it did."""
        return [end.died[name] for end in self.ends if name in end.died]

    def fewest_open(self, name: str) -> int | None:
        """The fewest connections that the generator could open to it in any boot."""
        opened = [
            start.connections_open[name] for start in self.starts if name in start.connections_open
        ]
        return min(opened, default=None)

    def processes(self, name: str) -> int:
        """How many of its processes answered in blocks; in runs of earlier versions, one a boot."""
        blocks = (block for block, _ in self.slices(name))
        return len({(each.boot, self.process(name, each.boot, each.draw)) for each in blocks})

    def loaded(self, name: str) -> list[Memory]:
        """Its memory after load, per boot."""
        return [end.loaded[name] for end in self.ends if name in end.loaded]

    @property
    def tcp(self) -> TcpTrouble | None:
        """TCP's counters, summed over the boots that ended; None if none were read."""
        given = [end.tcp for end in self.ends if end.tcp]
        return TcpTrouble.summed(given) if given else None

    def turns(self, name: str) -> list[Turn]:
        """Its slices, short and long."""
        lengths = self.lengths(name)
        ramp_ms = lengths.ramp_ms if lengths else 0
        threads = {start.boot: start.threads for start in self.starts}
        return [
            Turn(slice_, ramp_ms, loaders.threads(slice_, threads[block.boot]))
            for block, slice_ in self.slices(name)
        ]

    def lasting(self, name: str) -> list[SliceEvent]:
        """The slices its latency is taken from: the long ones, or all if it had no long one.

        A short slice cuts the tail: a request that waits long is served in the drain, when the
        load has stopped, sooner than it would have been. (A server of 37,000 requests/s
        with a p99 of 9 ms seemed to have 56 of 64 requests in flight in slices of 22 ms.)
        """
        return self.events(name, kind="long") or self.events(name)


def _at_work_ns(events: Sequence[SliceEvent]) -> tuple[float, ...]:
    """How long each of the generator's cores was at work in the windows of slices."""
    each = ([busy * event.window_ns for busy in event.busy_cores] for event in events)
    return tuple(map(sum, zip_longest(*each, fillvalue=0.0)))


@dataclass(frozen=True)
class Tally:
    """Sums over slices. Windows for throughput; `span` is ramp, window and drain, for CPU.

    `answered` is `requests` by the shares of their time in flight within a window.
    `client_cores_ns` is the time in which each of the generator's cores was at work.
    `span_ns`, `cpu` and `cpu_requests` cover the slices in which the server's CPU could be seen.
    `handshakes_us` is the time of all handshakes. `upstream_ns` is the CPU time of whom it asked,
    over `upstream_span_ns`.
    """

    slices: int
    silent: int
    requests: int
    answered: float
    attempts: int
    window_ns: int
    client_cores_ns: tuple[float, ...]
    client_cpu_ns: int
    span_ns: int
    cpu: CpuTime | None
    cpu_requests: int
    connects: int
    idle_closed: int
    handshakes: int
    handshakes_us: float
    resumed: int
    error_kinds: Mapping[str, int]
    first_bad: BadExchange | None
    leak_ns: int
    leak_wall_ns: int
    upstream_ns: int
    upstream_span_ns: int

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> "Tally":
        """Adds up the slices of one entry."""
        given = list(turns)
        events = [turn.slice_.event for turn in given]
        cpu = [turn.slice_.server_cpu for turn in given if turn.slice_.server_cpu]
        cpu_turns = [turn for turn in given if turn.slice_.server_cpu]
        upstream = [turn.slice_.upstream_cpu for turn in given if turn.slice_.upstream_cpu]
        leaks = [
            (turn.slice_.leak_ns, turn.slice_.leak_wall_ns)
            for turn in given
            if turn.slice_.leak_ns is not None and turn.slice_.leak_wall_ns
        ]
        errors: Counter[str] = Counter()
        for event in events:
            errors.update(event.errors)
        requests_all = sum(event.requests_all for event in events)
        answered_wrongly = sum(errors[kind] for kind in WRONG_ANSWERS)
        return cls(
            slices=len(events),
            silent=sum(event.requests == 0 for event in events),
            requests=sum(event.requests for event in events),
            answered=sum(event.answered for event in events),
            attempts=requests_all + sum(errors.values()) - answered_wrongly,
            window_ns=sum(event.window_ns for event in events),
            client_cores_ns=_at_work_ns(events),
            client_cpu_ns=sum(turn.client_cpu_ns for turn in given),
            span_ns=sum(turn.span_ns for turn in cpu_turns),
            cpu=CpuTime.summed(cpu) if cpu else None,
            cpu_requests=sum(turn.slice_.event.requests_all for turn in cpu_turns),
            connects=sum(event.connects for event in events),
            idle_closed=sum(event.idle_closed for event in events),
            handshakes=sum(event.handshakes for event in events),
            handshakes_us=sum(
                event.handshakes * (event.handshake_mean_us or 0.0) for event in events
            ),
            resumed=sum(event.resumed for event in events),
            error_kinds={kind: errors[kind] for kind in sorted(errors)},
            first_bad=next((event.first_bad for event in events if event.first_bad), None),
            leak_ns=sum(leak_ns for leak_ns, _ in leaks),
            leak_wall_ns=sum(wall_ns for _, wall_ns in leaks),
            upstream_ns=sum(each.total_ns for each in upstream),
            upstream_span_ns=sum(turn.span_ns for turn in given if turn.slice_.upstream_cpu),
        )

    @property
    def measured_s(self) -> float:
        """Length of all windows."""
        return self.window_ns * 1e-9

    @property
    def requests_per_s(self) -> float:
        """Throughput over all windows."""
        return self.answered / self.measured_s if self.window_ns else 0.0

    @property
    def client_cores(self) -> tuple[float, ...]:
        """Share of the windows in which each of the generator's cores was at work."""
        return tuple(ns / self.window_ns for ns in self.client_cores_ns if self.window_ns)

    @property
    def client_busy(self) -> float:
        """That of the busiest: one that is full is a limit, whatever the others do."""
        return max(self.client_cores, default=0.0)

    @property
    def upstream_busy(self) -> float | None:
        """Share of the time in which the upstream's one thread was at work; None: there is none."""
        return self.upstream_ns / self.upstream_span_ns if self.upstream_span_ns else None

    @property
    def of_tls(self) -> Handshakes | None:
        """Its handshakes while it was loaded; None: there were none."""
        if not self.handshakes:
            return None
        mean_us = self.handshakes_us / self.handshakes
        return Handshakes(n=self.handshakes, resumed=self.resumed, mean_us=mean_us)

    @property
    def wrong_answers(self) -> int:
        """Answers of the wrong status, body or header."""
        return sum(self.error_kinds.get(kind, 0) for kind in WRONG_ANSWERS)

    @property
    def unanswered(self) -> int:
        """Requests that were never answered."""
        return sum(self.error_kinds.values()) - self.wrong_answers

    @property
    def errors(self) -> Errors:
        """By where they happened."""
        grouped: Counter[str] = Counter()
        for kind, count in self.error_kinds.items():
            grouped[ERROR_GROUPS.get(kind, "read")] += count
        return Errors(**grouped)

    def server_busy(self, cores: int) -> float | None:
        """Share of `cores` that the server used while it was loaded; None: it can't be seen."""
        if self.cpu is None or not self.span_ns:
            return None
        return self.cpu.total_ns / (self.span_ns * cores)


def wrong_answers(event: SliceEvent | RequestSlice) -> int:
    """Answers that were not right, over ramp, window and drain."""
    return sum(event.errors.get(kind, 0) for kind in WRONG_ANSWERS)


def calm(blocks: Sequence[Block], cpus: frozenset[int]) -> tuple[Block, ...]:
    """The blocks in which the host took at most 5 % of the time of `cpus` (steal), and in which
    all load generators loaded together.

    A boot's first block stays: nothing was read before it. The clock ticks every 10 ms, so in a
    short block a single tick is over the limit: that costs blocks and favours no entry.
    """
    kept = []
    before: Block | None = None
    spoiled = loaders.spoiled(blocks)
    for place, block in enumerate(blocks):
        known = before is not None and before.boot == block.boot
        stolen = stolen_share(before.cores, block.cores, cpus) if known and before else None
        if (stolen or 0.0) <= STEAL_SHARE_MAX and place not in spoiled:
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
