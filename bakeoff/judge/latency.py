"""Latency of an entry: histograms merged without loss, requests never answered counted as ∞.

Some latencies reveal their cause (`signatures`): see docs/WARNINGS.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import ceil

import numpy as np

from bakeoff.histograms import SCALE, added, nonzero, upper_ns
from bakeoff.judge.spread import Floats, Indices
from bakeoff.model.engine import RequestSlice, SliceEvent
from bakeoff.model.finding import Finding
from bakeoff.model.load import Latency
from bakeoff.model.readings import TcpTrouble

POINTS_PER_DECADE = 20
MIN_BEYOND = 10
QUANTILES = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "max": 1.0}

DELAYED_ACK_US = (38_000, 48_000)
IDLE_SERVER = 0.2
MINIMUM_RTO_US = (195_000, 235_000)
SYN_RETRANSMITS_US = ((980_000, 1_150_000), (2_950_000, 3_300_000), (6_900_000, 7_500_000))
TAILS = (
    ("packets_lost", "retransmits", "retransmits", (MINIMUM_RTO_US,)),
    ("syn_repeated", "dropped", "listen_drops", SYN_RETRANSMITS_US),
)
"""Code, the value that takes the kernel's count, the kernel's counter, and the place of the
tail."""
# A tail is a signature where it stands apart: the usual answer is faster by this factor.
APART = 3


@dataclass(frozen=True)
class Merged:
    """Sorted latencies (µs) with their cumulated counts, and how many requests had none."""

    values_us: Floats
    cumulated: Indices
    mean_us: float
    misses: int

    @property
    def answered(self) -> int:
        return int(self.cumulated[-1]) if len(self.cumulated) else 0

    @property
    def stdev_us(self) -> float:
        counts = np.diff(self.cumulated, prepend=0)
        squares = counts * (self.values_us - self.mean_us) ** 2
        return float(np.sqrt(squares.sum() / self.answered)) if self.answered else 0.0

    def quantile_us(self, p: float) -> float | None:
        """The latency within which a share `p` of all requests stays; None: it is infinite."""
        rank = max(1, ceil(p * (self.answered + self.misses) - 1e-9))
        if rank > self.answered:
            return None
        return float(self.values_us[np.searchsorted(self.cumulated, rank)])


def in_flight(events: Iterable[SliceEvent]) -> float:
    """The mean number of requests in flight (Little's law): in a closed loop with a fast enough
    generator, all connections."""
    given = list(events)
    window_ns = sum(event.window_ns for event in given)
    return sum(event.in_flight_ns for event in given) / window_ns if window_ns else 0.0


def merge(events: Iterable[SliceEvent | RequestSlice]) -> Merged:
    given = list(events)
    total, answered = added([event.latency for event in given])
    weighted_us = sum(
        count * event.latency_mean_us for count, event in zip(answered, given, strict=True)
    )
    mean_us = weighted_us / max(1, sum(answered))
    return _merged(total, mean_us, sum(event.misses for event in given))


def first_bytes(events: Iterable[SliceEvent | RequestSlice]) -> Merged | None:
    """As `merge`, for the times to the first byte of each answer's body. None: each came in one
    piece, so these times are its latencies."""
    given = list(events)
    if not any(event.first_byte for event in given):
        return None
    merged = merge_encoded(event.first_byte or event.latency for event in given)
    return replace(merged, misses=sum(event.misses for event in given))


def merge_encoded(histograms: Iterable[str]) -> Merged:
    """Adds up histograms as the engine writes them; an empty text is one without a value.

    The mean is that of the histogram's values, within half a per mille.
    """
    total, _ = added(list(histograms))
    merged = _merged(total, 0.0, 0)
    counts = np.diff(merged.cumulated, prepend=0)
    mean_us = float((counts * merged.values_us).sum() / max(1, merged.answered))
    return replace(merged, mean_us=mean_us)


def mean_ln_us(histogram: str) -> float:
    """The mean of ln latency in µs over one histogram as the engine writes it; NaN of none.

    A moment in which the machine stood still weighs little in it, a share of slow answers much.
    """
    total, (answered,) = added([histogram])
    if not answered:
        return float("nan")
    used = nonzero(total)
    return float((total[used] * _ln_us()[used]).sum() / answered)


@cache
def _ln_us() -> Floats:
    """ln of the highest value in µs that is counted at each index."""
    return np.log(np.maximum(1e-3, upper_ns(np.arange(SCALE.counts_len)) / 1e3))


def _merged(total: Indices, mean_us: float, misses: int) -> Merged:
    used = nonzero(total)
    return Merged(upper_ns(used) / 1e3, np.cumsum(total[used]), mean_us, misses)


def summary(merged: Merged) -> Latency | None:
    """The usual quantiles, µs; None where nothing was answered.

    Mean and deviation are those of the answered requests.
    """
    if not merged.answered:
        return None
    quantiles = {key: merged.quantile_us(p) for key, p in QUANTILES.items()}
    return Latency(mean=merged.mean_us, stdev=merged.stdev_us, **quantiles)


def percentile_series(merged: Merged) -> tuple[tuple[float, float], ...]:
    """(p, µs), 20 points for each tenfold of 1/(1−p), while at least 10 requests lie beyond p and
    that latency is finite."""
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


def signatures(
    latency: Latency | None, server_busy: float | None, tcp: TcpTrouble | None = None
) -> Iterator[Finding]:
    """The known patterns. `tcp` has what the kernel counted over all servers together; a pattern of
    which it counted nothing is not reported. None: it was not read."""
    if latency is None or latency.p50 is None:
        return
    idle = server_busy is not None and server_busy < IDLE_SERVER
    if idle and _within(latency.p50, DELAYED_ACK_US):
        yield Finding.of("delayed_ack", p50_us=latency.p50)
    tails = [
        (quantile, value)
        for quantile, value in (("p99", latency.p99), ("p99.9", latency.p99_9))
        if value is not None and value > APART * latency.p50
    ]
    for code, key, counter, windows in TAILS:
        counted = getattr(tcp, counter) if tcp else None
        near = [tail for tail in tails if any(_within(tail[1], window) for window in windows)]
        if near and counted != 0:
            quantile, value = near[0]
            yield Finding.of(code, quantile=quantile, value_us=value, **{key: counted})


def _within(value: float, bounds: tuple[int, int]) -> bool:
    return bounds[0] <= value <= bounds[1]
