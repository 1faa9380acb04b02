"""The blocks of a race as one table, from which each pair's log-ratios are read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import hypot
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bakeoff.histograms import TOP_US
from bakeoff.judge.latency import mean_ln_us, merge, merge_encoded
from bakeoff.judge.ramp import Factors
from bakeoff.judge.spread import Estimate, Floats, Indices, estimate
from bakeoff.model.cut import Draw
from bakeoff.model.samples import Block, SingleBlock, Slice

# A window without any answer counts as half an answer: leaving it out would flatter a server that
# stalls, and ln 0 has no value. The trimmed mean bounds the effect of such a block.
SILENT_WINDOW_REQUESTS = 0.5


@dataclass(frozen=True)
class Paired:
    """ln of the figure by which entries are ranked, more being better, shape (blocks, names); NaN
    where an entry had no turn. Columns are in the order of `names`.

    `boot` and `draw` have the numbers of each block, shape (blocks,), and `process` that of each
    entry's process, shape (blocks, names). Draws and processes are numbered within their boot.
    `factors` are those that the figures of an entry were divided by.
    """

    names: tuple[str, ...]
    boot: Indices
    draw: Indices
    process: Indices
    ln_y: Floats
    factors: Factors = field(default_factory=dict)

    @classmethod
    def of_boots(cls, names: tuple[str, ...], boot: Indices, ln_y: Floats) -> "Paired":
        """A table in which each boot is one draw, with one process of each entry."""
        process = np.zeros(ln_y.shape, np.int64)
        return cls(names, boot, np.zeros(len(boot), np.int64), process, ln_y)

    def log_ratio(self, a: str, b: str) -> Floats:
        columns = (self.names.index(a), self.names.index(b))
        difference: Floats = self.ln_y[:, columns[0]] - self.ln_y[:, columns[1]]
        return difference

    def blocks_of(self, a: str, b: str) -> int:
        return int(np.isfinite(self.log_ratio(a, b)).sum())

    def estimate(self, a: str, b: str) -> Estimate:
        """ln ratio of a over b, which have at least one block."""
        return self.estimate_of(self.log_ratio(a, b), a, b)

    def estimate_of(self, values: Floats, a: str, b: str) -> Estimate:
        """The same for any values of the two, shape (blocks,); NaN where there is none."""
        there = np.isfinite(values)
        process, _ = self._processes(a, b, there)
        found = estimate(values[there], self.boot[there], self.draw[there], process)
        own, other = self.factors.get(a), self.factors.get(b)
        if own is None or other is None or own is other:
            return found
        return found.less_exact(hypot(own.error, other.error))

    def per_factor(self, factors: Factors) -> "Paired":
        """The same with figures divided by the factors of their entries."""
        lns = [factors[name].ln if name in factors else 0.0 for name in self.names]
        return replace(self, ln_y=self.ln_y - lns, factors=factors)

    def processes(self, a: str, b: str) -> int:
        """The number of processes of the one of the two that had fewer."""
        return self._processes(a, b, np.isfinite(self.log_ratio(a, b)))[1]

    def _processes(self, a: str, b: str, there: NDArray[np.bool_]) -> tuple[Indices, int]:
        """The number of the pair's process in each block, and how many processes the one with fewer
        had.

        Process j of one meets process j of the other, or each draw has a new process. So the
        processes of the one that has fewer show which blocks belong together. But a contender with
        one process in each boot shows nothing of the other's.
        """
        boot = self.boot[there]
        boots = len(np.unique(boot))
        given = [self.process[there, self.names.index(name)] for name in (a, b)]
        counts = [len(np.unique(boot * (each.max() + 1) + each)) for each in given]
        drawn = [(count, place) for place, count in enumerate(counts) if count > boots]
        process = given[min(drawn)[1]] if drawn else np.zeros(len(boot), np.int64)
        return process, min(counts)


def ln_throughput(slice_: Slice) -> float:
    """ln(requests per second) of one slice; NaN where its window has no length."""
    event = slice_.event
    if not event.window_ns:
        return float("nan")
    requests = max(event.answered, SILENT_WINDOW_REQUESTS)
    return float(np.log(requests / (event.window_ns * 1e-9)))


def ln_promptness(slice_: Slice) -> float:
    """−ln(p99 in µs) of one slice; NaN where nothing was due in its window.

    A p99 among requests that were never answered counts as the histogram's longest time.
    """
    merged = merge([slice_.event])
    if not merged.answered + merged.misses:
        return float("nan")
    return -float(np.log(max(merged.quantile_us(0.99) or TOP_US, 1e-3)))


def ln_first_byte(slice_: Slice) -> float:
    """−(mean of ln time to the first byte of a body, in µs); NaN where nothing was answered."""
    return -mean_ln_us(slice_.event.first_byte or slice_.event.latency)


def ln_last_listener(slice_: Slice) -> float:
    """−(mean of ln time until the last listener has heard a message, in µs); NaN of none."""
    rooms = slice_.event.rooms
    return -mean_ln_us(rooms.last) if rooms else float("nan")


def ln_first_event(slice_: Slice) -> float:
    """−(mean of ln time to the first event of a stream, in µs); NaN where none came."""
    events = slice_.event.events
    return -mean_ln_us(events.first) if events else float("nan")


def soonness_s(slice_: Slice) -> float:
    """−(median time to the first event of a stream, in s); NaN where none came."""
    events = slice_.event.events
    first_us = merge_encoded([events.first]).quantile_us(0.5) if events else None
    return float("nan") if first_us is None else -first_us / 1e6


def ln_gap(slice_: Slice, p: float) -> float:
    """−ln of a quantile of the gaps between events, in µs; NaN where it is 0, or there is none."""
    events = slice_.event.events or slice_.event.held
    gap_us = merge_encoded([events.gap]).quantile_us(p) if events else None
    return -float(np.log(gap_us)) if gap_us else float("nan")


def ln_thrift(slice_: Slice) -> float:
    """ln(requests per second of the server's CPU time) of one slice, ramp and drain included; NaN
    where its CPU time can't be seen, or where it answered nothing."""
    cpu, requests = slice_.server_cpu, slice_.event.requests_all
    if cpu is None or not cpu.total_ns or not requests:
        return float("nan")
    return float(np.log(requests / (cpu.total_ns * 1e-9)))


Merit = Callable[[Slice], float]
"""A slice's value, in ln; NaN counts as no turn. (`soonness_s` is in s, for a difference.)"""

MeritName = Literal[
    "requests_per_s",
    "p99",
    "requests_per_cpu_s",
    "first_byte",
    "first_event",
    "soonness_s",
    "gap",
    "gap_p99",
    "last_listener",
]
"""The figures by which a pair can be compared: those that rank races, and those beside them."""

MERITS: Mapping[MeritName, Merit] = {
    "requests_per_s": ln_throughput,
    "p99": ln_promptness,
    "requests_per_cpu_s": ln_thrift,
    "first_byte": ln_first_byte,
    "first_event": ln_first_event,
    "soonness_s": soonness_s,
    "gap": partial(ln_gap, p=0.5),
    "gap_p99": partial(ln_gap, p=0.99),
    "last_listener": ln_last_listener,
}


def pair_up(
    blocks: Sequence[Block | SingleBlock],
    draws: Sequence[Draw],
    names: Sequence[str],
    merit: Merit = ln_throughput,
) -> Paired:
    columns = tuple(sorted(names))
    index = {name: column for column, name in enumerate(columns)}
    processes = {(draw.boot, draw.draw): draw.processes for draw in draws}
    shape = (len(blocks), len(columns))
    table, process = np.full(shape, np.nan), np.zeros(shape, np.int64)
    for row, block in enumerate(blocks):
        by_name: Mapping[str, int] = processes.get((block.boot, block.draw), {})
        for slice_ in block.slices:
            if slice_.entry in index:
                column = index[slice_.entry]
                table[row, column] = merit(slice_)
                process[row, column] = by_name.get(slice_.entry, 0)
    boots = np.array([block.boot for block in blocks], dtype=np.int64)
    numbers = np.array([block.draw for block in blocks], dtype=np.int64)
    return Paired(columns, boots, numbers, process, table)
