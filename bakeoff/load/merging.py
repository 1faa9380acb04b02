"""Several load generators' shares of a slice as one slice: counts added up, histograms merged
without loss."""

from collections import Counter
from collections.abc import Sequence
from statistics import median_low
from typing import Any

from bakeoff.histograms import summed
from bakeoff.model.datagrams import Datagrams
from bakeoff.model.engine import EventsSlice, RequestSlice, RoomsSlice, SliceEvent
from bakeoff.model.loaders import LoaderSlice

COUNTS = (
    *("requests", "bytes", "requests_all", "redirects", "misses", "unsent", "connects"),
    *("handshakes", "resumed", "idle_closed", "latency_count", "in_flight_ns", "cpu_ns"),
)
"""Sums over all of them."""


def merged(shares: Sequence[LoaderSlice]) -> SliceEvent:
    """Their measurements together, by the driver's clock; there is at least one share.

    The window begins at the median of theirs and is as long as theirs are on average, so that its
    throughput is the sum of theirs. Each is as busy as its busiest core, and together they are as
    busy as their average: a single one at its limit is the judge's `loader_limit`.
    """
    events = [share.event for share in shares]
    threads = [share.threads for share in shares]
    start_ns = median_low(share.start_ns for share in shares)
    end_ns = start_ns + round(sum(each.window_ns for each in events) / len(events))
    given = {key: _of_all(events, key) for key in ("service", "send_lag")}
    histograms = {key: own and summed(own) for key, own in given.items()}
    shook = sum(each.handshakes for each in events)
    return SliceEvent(
        target=events[0].target,
        block=events[0].block,
        start_ns=start_ns,
        end_ns=end_ns,
        drained_ns=max(end_ns, *(share.drained_ns for share in shares)),
        **{key: sum(getattr(each, key) for each in events) for key in COUNTS},
        requests_by_share=sum(shared) if (shared := _of_all(events, "requests_by_share")) else None,
        handshake_mean_us=sum(each.handshakes * (each.handshake_mean_us or 0) for each in events)
        / shook
        if shook
        else None,
        errors=_errors(events),
        datagrams=Datagrams.together(
            (each.datagrams, each.requests_all) for each in events if each.datagrams
        ),
        latency=summed([each.latency for each in events]),
        latency_mean_us=_mean_us(events),
        first_byte=_first_byte(events),
        events=_streamed([each.events for each in events if each.events]),
        rooms=_heard([each.rooms for each in events if each.rooms]),
        # One generator holds the streams of all.
        held=next((each.held for each in events if each.held), None),
        **histograms,
        delayed_ns=_delayed_ns(events, threads),
        busy=_mean_busy([each.busy for each in events], threads),
        busy_threads=_busy_threads(events, threads),
        first_bad=next((each.first_bad for each in events if each.first_bad), None),
        by_request=_by_request(events),
    )


def _mean_busy(shares: Sequence[float], threads: Sequence[int]) -> float:
    return sum(busy * n for busy, n in zip(shares, threads, strict=True)) / sum(threads)


def _busy_threads(events: Sequence[SliceEvent], threads: Sequence[int]) -> tuple[float, ...]:
    """The busy shares of a single generator; for several, the mean of the busiest of each."""
    if len(events) == 1:
        return events[0].busy_threads
    return (_mean_busy([max(each.busy_cores) for each in events], threads),)


def _of_all(events: Sequence[SliceEvent], key: str) -> list[Any] | None:
    """The values of all for that key; None: one has none."""
    given = [getattr(event, key) for event in events]
    return None if None in given else given


def _delayed_ns(events: Sequence[SliceEvent], threads: Sequence[int]) -> int | None:
    """The delay of a single generator; for several, that of a thread of the most delayed one."""
    if len(events) == 1:
        return events[0].delayed_ns
    given = _of_all(events, "delayed_ns")
    return max(ns // n for ns, n in zip(given, threads, strict=True)) if given else None


def _mean_us(parts: Sequence[SliceEvent | RequestSlice]) -> float:
    count = sum(each.latency_count for each in parts)
    return sum(each.latency_count * each.latency_mean_us for each in parts) / max(1, count)


def _first_byte(parts: Sequence[SliceEvent | RequestSlice]) -> str | None:
    if not any(each.first_byte for each in parts):
        return None
    return summed([each.first_byte or each.latency for each in parts])


def _streamed(parts: Sequence[EventsSlice]) -> EventsSlice | None:
    if not parts:
        return None
    return EventsSlice(
        **{
            key: sum(getattr(each, key) for each in parts) for key in ("count", "count_all", "open")
        },
        first=summed([each.first for each in parts]),
        gap=summed([each.gap for each in parts]),
        faults=dict(sum((Counter(each.faults) for each in parts), Counter())),
    )


def _heard(parts: Sequence[RoomsSlice]) -> RoomsSlice | None:
    if not parts:
        return None
    counts = ("messages", "unsent", "due", "heard")
    return RoomsSlice(
        **{key: sum(getattr(each, key) for each in parts) for key in counts},
        last=summed([each.last for each in parts]),
    )


def _errors(parts: Sequence[SliceEvent | RequestSlice]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for each in parts:
        found.update(each.errors)
    return dict(found)


def _by_request(events: Sequence[SliceEvent]) -> tuple[RequestSlice, ...] | None:
    if (given := _of_all(events, "by_request")) is None:
        return None
    return tuple(
        RequestSlice(
            requests=sum(each.requests for each in parts),
            misses=sum(each.misses for each in parts),
            errors=_errors(parts),
            latency=summed([each.latency for each in parts]),
            latency_count=sum(each.latency_count for each in parts),
            latency_mean_us=_mean_us(parts),
            first_byte=_first_byte(parts),
        )
        for parts in zip(*given, strict=True)
    )
