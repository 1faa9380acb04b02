"""How long a slice is: as short as the slowest contender allows."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bakeoff.model.errors import NoVerdict

SLICE_MS_MIN = 20
SLICE_MS_MAX = 2000
RESPONSES_PER_SLICE_MIN = 200
MEAN_LATENCIES_PER_SLICE_MIN = 10
RAMP_MS_MIN = 5
RAMP_MEAN_LATENCIES = 2
LONG_SLICE_MS_MIN = 250
LONG_FACTOR = 5
LONG_SHARE = 0.2
"""The share of the measured time that goes to long slices, the check of the short ones."""


@dataclass(frozen=True)
class SliceLengths:
    """The lengths of a race's slices, the same for every contender."""

    short_ms: int
    long_ms: int
    ramp_ms: int


def slice_lengths(
    requests_per_s: Mapping[str, float], mean_latency_us: Mapping[str, float]
) -> SliceLengths:
    """Lengths from each contender's warm-up.

    The shorter the slices, the more of a machine's drift cancels (METHODOLOGY.md, rotation); but
    a slice must hold enough answers, and many round trips, of the slowest. Raises `NoVerdict`
    where nobody answered.
    """
    answering = [name for name, rate in requests_per_s.items() if rate > 0]
    if not answering:
        raise NoVerdict("no contender answered a single request during warm-up")
    slowest_rate = min(requests_per_s[name] for name in answering)
    longest_ms = max(mean_latency_us[name] for name in answering) / 1000
    needed_ms = max(
        SLICE_MS_MIN,
        1000 * RESPONSES_PER_SLICE_MIN / slowest_rate,
        MEAN_LATENCIES_PER_SLICE_MIN * longest_ms,
    )
    short_ms = min(SLICE_MS_MAX, math.ceil(needed_ms))
    return SliceLengths(
        short_ms=short_ms,
        long_ms=max(LONG_SLICE_MS_MIN, LONG_FACTOR * short_ms),
        ramp_ms=min(short_ms, math.ceil(max(RAMP_MS_MIN, RAMP_MEAN_LATENCIES * longest_ms))),
    )
