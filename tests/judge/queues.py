"""Slices of an open loop before a server of known capacity: an M/M/1 queue, request by request."""

from functools import cache
from math import log

import numpy as np

from bakeoff.histograms import counted, encoded
from bakeoff.model.engine import SliceEvent
from tests.judge.races import MS, event


@cache
def _empty() -> str:
    return _encoded(np.array([1.0]))


def _encoded(latencies_us: np.ndarray) -> str:
    """As the engine writes them; rounded to 2 %, which makes few values of many."""
    rounded_us = np.exp(np.round(np.log(np.maximum(latencies_us, 1.0)) * 50) / 50)
    return encoded(counted(np.rint(rounded_us * 1000)))


def queue_event(
    rate: float,
    capacity: float,
    ramp_ms: int,
    window_ms: int,
    rng: np.random.Generator,
    **changed: object,
) -> SliceEvent:
    """What `rate` Poisson arrivals per second get from one exponential server of `capacity`."""
    ramp_s, until_s = ramp_ms / 1e3, (ramp_ms + window_ms) / 1e3
    n = rng.poisson(rate * until_s)
    due_s = np.sort(rng.uniform(0, until_s, n))
    service_s = rng.exponential(1 / capacity, n)
    # Lindley: the answer leaves a service after the later of its arrival and the last departure.
    served = np.cumsum(service_s)
    left_s = served + np.maximum.accumulate(due_s - (served - service_s)) if n else due_s
    inside = due_s >= ramp_s
    waits_us = (left_s - due_s)[inside] * 1e6
    start_ns = 1000 * MS
    end_ns = start_ns + window_ms * MS
    completed = int(((left_s >= ramp_s) & (left_s < until_s)).sum())
    waited = _encoded(waits_us) if len(waits_us) else ""
    sound: dict[str, object] = {
        "start_ns": start_ns,
        "end_ns": end_ns,
        "drained_ns": end_ns + round(max(0.0, (left_s.max() if n else 0) - until_s) * 1e9),
        "requests": completed,
        "bytes": 113 * completed,
        "requests_all": n,
        "latency": waited,
        "latency_count": len(waits_us),
        "latency_mean_us": float(waits_us.mean()) if len(waits_us) else 0.0,
        "in_flight_ns": round(float(waits_us.sum()) * 1e3),
        "service": waited,
        "send_lag": _empty(),
        "cpu_ns": window_ms * MS // 2,
    }
    return event(**(sound | changed))


def true_capacity(capacity: float, p: float, limit_us: float) -> float:
    """The rate at which M/M/1's quantile is the limit: Q(p) = −ln(1−p) / (capacity − rate)."""
    return capacity + log(1 - p) / (limit_us / 1e6)
