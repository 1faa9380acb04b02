"""A server that stands still: all of its connections wait together, and then go on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from bakeoff.judge.history import History
from bakeoff.judge.latency import merge_encoded
from bakeoff.model.engine import SliceEvent
from bakeoff.model.plan import Plan

STALL_US = 50_000
APART = 10
TIMES_MIN = 3
MORE_THAN_OTHERS = 3


@dataclass(frozen=True)
class Stalls:
    """How often it stood still in its slices, per slice, and for how long: `lengths_us` has the
    waits that were seen from their beginning to their end."""

    times: int
    slices: int
    lengths_us: tuple[float, ...]

    @property
    def share(self) -> float:
        """Of its slices."""
        return self.times / self.slices if self.slices else 0.0


def stood_still(plan: Plan, name: str, seen: History) -> str:
    """The sentence; empty where it didn't, or where the others did so too.

    Whatever stops a machine stops everybody's connections now and then: only who stands still
    three times as often as the median of the others is said to. In a connection per request a
    full listen queue looks alike, and has a signature of its own.
    """
    if plan.connection == "close" or plan.mode == "open":
        return ""
    found = stalls([piece.event for _, piece in seen.slices(name)], plan.connections)
    if found.times < TIMES_MIN:
        return ""
    others = [
        stalls([piece.event for _, piece in seen.slices(entry.name)], plan.connections).share
        for entry in plan.entries
        if name not in (entry.name, entry.twin_of) and seen.slices(entry.name)
    ]
    if others and found.share <= MORE_THAN_OTHERS * median(others):
        return ""
    lasted = f" for about {median(found.lengths_us) / 1e3:.0f} ms" if found.lengths_us else ""
    return (
        f"it stood still{lasted}, in {found.times:,} of its {found.slices:,} slices: at least half "
        "of its connections waited together"
    )


def stalls(events: Sequence[SliceEvent], connections: int) -> Stalls:
    """In which slices half of the connections or more waited ten times as long as usual, and for
    50 ms at least. A slice whose every answer came after its end shows only a part of the wait."""
    usual_us = median([each.latency_mean_us for each in events if each.latency_count] or [0.0])
    least_us = max(STALL_US, APART * usual_us)
    seen: list[float] = []
    silent = 0
    for event in events:
        if event.errors:
            continue
        if not event.requests and not event.latency_count:
            silent += event.drained_ns - event.start_ns >= least_us * 1e3
        elif event.latency_mean_us * event.latency_count >= connections / 2 * least_us:
            count, length_us = _slow(event.latency, least_us)
            if connections / 2 <= count:
                seen.append(length_us)
    return Stalls(len(seen) + silent, len(events), tuple(seen))


@lru_cache(maxsize=1 << 14)
def _slow(latency: str, least_us: float) -> tuple[int, float]:
    """How many answers took `least_us` or longer, and the median of theirs."""
    merged = merge_encoded([latency])
    below = int(merged.values_us.searchsorted(least_us))
    before = int(merged.cumulated[below - 1]) if below else 0
    count = merged.answered - before
    if not count:
        return 0, 0.0
    middle = merged.cumulated.searchsorted(before + (count + 1) // 2)
    return count, float(merged.values_us[middle])
