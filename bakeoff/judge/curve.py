"""A contender's throughput–latency curve: what its slices at each offered rate add up to."""

from collections.abc import Iterator, Sequence
from math import log

from bakeoff.judge.crossing import error_share
from bakeoff.judge.latency import MIN_BEYOND, Merged, merge
from bakeoff.judge.open_loop import Offered
from bakeoff.judge.requests import part_of
from bakeoff.judge.tally import wrong_answers
from bakeoff.model.capacity import CurvePoint, Objective, RequestPoint
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Slice

ALWAYS = (0.5, 0.99)


def quantiles_of(objectives: Sequence[Objective]) -> list[float]:
    """The median, p99, and all that the objectives bound, rising."""
    return sorted({bound.p for each in objectives for bound in each.bounds} | set(ALWAYS))


def curve(slices: Sequence[Slice], ps: Sequence[float], places: int) -> tuple[CurvePoint, ...]:
    """A point for each rate, rising, from all of its slices: histograms are merged, never averaged.

    `ps`: the quantiles. `places`: see `Offered`.
    """
    by_rate: dict[float, list[Slice]] = {}
    for slice_ in slices:
        if slice_.rate:
            by_rate.setdefault(slice_.rate, []).append(slice_)
    return tuple(_point(rate, by_rate[rate], ps, places) for rate in sorted(by_rate))


def _point(rate: float, slices: Sequence[Slice], ps: Sequence[float], places: int) -> CurvePoint:
    offered = Offered.of(slices, places)
    assert offered
    events = [slice_.event for slice_ in slices]
    window_ns = sum(event.window_ns for event in events)
    errors = [error_share(each, each.event.due) * each.event.due for each in slices]
    misses = sum(event.misses for event in events)
    visible = [slice_ for slice_ in slices if slice_.server_cpu and slice_.event.requests_all]
    cpu_ns = sum(slice_.server_cpu.total_ns for slice_ in visible if slice_.server_cpu)
    answered = sum(slice_.event.requests_all for slice_ in visible)
    right = max(0.0, offered.answered - (sum(errors) - misses))
    return CurvePoint(
        rate=rate,
        slices=len(slices),
        requests=offered.due,
        answered=offered.share,
        errors=sum(errors) / offered.due if offered.due else 0.0,
        goodput=right / window_ns * 1e9 if window_ns else 0.0,
        quantiles_us=_quantiles_us(offered.latency, ps),
        cpu_us_per_request=cpu_ns / answered / 1e3 if answered else None,
        client_busy=sum(max(event.busy_cores) * event.window_ns for event in events) / window_ns,
        send_lag_us=offered.send_lag.quantile_us(0.99) if offered.send_lag.answered else None,
    )


def requests_at(
    plan: Plan, slices: Sequence[Slice], at: CurvePoint | None, ps: Sequence[float]
) -> Iterator[RequestPoint]:
    """Each request of a mix, at the rate of a point of the curve."""
    if at is None or not plan.workload.is_mix:
        return
    offered = [slice_ for slice_ in slices if slice_.rate == at.rate]
    for place, name in enumerate(plan.workload.asked):
        parts = [part for slice_ in offered if (part := part_of(slice_, place))]
        merged = merge(parts)
        due = merged.answered + merged.misses
        failed = merged.misses + sum(map(wrong_answers, parts))
        yield RequestPoint(
            name=name,
            requests=due,
            # Wrong answers count over ramp and drain, too.
            errors=min(1.0, failed / due) if due else 0.0,
            quantiles_us=_quantiles_us(merged, ps),
        )


def nearest(points: Sequence[CurvePoint], rate: float | None, within: float) -> CurvePoint | None:
    """The point nearest to `rate`, by ratio; None where none is `within` that of ln rate."""
    if not points or not rate:
        return None
    near = min(points, key=lambda point: abs(log(point.rate / rate)))
    return near if abs(log(near.rate / rate)) <= within else None


def _quantiles_us(latency: Merged, ps: Sequence[float]) -> dict[str, float | None]:
    """Each quantile by its name; None where fewer than ten requests lie beyond it."""
    n = latency.answered + latency.misses
    return {
        f"p{p * 100:.6g}": latency.quantile_us(p) if n * (1 - p) >= MIN_BEYOND - 1e-9 else None
        for p in ps
    }
