"""How long a contender's slices are, as short as it allows; and how many it is warmed up with."""

import math

from bakeoff.model.samples import WARM_UP_S_MIN, WARM_UP_SLICE_MS, SliceLengths

SLICE_MS_MIN = 20
SLICE_MS_MAX = 2000
RESPONSES_PER_SLICE_MIN = 200
MEAN_LATENCIES_PER_SLICE_MIN = 10
RAMP_MS_MIN = 5
RAMP_MEAN_LATENCIES = 2
LONG_SLICE_MS_MIN = 250
LONG_FACTOR = 5
REQUESTS_FOR_P99 = 1000
"""Ten of them are slower than the p99."""
OPEN_RAMP_MS_MIN = 50
OPEN_RAMP_MS_MAX = 500
OPEN_RAMP_MEAN_LATENCIES = 10
KNOWN_FLAT_S_MIN = 1.0
WARM_UP_PER_MEASURED_S = 3


def slice_lengths(requests_per_s: float, mean_latency_us: float) -> SliceLengths:
    """One contender's lengths, from its warm-up.

    The shorter a block, the more of the machine's drift cancels (METHODOLOGY.md, rotation); but a
    slice must hold enough answers, and many round trips. Each has its own length: one slow
    contender would else stretch everybody's, and the block with them. One that never answers gets
    the shortest.
    """
    needed_ms = float(SLICE_MS_MIN)
    if requests_per_s > 0:
        needed_ms = max(
            needed_ms,
            1000 * RESPONSES_PER_SLICE_MIN / requests_per_s,
            MEAN_LATENCIES_PER_SLICE_MIN * mean_latency_us / 1000,
        )
    short_ms = min(SLICE_MS_MAX, math.ceil(needed_ms))
    ramp_ms = math.ceil(max(RAMP_MS_MIN, RAMP_MEAN_LATENCIES * mean_latency_us / 1000))
    return SliceLengths(
        short_ms=short_ms,
        long_ms=max(LONG_SLICE_MS_MIN, LONG_FACTOR * short_ms),
        ramp_ms=min(short_ms, ramp_ms),
    )


def open_lengths(rate: float, mean_latency_us: float) -> SliceLengths:
    """One contender's lengths in an open loop of `rate` requests per second: all are long.

    A slice holds enough requests for its p99. The ramp lets the queue find its usual length, since
    each slice begins with an empty one; `mean_latency_us` is that of the warm-up, at full load.
    """
    needed_ms = math.ceil(1000 * REQUESTS_FOR_P99 / rate)
    window_ms = max(LONG_SLICE_MS_MIN, min(SLICE_MS_MAX, needed_ms))
    ramp_ms = math.ceil(OPEN_RAMP_MEAN_LATENCIES * mean_latency_us / 1000)
    return SliceLengths(
        short_ms=window_ms,
        long_ms=window_ms,
        ramp_ms=max(OPEN_RAMP_MS_MIN, min(OPEN_RAMP_MS_MAX, ramp_ms)),
    )


def warm_up_slices(share_s: float, always_flat: bool, bound_s: float) -> tuple[int, int]:
    """The least and the most slices of one contender's warm-up in one boot.

    3 s at least and `bound_s` at most; but no more than three times `share_s`, its share of what is
    measured in this boot, and 1 s whatever happens: a short race stays short. One that was
    `always_flat` in the boots before gets 1 s at least.
    """
    most_s = min(max(WARM_UP_PER_MEASURED_S * share_s, KNOWN_FLAT_S_MIN), bound_s)
    least_s = min(KNOWN_FLAT_S_MIN if always_flat else WARM_UP_S_MIN, most_s)
    least, most = (round(1000 * each / WARM_UP_SLICE_MS) for each in (least_s, most_s))
    return max(1, least), max(1, most)
