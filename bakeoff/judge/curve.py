"""The throughput–latency curve of one contender: what each offered rate did to it."""

from collections.abc import Sequence
from math import log

from bakeoff.judge.latency import MIN_BEYOND, Merged
from bakeoff.judge.open_loop import offered
from bakeoff.judge.slo import error_share
from bakeoff.model.capacity import CurvePoint, Objective
from bakeoff.model.samples import Slice

ALWAYS = (0.5, 0.99)
SATURATION = 1.5
AT, NEAR_SATURATION = 0.06, 0.15
"""In ln rate: how far from the capacity, and from 1.5 times it, a point may be to stand for it."""


def curve(
    pieces: Sequence[Slice], objectives: Sequence[Objective], places: int
) -> tuple[CurvePoint, ...]:
    """A point for each rate, rising, from all of its slices: histograms are merged, never averaged.

    Quantiles: the median, p99, and all that the objectives bound. `places`: see `offered`.
    """
    bounds = {bound.p for each in objectives for bound in each.bounds} | set(ALWAYS)
    by_rate: dict[float, list[Slice]] = {}
    for piece in pieces:
        if piece.rate:
            by_rate.setdefault(piece.rate, []).append(piece)
    return tuple(_point(rate, by_rate[rate], sorted(bounds), places) for rate in sorted(by_rate))


def nearest(points: Sequence[CurvePoint], rate: float, within: float) -> CurvePoint | None:
    """The point nearest to `rate`, by ratio; None where none is `within` that of ln rate."""
    if not points or rate <= 0:
        return None
    near = min(points, key=lambda point: abs(log(point.rate / rate)))
    return near if abs(log(near.rate / rate)) <= within else None


def _point(rate: float, pieces: Sequence[Slice], ps: Sequence[float], places: int) -> CurvePoint:
    found = offered(pieces, places)
    assert found
    events = [piece.event for piece in pieces]
    window_ns = sum(event.window_ns for event in events)
    errors = [error_share(each, each.event.due) * each.event.due for each in pieces]
    misses = sum(event.misses for event in events)
    seen = [piece for piece in pieces if piece.server_cpu and piece.event.requests_all]
    cpu_ns = sum(piece.server_cpu.total_ns for piece in seen if piece.server_cpu)
    asked = sum(piece.event.requests_all for piece in seen)
    right = max(0.0, found.answered - (sum(errors) - misses))
    return CurvePoint(
        rate=rate,
        slices=len(pieces),
        requests=found.due,
        answered=found.share,
        errors=sum(errors) / found.due if found.due else 0.0,
        goodput=right / window_ns * 1e9 if window_ns else 0.0,
        quantiles_us={f"p{p * 100:.6g}": _told(found.latency, p) for p in ps},
        cpu_us_per_request=cpu_ns / asked / 1e3 if asked else None,
        client_busy=sum(event.busy * event.window_ns for event in events) / window_ns,
        send_lag_us=found.send_lag.quantile_us(0.99) if found.send_lag.answered else None,
    )


def _told(latency: Merged, p: float) -> float | None:
    """The quantile, where ten requests lie beyond it."""
    n = latency.answered + latency.misses
    return latency.quantile_us(p) if n * (1 - p) >= MIN_BEYOND - 1e-9 else None
