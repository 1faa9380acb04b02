"""Several load generators' shares of a slice as one slice: counts added up, histograms merged
without loss."""

from collections import Counter
from collections.abc import Sequence
from statistics import median_low

from bakeoff.histograms import summed
from bakeoff.model.engine import RequestSlice, SliceEvent
from bakeoff.model.loaders import LoaderSlice

COUNTS = (
    *("requests", "bytes", "requests_all", "redirects", "misses", "unsent", "connects"),
    *("handshakes", "resumed", "idle_closed", "latency_count", "in_flight_ns", "cpu_ns"),
)
"""What all of them together have is the sum of what each has."""


def merged(shares: Sequence[LoaderSlice]) -> SliceEvent:
    """What they measured together, by the driver's clock; there is one share at least.

    The window begins at the median of theirs and is as long as theirs are on average, so that its
    throughput is the sum of theirs.
    """
    events = [share.event for share in shares]
    threads = [share.threads for share in shares]
    start_ns = median_low(share.start_ns for share in shares)
    end_ns = start_ns + round(sum(each.window_ns for each in events) / len(events))
    histograms = {key: _histogram(events, key) for key in ("service", "send_lag")}
    shook = sum(each.handshakes for each in events)
    return SliceEvent(
        target=events[0].target,
        block=events[0].block,
        start_ns=start_ns,
        end_ns=end_ns,
        drained_ns=max(end_ns, *(share.drained_ns for share in shares)),
        **{key: sum(getattr(each, key) for each in events) for key in COUNTS},
        handshake_mean_us=sum(each.handshakes * (each.handshake_mean_us or 0) for each in events)
        / shook
        if shook
        else None,
        errors=_errors(events),
        latency=summed([each.latency for each in events]),
        latency_mean_us=_mean_us(events),
        **histograms,
        busy=sum(each.busy * n for each, n in zip(events, threads, strict=True)) / sum(threads),
        first_bad=next((each.first_bad for each in events if each.first_bad), None),
        by_request=_by_request(events),
    )


def _histogram(events: Sequence[SliceEvent], key: str) -> str | None:
    given = [getattr(each, key) for each in events]
    return None if None in given else summed(given)


def _mean_us(parts: Sequence[SliceEvent | RequestSlice]) -> float:
    count = sum(each.latency_count for each in parts)
    return sum(each.latency_count * each.latency_mean_us for each in parts) / max(1, count)


def _errors(parts: Sequence[SliceEvent | RequestSlice]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for each in parts:
        found.update(each.errors)
    return dict(found)


def _by_request(events: Sequence[SliceEvent]) -> tuple[RequestSlice, ...] | None:
    given = [each.by_request for each in events if each.by_request is not None]
    if len(given) < len(events):
        return None
    return tuple(
        RequestSlice(
            requests=sum(each.requests for each in parts),
            misses=sum(each.misses for each in parts),
            errors=_errors(parts),
            latency=summed([each.latency for each in parts]),
            latency_count=sum(each.latency_count for each in parts),
            latency_mean_us=_mean_us(parts),
        )
        for parts in zip(*given, strict=True)
    )
