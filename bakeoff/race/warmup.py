"""Warm-up: loaded but not judged, until steady or until its time is up."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import median

from bakeoff.model.errors import NoVerdict
from bakeoff.model.plan import Entry
from bakeoff.model.samples import Slice, SliceLengths, Warmup
from bakeoff.plan import slice_lengths
from bakeoff.race.meter import Meter
from bakeoff.race.up import Up

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
    meter: Meter,
    up: Up,
    given: Mapping[str, SliceLengths],
    budget_s: float,
    say: Callable[[str], object] = lambda _text: None,
) -> Warmup:
    """Load every contender in turn until each is steady, for 2 s at least and 8 s at most.

    Not for longer, past the 2 s, than the `budget_s` that are to be measured: a short race stays
    short. Their slice lengths follow, but for those `given` by an earlier boot. `say` is told
    before each turn how many are steady. Raises `NoVerdict`.
    """
    names = [one.entry.name for one in up.running]
    rates: dict[str, list[float]] = {name: [] for name in names}
    latencies_us: dict[str, list[float]] = {name: [] for name in names}
    affordable = round(1000 * budget_s / len(names) / SLICE_MS)
    for _ in range(max(SLICES_MIN, min(affordable, SLICES_MAX))):
        waiting = [name for name in names if name not in meter.died and not is_steady(rates[name])]
        if not waiting:
            break
        say(f"warming up, {len(names) - len(waiting)} of {len(names)} steady")
        for name in waiting:
            one = meter.slice(name, 0, ramp_ms=0, duration_ms=SLICE_MS)
            rates[name].append(rate(one))
            latencies_us[name].append(one.event.latency_mean_us)
    if not any(map(any, rates.values())):
        raise NoVerdict("no contender answered a single request during warm-up")
    latency_us = {name: median(latencies_us[name][-WINDOW:]) for name in names}
    lengths = {
        name: given.get(name) or slice_lengths(median(rates[name][-WINDOW:]), latency_us[name])
        for name in names
    }
    return Warmup(
        boot=up.boot,
        lengths=_twins_alike(lengths, [one.entry for one in up.running]),
        requests_per_s={name: tuple(seen) for name, seen in rates.items()},
        mean_latency_us=latency_us,
        steady={name: is_steady(seen) for name, seen in rates.items()},
    )


def _twins_alike(
    lengths: Mapping[str, SliceLengths], entries: Sequence[Entry]
) -> dict[str, SliceLengths]:
    """The twin's slices are its original's: the noise floor must differ in nothing but noise."""
    originals = {entry.name: entry.twin_of or entry.name for entry in entries}
    return {name: lengths.get(originals[name], own) for name, own in lengths.items()}


def rate(one: Slice) -> float:
    """Requests per second in the window of a slice."""
    window_ns = one.event.end_ns - one.event.start_ns
    return one.event.requests / window_ns * 1e9 if window_ns else 0.0
