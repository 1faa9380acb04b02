"""Streams of server-sent events and rooms of WebSocket: those of an entry, how pairs compare, and
which entries hold events back. Times are those of the slices from which latencies are taken."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bakeoff.judge import latency
from bakeoff.judge.compare import Pairs, compare
from bakeoff.judge.history import History
from bakeoff.judge.paired import MeritName
from bakeoff.model.engine import SliceEvent
from bakeoff.model.entry import Rooms, Streams
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan

STALL_US = 1e6
"""A gap of at least this length is a stall; `volley load --stall` has the same default."""
TOGETHER = 0.1
"""Events came together if they are within this share of the source's gap of each other."""
HELD_BACK = 0.5
"""More closed gaps than this share of all are more than chance."""
MERITS: Mapping[str, MeritName] = {
    "first": "first_event",
    "later_us": "soonness_s",
    "gap": "gap",
    "gap_p99": "gap_p99",
}
"""Key of `EventRatios` → the figure that is compared."""

_OF_GAPS = ("gap", "gap_p99")

ByFigure = Mapping[str, Pairs]


def compared(lasting: History, names: Sequence[str]) -> ByFigure:
    """The pairs of `names` by each figure of events, each in a family of its own; empty for a race
    without events. Held streams have gaps alone."""
    slices = [slice_.event for block in lasting.blocks for slice_ in block.slices]
    if any(event.events for event in slices):
        merits = MERITS
    else:
        is_held = any(event.held for event in slices)
        merits = {key: merit for key, merit in MERITS.items() if is_held and merit in _OF_GAPS}
    return {key: compare(lasting, names, merit) for key, merit in merits.items()}


def in_rooms(history: History, names: Sequence[str]) -> ByFigure:
    """The same by the last listeners of rooms. A message is heard soon, so short slices count."""
    if not any(slice_.event.rooms for block in history.blocks for slice_ in block.slices):
        return {}
    return {"last": compare(history, names, "last_listener")}


def streams(history: History, name: str) -> Streams | None:
    """The events in its streams; None: no stream was requested."""
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
        stalls=longer(between, STALL_US),
        faults=dict(sorted(faults.items())),
        open=sum(events.open for _, events in seen),
        cpu_us_per_event=cpu_us / events_of_cpu if events_of_cpu else None,
    )


def rooms(history: History, name: str) -> Rooms | None:
    """Its messages to rooms; None: none were sent."""
    seen = [(slice_.event, slice_.event.rooms) for _, slice_ in history.slices(name)]
    given = [(event, rooms) for event, rooms in seen if rooms]
    if not given:
        return None
    messages = sum(rooms.messages for _, rooms in given)
    window_s = sum(event.window_ns for event, _ in given) * 1e-9
    due = sum(rooms.due for _, rooms in given)
    return Rooms(
        messages=messages,
        per_s=messages / window_s if window_s else 0.0,
        last_us=latency.summary(last_listeners(history.lasting(name))),
        reach=sum(rooms.heard for _, rooms in given) / due if due else None,
    )


def held_back(plan: Plan, history: History, name: str) -> Iterator[Finding]:
    """Events came in clumps that their source doesn't make: most of its gaps are closed."""
    events = plan.workload.events
    gap_ms = events.gap_ms if events else None
    between = gaps(history.lasting(name))
    if gap_ms is None or not between.answered:
        return
    closed = between.answered - longer(between, TOGETHER * gap_ms * 1e3)
    if closed > HELD_BACK * between.answered:
        yield Finding.of("buffered_stream", together=closed, gaps=between.answered, gap_ms=gap_ms)


def first_events(slices: Iterable[SliceEvent]) -> latency.Merged:
    given = [(event, event.events) for event in slices if event.events]
    merged = latency.merge_encoded(events.first for _, events in given)
    begun = sum(event.due + events.open for event, events in given)
    return replace(merged, misses=max(0, begun - merged.answered))


def last_listeners(slices: Iterable[SliceEvent]) -> latency.Merged:
    """Messages that somebody has not heard, or that were never sent, are misses."""
    given = [event.rooms for event in slices if event.rooms]
    merged = latency.merge_encoded(rooms.last for rooms in given)
    due = sum(rooms.messages + rooms.unsent for rooms in given)
    return replace(merged, misses=max(0, due - merged.answered))


def gaps(slices: Iterable[SliceEvent]) -> latency.Merged:
    return latency.merge_encoded(event.events.gap for event in slices if event.events)


def longer(between: latency.Merged, least_us: float) -> int:
    below = int(np.searchsorted(between.values_us, least_us))
    return between.answered - (int(between.cumulated[below - 1]) if below else 0)
