"""Warm-up: loaded but not judged, until steady or until its time is up."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from bakeoff.model.samples import Slice, Warmup
from bakeoff.plan import SliceLengths, slice_lengths
from bakeoff.race.meter import Meter

SLICE_MS = 250
SLICES_MIN = 8
SLICES_MAX = 32
WINDOW = 4
STEADY_WITHIN = 0.03


def is_steady(requests_per_s: Sequence[float]) -> bool:
    """Whether the last slices are as fast as those before them: within 3 %, or within their noise.

    Noise is the median step from one slice to the next. A crude rule, but bounded; the report says
    when the bound was hit.
    """
    if len(requests_per_s) < SLICES_MIN:
        return False
    recent = requests_per_s[-2 * WINDOW :]
    before, last = median(recent[:WINDOW]), median(recent[WINDOW:])
    noise = median(abs(one - other) for one, other in pairwise(recent))
    return before > 0 and abs(last - before) <= max(STEADY_WITHIN * before, noise)


def warm_up(
    meter: Meter, names: Sequence[str], boot: int, lengths: SliceLengths | None
) -> tuple[Warmup, SliceLengths]:
    """Load every contender in turn until each is steady; slice lengths follow, unless given."""
    rates: dict[str, list[float]] = {name: [] for name in names}
    latency_us: dict[str, float] = dict.fromkeys(names, 0.0)
    for _ in range(SLICES_MAX):
        waiting = [name for name in names if name not in meter.died and not is_steady(rates[name])]
        if not waiting:
            break
        for name in waiting:
            one = meter.slice(name, 0, ramp_ms=0, duration_ms=SLICE_MS)
            rates[name].append(rate(one))
            latency_us[name] = one.event.latency_mean_us
    lengths = lengths or slice_lengths(
        {name: median(rates[name][-WINDOW:] or [0.0]) for name in names}, latency_us
    )
    record = Warmup(
        boot=boot,
        slice_ms=lengths.short_ms,
        ramp_ms=lengths.ramp_ms,
        long_slice_ms=lengths.long_ms,
        requests_per_s={name: tuple(seen) for name, seen in rates.items()},
        mean_latency_us=latency_us,
        steady={name: is_steady(seen) for name, seen in rates.items()},
    )
    return record, lengths


def rate(one: Slice) -> float:
    """Requests per second in the window of a slice."""
    window_ns = one.event.end_ns - one.event.start_ns
    return one.event.requests / window_ns * 1e9 if window_ns else 0.0
