"""Latency of an entry: histograms merged without loss, requests never answered counted as ∞."""

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil

import numpy as np
from hdrh.codec import HdrHistogramEncoder, decode, payload_header_size
from hdrh.histogram import HdrHistogram

from bakeoff.judge.vectors import Floats, Indices
from bakeoff.model.engine import SliceEvent
from bakeoff.model.verdict import Latency

# engine/PROTOCOL.md: unit 1 ns, 1 ns to 60 s, 3 significant digits.
SCALE = HdrHistogram(1, 60_000_000_000, 3)
TOP_US = 60e6
"""The longest time that a histogram holds."""
POINTS_PER_DECADE = 20
MIN_BEYOND = 10


@dataclass(frozen=True)
class Merged:
    """Sorted latencies (µs) with their cumulated counts, and how many requests had none."""

    values_us: Floats
    cumulated: Indices
    mean_us: float
    misses: int

    @property
    def answered(self) -> int:
        """How many requests have a latency."""
        return int(self.cumulated[-1]) if len(self.cumulated) else 0

    @property
    def stdev_us(self) -> float:
        """The standard deviation of the answered."""
        counts = np.diff(self.cumulated, prepend=0)
        squares = counts * (self.values_us - self.mean_us) ** 2
        return float(np.sqrt(squares.sum() / self.answered)) if self.answered else 0.0

    def quantile_us(self, p: float) -> float | None:
        """The latency that a share `p` of all requests stays within; None: never answered."""
        rank = max(1, ceil(p * (self.answered + self.misses) - 1e-9))
        if rank > self.answered:
            return None
        return float(self.values_us[np.searchsorted(self.cumulated, rank)])


def in_flight(events: Iterable[SliceEvent]) -> float:
    """How many requests were under way on average: all of the connections, in a closed loop whose
    generator is quick enough (Little's law)."""
    given = list(events)
    window_ns = sum(event.window_ns for event in given)
    return sum(event.in_flight_ns for event in given) / window_ns if window_ns else 0.0


def merge(events: Iterable[SliceEvent]) -> Merged:
    """Adds up the histograms and the misses of all slices.

    hdrh builds a histogram of 216 KiB per slice; its decoder into one buffer takes a third of
    the time, which matters with 7,000 slices.
    """
    given = list(events)
    total, answered = _added([event.latency for event in given])
    weighted_us = sum(
        count * event.latency_mean_us for count, event in zip(answered, given, strict=True)
    )
    mean_us = weighted_us / max(1, sum(answered))
    return _merged(total, mean_us, sum(event.misses for event in given))


def merge_encoded(histograms: Iterable[str]) -> Merged:
    """Adds up histograms as the engine writes them; an empty text is one without a value.

    The mean is that of the histogram's values, within half a per mille.
    """
    total, _ = _added(list(histograms))
    merged = _merged(total, 0.0, 0)
    counts = np.diff(merged.cumulated, prepend=0)
    mean_us = float((counts * merged.values_us).sum() / max(1, merged.answered))
    return replace(merged, mean_us=mean_us)


def _merged(total: Indices, mean_us: float, misses: int) -> Merged:
    used = np.flatnonzero(total)
    values = np.array([_upper_ns(int(index)) for index in used], dtype=float) / 1e3
    return Merged(values, np.cumsum(total[used]), mean_us, misses)


def _added(histograms: Sequence[str]) -> tuple[Indices, list[int]]:
    """The counts of all, and how many values each of them has."""
    total = np.zeros(SCALE.counts_len, dtype=np.int64)
    buffer = np.zeros(SCALE.counts_len, dtype=np.int64)
    return total, [
        _decoded_into(buffer, total, encoded) if encoded else 0 for encoded in histograms
    ]


def _decoded_into(buffer: Indices, total: Indices, encoded: str) -> int:
    """Adds one histogram to `total` by way of `buffer`, which is all zero before and after."""
    payload = HdrHistogramEncoder.decode(encoded)
    address = buffer.ctypes.data_as(ctypes.c_void_p).value
    found = decode(payload._data, payload_header_size, address, SCALE.counts_len, SCALE.word_size)
    if not found["total"]:
        return 0
    window = slice(found["min_nonzero_index"], found["max_nonzero_index"] + 1)
    total[window] += buffer[window]
    buffer[window] = 0
    return int(found["total"])


@cache
def _upper_ns(index: int) -> int:
    """The highest value that is counted at `index`."""
    return int(SCALE.get_highest_equivalent_value(SCALE.get_value_from_index(index)))


def summary(merged: Merged) -> Latency | None:
    """The usual quantiles, µs; None where nothing was answered.

    Mean and deviation are those of the answered.
    """
    if not merged.answered:
        return None
    return Latency(
        mean=merged.mean_us,
        p50=merged.quantile_us(0.5),
        p75=merged.quantile_us(0.75),
        p90=merged.quantile_us(0.9),
        p99=merged.quantile_us(0.99),
        p99_9=merged.quantile_us(0.999),
        max=merged.quantile_us(1.0),
        stdev=merged.stdev_us,
    )


def percentile_series(merged: Merged) -> tuple[tuple[float, float], ...]:
    """(p, µs), 20 points for each tenfold of 1/(1−p), while 10 requests at least lie beyond p
    and that latency is finite."""
    n = merged.answered + merged.misses
    series: list[tuple[float, float]] = []
    step = 0
    while n * (beyond := 10 ** (-step / POINTS_PER_DECADE)) >= MIN_BEYOND:
        latency_us = merged.quantile_us(1 - beyond)
        if latency_us is None:
            break
        series.append((1 - beyond, latency_us))
        step += 1
    return tuple(series)
