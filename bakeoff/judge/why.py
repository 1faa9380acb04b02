"""Where the difference between two contenders comes from, in lines that add up to it.

The difference is that of CPU time per request in plain blocks. A sample of a stack stands for its
share of the CPU time of its slice, and has one line: the function at work or, in the kernel, the
purpose of the work. Sampling makes requests cost more, most of all those that wait most often. So
each contender's own factor is taken out, and the work of the profiler itself is on no line. Plain
and sampled blocks then agree on the whole; a rest that remains if some blocks are missing is
unexplained.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import get_args

import numpy as np

from bakeoff.judge.causes import OTHERS, cause_of
from bakeoff.judge.fairness import unequal, works_of
from bakeoff.judge.held_up import HeldUp, Peak, held_up
from bakeoff.judge.quantiles import intervals
from bakeoff.judge.spread import Floats
from bakeoff.judge.stacks import Key, key_of, package_of, unseen
from bakeoff.model.audit import Work
from bakeoff.model.errors import NoVerdict
from bakeoff.model.machine import Machine
from bakeoff.model.samples import Block, Record, Slice, WhyBlock, WhyCounts, WhyEnd, WhyStacks
from bakeoff.model.why import (
    COUNTERS,
    Layer,
    Part,
    Wait,
    Why,
    WhyCount,
    WhyLine,
    WhyPair,
    WhyPlan,
    WhyWait,
)
from bakeoff.model.workload import Unit

LINES_MAX = 15
"""The number of functions that have a line of their own, and of the kernel's lines."""
SHARE_MIN = 0.01
"""The least share of a line of its own, of the CPU time of the costlier of the two."""
PACKAGE_SHARE_MIN = 0.02
"""The same for the functions of a package that have no line of their own, added up."""
WAIT_SHARE_MIN = 0.005
"""The least share of a line of its own, of threads' time."""
_USER: tuple[Part, ...] = ("user", "package", "function")
_KERNEL: tuple[Part, ...] = ("kernel", "call", "work")
"""A sum, and the kinds of its lines."""


@dataclass
class Seen:
    """The records of one contender, by block."""

    plain: dict[int, Slice] = field(default_factory=dict)
    sampled: dict[int, Slice] = field(default_factory=dict)
    met: dict[int, Mapping[str, float]] = field(default_factory=dict)
    stacks: dict[int, dict[Key | None, int]] = field(default_factory=dict)
    counts: dict[Layer, Mapping[str, float]] = field(default_factory=dict)
    waits: dict[int, Mapping[Wait, int]] = field(default_factory=dict)

    def cpu_us(self, block: int) -> float:
        """CPU time per request in a plain block."""
        return self.plain[block].server_cpu_us_per_request or 0.0

    @cached_property
    def profiling(self) -> float | None:
        """CPU time per request while it is sampled, over that of plain blocks."""
        both = self.plain.keys() & self.sampled.keys()
        if not both or not self.stacks:
            return None
        sampled_us = fmean(self.sampled[block].server_cpu_us_per_request or 0.0 for block in both)
        plain_us = fmean(map(self.cpu_us, both))
        return sampled_us / plain_us if plain_us and sampled_us else None

    def split(self, block: int, *, kernel_named: bool) -> dict[Key, float]:
        """CPU time per request of each line in a block, µs; the keys `user` and `kernel` are sums.

        Without the kernel's stacks its time is its own count, and without any stacks so is user
        time.
        """
        stacks = self.stacks.get(block, {}) if block in self.sampled else {}
        counted = sum(times for key, times in stacks.items() if key)
        slice_ = self.sampled[block] if counted else self.plain[block]
        whole_us, cpu = slice_.server_cpu_us_per_request or 0.0, slice_.server_cpu
        whole_us /= (self.profiling or 1.0) if counted else 1.0
        found: dict[Key, float] = {}
        if not counted or not kernel_named:
            assert cpu
            split_ns = (cpu.user_ns + cpu.system_ns) or 1
            found[Key("kernel", "")] = whole_us * cpu.system_ns / split_ns
            whole_us = found[Key("user", "")] = whole_us * cpu.user_ns / split_ns
        for key, times in stacks.items():
            if key and counted:
                us = whole_us * times / counted
                total = Key("user" if key.part == "function" else "kernel", "")
                found[key] = us
                if kernel_named:
                    found[total] = found.get(total, 0.0) + us
        return found


def judge_why(plan: WhyPlan, records: Sequence[Record], machine: Machine, complete: bool) -> Why:
    """The lines of each contender against the reference. Raises `NoVerdict` where nothing was
    measured and the reason is not known."""
    seen, peak = ({entry.name: Seen() for entry in plan.race.entries} for _ in range(2))
    end = next((record for record in records if isinstance(record, WhyEnd)), None)
    plain = [record for record in records if isinstance(record, WhyBlock)]
    if not plain and not end:
        raise NoVerdict("no block was measured")
    for record in records:
        if isinstance(record, WhyBlock):
            _add_block(seen if all(slice_.rate for slice_ in record.slices) else peak, record)
        elif isinstance(record, WhyStacks):
            _add_stacks((peak if record.at_peak else seen)[record.entry], record)
        elif isinstance(record, WhyCounts):
            per_request = {name: n / record.requests for name, n in record.counts.items()}
            seen[record.entry].counts[record.layer] = per_request
    kernel_named = end is not None and "kernel" not in end.missing
    blocks = [
        Block(boot=0, block=b.block, kind="short", slices=b.slices, at_ns=0, cores=())
        for b in plain
        if b.kind == "plain" and b.slices[0].rate
    ]
    works = works_of(plan.race, [*records, *blocks])
    reference = plan.race.reference
    unit = plan.race.workload.unit
    pairs: list[WhyPair] = []
    at_peak: list[WhyPair] = []
    for name in seen if not (end and end.given_up) else ():
        if name == reference:
            continue
        both, peaks = ((of[name], of[reference]) for of in (seen, peak))
        names = (name, reference)
        if of_peaks := _pair(names, peaks, unit, kernel_named=kernel_named):
            at_peak.append(of_peaks)
        held = _held_up(names, peaks, _waits(both), of_peaks, unit) if of_peaks else None
        if pair := _pair(names, both, unit, works, held, kernel_named=kernel_named):
            pairs.append(pair)
    rates = [slice_.rate for block in plain for slice_ in block.slices if slice_.rate]
    return Why(
        run=plan.run,
        workload=plan.race.workload.name,
        unit=unit,
        reference=reference,
        command_line=plan.race.command_line,
        complete=complete,
        rate_per_s=rates[0] * plan.race.workload.listeners if rates else None,
        blocks=len(blocks),
        lasted_s=end.lasted_s if end else 0.0,
        pairs=tuple(pairs),
        at_peak=tuple(at_peak),
        peaks_per_s={
            name: fmean(slice_.event.requests_per_s for slice_ in own.plain.values())
            for name, own in peak.items()
            if own.plain
        },
        unequal=unequal(plan.race, works),
        profiling={name: cost for name, own in seen.items() if (cost := own.profiling)},
        unseen=unseen(records),
        missing=end.missing if end else {},
        given_up=end.given_up if end else "",
        machine=machine,
    )


def _add_block(seen: Mapping[str, Seen], record: WhyBlock) -> None:
    for slice_ in record.slices:
        own = seen[slice_.entry]
        if not slice_.event.requests_all or not slice_.server_cpu:
            continue
        (own.plain if record.kind == "plain" else own.sampled)[record.block] = slice_
        if waits := record.waits.get(slice_.entry):
            own.waits[record.block] = waits
        usage = record.usages.get(slice_.entry)
        if usage and record.kind == "plain":
            counts: dict[str, float] = dict(usage)
            faults = counts.pop("minor_faults") + counts.pop("major_faults")
            counts |= {"page_faults": faults, "delay_us": counts.pop("delay_ns") / 1e3}
            counts["acknowledgements"] = max(0.0, counts["segments"] - counts["data_segments"])
            per_request = {what: n / slice_.event.requests_all for what, n in counts.items()}
            answered = slice_.event.requests or 1
            own.met[record.block] = per_request | {"bytes": slice_.event.bytes / answered}


def _add_stacks(own: Seen, record: WhyStacks) -> None:
    for stack, counts in record.stacks.items():
        key = key_of(stack)
        for block, times in zip(record.blocks, counts, strict=True):
            of_block = own.stacks.setdefault(block, {})
            of_block[key] = of_block.get(key, 0) + times


def _pair(
    names: tuple[str, str],
    both: tuple[Seen, Seen],
    unit: Unit,
    works: Mapping[str, Work] | None = None,
    held: HeldUp | None = None,
    *,
    kernel_named: bool,
) -> WhyPair | None:
    blocks = sorted(both[0].plain.keys() & both[1].plain.keys())
    if any(own.stacks for own in both):
        blocks = [b for b in blocks if all(own.stacks.get(b) for own in both)]
    if len(blocks) < 2:
        return None
    plain = [np.array([own.cpu_us(block) for block in blocks]) for own in both]
    rows = [_rows(own, blocks, kernel_named=kernel_named) for own in both]
    ordered = _ordered(rows, max(each.mean() for each in plain))
    met = [what for what in both[0].met.get(blocks[0], {}) if both[1].met.get(blocks[0])]
    interval = intervals(len(ordered) + 1 + len(met))

    def line(key: Key, its: Floats, others: Floats) -> WhyLine:
        return WhyLine(
            part=key.part,
            name=key.name,
            its_us=float(its.mean()),
            other_us=float(others.mean()),
            difference=interval(its - others),
        )

    lines = [line(key, *(of.get(key, _nothing(blocks)) for of in rows)) for key in ordered]
    sums = [
        sum((of.get(Key(part, ""), _nothing(blocks)) for part in ("user", "kernel")), start=0.0)
        for of in rows
    ]
    left = [whole - summed for whole, summed in zip(plain, sums, strict=True)]
    lines.append(line(Key("unexplained", ""), *left))
    cpu = intervals(1)(plain[0] - plain[1])
    counts = [
        WhyCount(
            what=what,
            its=(its := _met(both[0], what, blocks)).mean(),
            other=(others := _met(both[1], what, blocks)).mean(),
            difference=interval(its - others),
        )
        for what in met
    ]
    counts += [] if works is None else _counted(names, both, works)
    its_us, other_us = (float(each.mean()) for each in plain)
    return WhyPair(
        name=names[0],
        other=names[1],
        its_us=its_us,
        other_us=other_us,
        cpu=cpu,
        lines=tuple(lines),
        counts=tuple(counts),
        waits=tuple(_waits(both)),
        finding=cause_of(names, cpu, lines, counts, unit, held),
        held_up=held.finding if held else None,
    )


def _held_up(
    names: tuple[str, str],
    peaks: tuple[Seen, Seen],
    waits: Iterable[WhyWait],
    of_peaks: WhyPair,
    unit: Unit,
) -> HeldUp | None:
    """By their peaks, and by the `waits` at one rate."""
    blocks = sorted(peaks[0].plain.keys() & peaks[1].plain.keys())

    def peak(name: str, own: Seen) -> Peak:
        per_s = np.array([own.plain[block].event.requests_per_s for block in blocks])
        cpu_us = np.array([own.cpu_us(block) for block in blocks])
        return Peak(name, per_s, cpu_us * per_s / 1e6)

    both = (peak(names[0], peaks[0]), peak(names[1], peaks[1]))
    told = {of.wait for of in (*waits, *of_peaks.waits) if of.difference.is_told}
    return held_up(both, of_peaks.lines, of_peaks.waits, told, unit)


def _nothing(blocks: Sequence[int]) -> Floats:
    return np.zeros(len(blocks))


def _met(own: Seen, what: str, blocks: Sequence[int]) -> Floats:
    return np.array([own.met.get(block, {}).get(what, 0.0) for block in blocks])


def _rows(own: Seen, blocks: Sequence[int], *, kernel_named: bool) -> dict[Key, Floats]:
    """Line → µs per request in each block."""
    rows: dict[Key, Floats] = {}
    for at, block in enumerate(blocks):
        for key, us in own.split(block, kernel_named=kernel_named).items():
            rows.setdefault(key, _nothing(blocks))[at] = us
    return rows


def _ordered(rows: Sequence[dict[Key, Floats]], largest_us: float) -> list[Key]:
    """The lines of the table in their order; small ones are added up in `rows`, functions by
    package, and the rest by kind.

    Their size decides which lines are kept, not their difference.
    """

    def size(key: Key) -> float:
        return max(of[key].mean() if key in of else 0.0 for of in rows)

    ordered: list[Key] = []
    keys = {key for of in rows for key in of}
    for total, *kinds in (_USER, _KERNEL):
        leaves = sorted((key for key in keys if key.part in kinds), key=size, reverse=True)
        own = [key for key in leaves[:LINES_MAX] if size(key) >= SHARE_MIN * largest_us]
        small = [key for key in leaves if key not in own]
        rest = Key(kinds[-1], OTHERS)
        becomes = {key: _package(key) or rest for key in small}
        _add_up(rows, becomes)
        packages = sorted({*becomes.values()} - {rest}, key=size, reverse=True)
        large = [key for key in packages if size(key) >= PACKAGE_SHARE_MIN * largest_us]
        _add_up(rows, {key: rest for key in packages if key not in large})
        ordered += [Key(total, "")] if Key(total, "") in keys else []
        ordered += [*own, *large, *([rest] if any(rest in of for of in rows) else [])]
    return ordered


def _package(key: Key) -> Key | None:
    name = package_of(key.name) if key.part == "function" else None
    return Key("package", name) if name else None


def _add_up(rows: Sequence[dict[Key, Floats]], lines: Mapping[Key, Key]) -> None:
    """Line → that which it becomes a part of."""
    for of in rows:
        for key, whole in lines.items():
            if key in of:
                of[whole] = of.get(whole, 0.0) + of.pop(key)


def _counted(
    names: tuple[str, str], both: Sequence[Seen], works: Mapping[str, Work]
) -> list[WhyCount]:
    """Facts that were counted once: system calls, and what the audit and the threads have shown."""
    found = []
    if all("calls" in own.counts for own in both):
        its, others = (own.counts["calls"] for own in both)
        found += [
            WhyCount(what=f"call:{call}", its=its.get(call, 0.0), other=others.get(call, 0.0))
            for call in sorted({*its, *others}, key=lambda c: -max(its.get(c, 0), others.get(c, 0)))
        ]
    of_cores = [_per_cycle(own.counts.get("counters", {})) for own in both]
    found += [
        WhyCount(
            what=f"counter:{counter}", its=of_cores[0].get(counter), other=of_cores[1].get(counter)
        )
        for counter in of_cores[0] or COUNTERS
    ]
    if all(name in works for name in names):
        two = [works[name] for name in names]
        found.append(WhyCount(what="head_bytes", its=two[0].head_bytes, other=two[1].head_bytes))
        writes = [each.audit.segments for each in two if each.audit and each.audit.segments]
        if len(writes) == len(two):
            found.append(WhyCount(what="writes", its=writes[0], other=writes[1]))
        crews = [each.crew.threads_at_work for each in two if each.crew]
        if len(crews) == len(two):
            found.append(WhyCount(what="threads_at_work", its=crews[0], other=crews[1]))
    return found


def _per_cycle(counters: Mapping[str, float]) -> dict[str, float]:
    """With instructions per cycle, where both are counted, of all time or of user time (`:u`)."""
    found = dict(counters)
    for mode in ("", ":u"):
        if cycles := counters.get(f"cycles{mode}"):
            instructions = counters.get(f"instructions{mode}", 0.0)
            found[f"instructions_per_cycle{mode}"] = instructions / cycles
    return found


def _waits(both: Sequence[Seen]) -> Iterator[WhyWait]:
    """How threads at work spend their time; very small parts have no line."""
    blocks = sorted(both[0].waits.keys() & both[1].waits.keys())
    if len(blocks) < 2:
        return

    def shares(own: Seen, wait: Wait) -> Floats:
        times = [own.waits[block] for block in blocks]
        return np.array([each.get(wait, 0) / (sum(each.values()) or 1) for each in times])

    rows = {wait: [shares(own, wait) for own in both] for wait in get_args(Wait)}
    rows = {w: two for w, two in rows.items() if max(map(np.mean, two)) >= WAIT_SHARE_MIN}
    interval = intervals(len(rows))
    for wait, (its, others) in rows.items():
        yield WhyWait(
            wait=wait, its=its.mean(), other=others.mean(), difference=interval(its - others)
        )
