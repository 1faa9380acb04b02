"""Streams of server-sent events: what came in an entry's, how pairs compare, and who holds events
back. Times are those of the slices that latencies are taken from.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bakeoff.judge import latency
from bakeoff.judge.compare import Pairs, compare
from bakeoff.judge.history import History
from bakeoff.judge.paired import MeritName
from bakeoff.model.engine import SliceEvent
from bakeoff.model.entry import Streams
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan

STALL_US = 1e6
"""A gap from this length on is a stall; `volley load --stall` has the same default."""
TOGETHER = 0.1
"""Of the source's gap: events that come within this share of it came together."""
HELD_BACK = 0.5
"""Of all gaps: so many closed ones are more than chance."""
MERITS: Mapping[str, MeritName] = {
    "first": "first_event",
    "later_us": "soonness_s",
    "gap": "gap",
    "gap_p99": "gap_p99",
}
"""Key of `EventRatios` → what is compared."""

ByFigure = Mapping[str, Pairs]


def compared(lasting: History, names: Sequence[str]) -> ByFigure:
    """The pairs of `names` by each figure of events, each in a family of its own; none of a race
    without events."""
    if not any(slice_.event.events for block in lasting.blocks for slice_ in block.slices):
        return {}
    return {key: compare(lasting, names, merit) for key, merit in MERITS.items()}


def streams(history: History, name: str) -> Streams | None:
    """What came in its streams; None: it was asked for none."""
    seen = [
        (slice_, slice_.event.events) for _, slice_ in history.slices(name) if slice_.event.events
    ]
    if not seen:
        return None
    lasting = [(event, event.events) for event in history.lasting(name) if event.events]
    between = gaps(event for event, _ in lasting)
    faults = sum((Counter(events.faults) for _, events in seen), Counter[str]())
    count = sum(events.count for _, events in seen)
    window_s = sum(slice_.event.window_ns for slice_, _ in seen) * 1e-9
    costs = [(slice_.server_cpu, events) for slice_, events in seen if slice_.server_cpu]
    events_of_cpu = sum(events.count_all for _, events in costs)
    cpu_us = sum(cpu.total_ns for cpu, _ in costs) / 1e3
    return Streams(
        count=count,
        per_s=count / window_s if window_s else 0.0,
        first_us=latency.summary(first_events(event for event, _ in lasting)),
        gap_us=latency.summary(between),
        stalls=_longer(between, STALL_US),
        faults=dict(sorted(faults.items())),
        open=sum(events.open for _, events in seen),
        cpu_us_per_event=cpu_us / events_of_cpu if events_of_cpu else None,
    )


def held_back(plan: Plan, history: History, name: str) -> Iterator[Finding]:
    """Events came in clumps that their source doesn't make: most gaps are closed that it has."""
    events = plan.workload.events
    gap_ms = events.gap_ms if events else None
    between = gaps(history.lasting(name))
    if gap_ms is None or not between.answered:
        return
    closed = between.answered - _longer(between, TOGETHER * gap_ms * 1e3)
    if closed > HELD_BACK * between.answered:
        yield Finding.of("buffered_stream", together=closed, gaps=between.answered, gap_ms=gap_ms)


def first_events(slices: Iterable[SliceEvent]) -> latency.Merged:
    given = [(event, event.events) for event in slices if event.events]
    merged = latency.merge_encoded(events.first for _, events in given)
    begun = sum(event.due + events.open for event, events in given)
    return replace(merged, misses=max(0, begun - merged.answered))


def gaps(slices: Iterable[SliceEvent]) -> latency.Merged:
    return latency.merge_encoded(event.events.gap for event in slices if event.events)


def _longer(between: latency.Merged, least_us: float) -> int:
    below = int(np.searchsorted(between.values_us, least_us))
    return between.answered - (int(between.cumulated[below - 1]) if below else 0)
