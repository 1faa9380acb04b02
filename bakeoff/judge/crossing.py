"""A contender's throughput–latency curve, and where it crosses its objective.

Each slice is compared with each condition of the objective. Each condition has its own curve, since
noise in one condition would else count against another. The curve is the mean score of each rung's
slices, made rising by pooling neighbours that are out of order (pool adjacent violators; Barlow et
al., Statistical Inference under Order Restrictions, 1972). It crosses 0 on the straight line
between two rungs, and the lowest crossing is the capacity.

How far the capacity may be from the truth is found by leaving out what was drawn together, group by
group (boots where there are two or more; else processes, draws, or blocks), and fitting the curves
anew. The jackknife's pseudo-values of the groups (Tukey; Efron and Stein, Annals of Statistics 9,
1981) have the interval of a mean: t with the number of groups less one. Groups are the same for all
contenders, so that the weather which they shared stays shared. To this is added where within a rung
the curve bends, uniformly over the possible error of the straight line.

This does not cover disturbances that last longer than a group. Short slices do not see the rare
long queue, which is in few of them; the interval has that besides (`UNSEEN` of capacity.py).
Against the theory of M/M/1 (p99 ≤ 10 ms; 40 runs each of one boot, 9 rounds) capacities of servers
of 5,000 and 20,000 requests/s come out 6.4 ± 0.4 and 2.7 ± 0.3 % high with slices of 0.3 s, 2.9 and
1.9 % with 1 s, 1.8 and 0.9 % with 2 s. Their ratio comes out 3.7 ± 0.5, 1.0 and 0.9 % low; that of
like servers is not biased.

M/M/1 servers of equal speed (10,000 requests/s, own noise of 1.5 %; 3 boots, 3 rounds each): of 39
runs none told the two apart, 1 of 78 capacities missed the runs' mean; half-widths 5.7 % (ratio)
and 3.8 % (capacity). Three boots make wide intervals.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from typing import get_args

import numpy as np

from bakeoff.histograms import TOP_US
from bakeoff.judge.latency import MIN_BEYOND, Merged, first_bytes, in_flight, merge, merge_encoded
from bakeoff.judge.open_loop import ANSWERED_MIN, SEND_LAG_MAX_SHARE, SEND_LAG_MAX_US, Offered
from bakeoff.judge.requests import part_of
from bakeoff.judge.spread import Floats, Indices
from bakeoff.judge.streams import first_events, gaps, last_listeners
from bakeoff.judge.tally import wrong_answers
from bakeoff.judge.validity import MAX_ERROR_SHARE, SATURATED
from bakeoff.model.capacity import CurvePoint, Objective, RequestPoint, Timed, quantile_name
from bakeoff.model.engine import RequestSlice, SliceEvent
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Slice

ANSWERED, ERRORS, GENERATOR = "answered", "errors", "generator"
CONNECTIONS, UNSTEADY = "connections", "unsteady"
CLIP = 1.0
"""Scores end here, at e times the limit and at 1/e of it, so that one slice that the host stalled
can't outweigh two that it left alone."""
REPLICATES = 2000
ALLOWED = 2.0
"""Standard deviations of the difference between streams that begin and that end in a window."""


@dataclass(frozen=True)
class Held:
    """A slice's `scores`: one for each condition, above 0 where it breaks it, from −1 to 1.

    A quantile with fewer than ten requests beyond it has no score. `late`: the generator was at its
    limit, so that a broken condition may be its fault. `queued`: most of the p99 is the wait for a
    free connection. `served_us`: the median from a request's sending on.
    """

    rate: float
    scores: Mapping[str, float]
    late: bool
    queued: bool = False
    served_us: float | None = None


def hold(slice_: Slice, objective: Objective) -> Held:
    """`slice_`, a slice with a rate, against `objective`.

    Quantiles: ln(quantile / limit), of all requests that were due in the window, those never
    answered infinitely late. Answered: by how much of 1 % the answers in the window fall short of
    the requests due in it. A queue that grows shows here, since its requests are answered after the
    window. Streams last long, and as many as were under way when the window began end in it: the
    chance variation of that number is allowed for, as it is of messages, each of which counts for
    all listeners of a room. Errors: ln(share / 0.1 %).
    """
    event, latency = slice_.event, merge([slice_.event])
    assert slice_.rate
    due = latency.answered + latency.misses
    answered = event.requests / due if due else 0.0
    if (event.events or event.rooms) and due:
        together = _listeners(event)
        answered += ALLOWED * together * sqrt(2 * in_flight([event]) / together) / due
    scores = {ANSWERED: _clipped((ANSWERED_MIN - answered) / (1 - ANSWERED_MIN))}
    bad = error_share(slice_, due)
    scores[ERRORS] = _clipped(log(bad / MAX_ERROR_SHARE)) if bad else -CLIP
    for bound in objective.bounds:
        times = timed([event], bound.of)
        if (times.answered + times.misses) * (1 - bound.p) >= MIN_BEYOND:
            us = times.quantile_us(bound.p)
            # Gaps of 0 are events that came at once.
            us = TOP_US if us is None else max(us, 1e-3)
            scores[bound.quantile] = _clipped(log(us / bound.limit_us))
    lag_us = merge_encoded([event.send_lag or ""]).quantile_us(0.99) or 0.0
    p99_us = timed([event], "first-event" if event.events else "latency").quantile_us(0.99)
    return Held(
        slice_.rate,
        scores,
        _late(slice_, latency),
        # A room has one message at a time, so messages wait for the server even so.
        queued=not event.rooms and lag_us > (p99_us or 0.0) / 2,
        served_us=merge_encoded([event.service or ""]).quantile_us(0.5),
    )


def timed(parts: Sequence[SliceEvent | RequestSlice], of: Timed) -> Merged:
    """All times of one kind. The events of a single request of a mix are not counted."""
    if of == "first-byte" and (first := first_bytes(parts)):
        return first
    events = [part for part in parts if isinstance(part, SliceEvent)]
    if of == "first-event":
        return first_events(events)
    if of == "last":
        return last_listeners(events)
    return gaps(events) if of == "gap" else merge(parts)


def _listeners(event: SliceEvent) -> float:
    """How many requests begin at a time: a message's listeners, or one."""
    rooms = event.rooms
    return rooms.due / (rooms.messages + rooms.unsent) if rooms and rooms.due else 1.0


def error_share(slice_: Slice, due: int) -> float:
    """Requests of the window that were answered wrongly or not at all, per request due in it."""
    event = slice_.event
    wrong = wrong_answers(event)
    # The engine counts wrong answers over ramp, window and drain: the window has its share.
    in_window = wrong * event.requests / event.requests_all if event.requests_all else wrong
    return (event.misses + in_window) / due if due else 1.0


def _late(slice_: Slice, latency: Merged) -> bool:
    """A core of the generator was busy, and it sent late.

    Lateness alone shows nothing: a request that finds every connection busy waits for the server.
    """
    if max(slice_.event.busy_cores) < SATURATED:
        return False
    lag_us = merge_encoded([slice_.event.send_lag or ""]).quantile_us(0.99)
    usual_us = latency.quantile_us(0.5) or 0.0
    return lag_us is None or lag_us > max(SEND_LAG_MAX_US, SEND_LAG_MAX_SHARE * usual_us)


def _clipped(score: float) -> float:
    return max(-CLIP, min(CLIP, score))


@dataclass(frozen=True)
class Climb:
    """All slices of one contender against one objective.

    `ln_rates` has the rungs, rising; `rung`, `block` and each of `scores` have one value a slice:
    its rung's place, its block's place in the run, its score or NaN.
    """

    ln_rates: Floats
    rung: Indices
    block: Indices
    scores: Mapping[str, Floats]


@dataclass(frozen=True)
class Crossing:
    """ln of the highest rate that holds; −∞: none did, ∞: all did. `limit`: the condition that
    broke first. `coarse`: the possible error of the straight line between two rungs, in ln rate."""

    ln_rate: float
    limit: str
    coarse: float


def climb(held: Sequence[Held], blocks: Sequence[int]) -> Climb:
    """The slices of one contender, at least one, each with the place of its block."""
    rates, rung = np.unique([each.rate for each in held], return_inverse=True)
    conditions = dict.fromkeys(name for each in held for name in each.scores)
    return Climb(
        ln_rates=np.log(rates),
        rung=rung,
        block=np.asarray(blocks, dtype=np.int64),
        scores={
            name: np.array([each.scores.get(name, np.nan) for each in held]) for name in conditions
        },
    )


def crossing(given: Climb, weights: Floats | None = None) -> Crossing:
    """The first condition to break, and where. Each slice counts `weights` times, or once."""
    counts = np.ones(len(given.rung)) if weights is None else weights
    crossings = [
        _crossed(given.ln_rates, *_curve(given, scores, counts), name)
        for name, scores in given.scores.items()
    ]
    return min(crossings, key=lambda crossing: crossing.ln_rate)


def fitted(given: Climb) -> dict[float, float]:
    """For each rate the highest of the fitted scores of all conditions: above 0 one is broken."""
    worst = np.full(len(given.ln_rates), -inf)
    counts = np.ones(len(given.rung))
    for scores in given.scores.values():
        places, fit = _curve(given, scores, counts)
        worst[places] = np.maximum(worst[places], fit)
    rates = np.exp(given.ln_rates)
    return {float(rate): float(score) for rate, score in zip(rates, worst, strict=True)}


def holds_somewhere(given: Climb) -> bool:
    """Whether the slices of some rate hold every condition, those of lower rates left aside."""
    counts = np.ones(len(given.rung))
    found = (_means(given, scores, counts) for scores in given.scores.values())
    return bool(set.intersection(*(set(places[means <= 0]) for places, means, _ in found)))


def _curve(given: Climb, scores: Floats, counts: Floats) -> tuple[Indices, Floats]:
    places, means, weights = _means(given, scores, counts)
    return places, rising_fit(means, weights) if len(places) else means


def _means(given: Climb, scores: Floats, counts: Floats) -> tuple[Indices, Floats, Floats]:
    """The rungs with known scores, the mean score of each, and how many slices it is of."""
    known = ~np.isnan(scores) & (counts > 0)
    size = len(given.ln_rates)
    weight = np.bincount(given.rung[known], counts[known], size)
    total = np.bincount(given.rung[known], counts[known] * scores[known], size)
    places = np.flatnonzero(weight)
    return places, total[places] / weight[places], weight[places].astype(np.float64)


def rising_fit(values: Floats, weights: Floats) -> Floats:
    """The nearest values, by weighted squares, of which none is less than the one before.

    Neighbours that fall become their mean (Ayer et al., Annals of Math. Statistics 26, 1955).
    """
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        count = 1
        while pools and pools[-1][0] >= value:
            before, its_weight, its_count = pools.pop()
            value = (before * its_weight + value * weight) / (its_weight + weight)
            weight, count = its_weight + weight, its_count + count
        pools.append((value, weight, count))
    return np.repeat([value for value, _, _ in pools], [count for _, _, count in pools])


def _crossed(ln_rates: Floats, places: Indices, fit: Floats, limit: str) -> Crossing:
    above = np.flatnonzero(fit > 0)
    if not len(above):
        return Crossing(inf, "", 0.0)
    first = int(above[0])
    if first == 0:
        return Crossing(-inf, limit, 0.0)
    low, high = ln_rates[places[first - 1]], ln_rates[places[first]]
    under, over = fit[first - 1], fit[first]
    climbed = float(over - under)
    # The steeper the step, the less is known of where the curve bends within it.
    coarse = float(high - low) / 2 * min(1.0, climbed / 2)
    return Crossing(float(low - under * (high - low) / climbed), limit, coarse)


def _clamped(given: Climb, weights: Floats) -> float:
    """ln rate of the crossing as a finite figure: a crossing beyond the rungs is at the outermost
    one."""
    low, high = float(given.ln_rates[0]), float(given.ln_rates[-1])
    return min(max(crossing(given, weights).ln_rate, low), high)


def has_quantile(given: Climb, quantile: str) -> bool:
    scores = given.scores.get(quantile)
    return scores is not None and bool(np.isfinite(scores).any())


def moved(climbs: Mapping[str, Climb], group_of: Indices, seed: int) -> dict[str, Floats]:
    """Δ* − Δ of each contender's ln capacity, shape (replicates,). `group_of`: each block's group.

    Each of `climbs` has a finite crossing. With a single group nothing is known: NaN.
    """
    rng = np.random.default_rng(seed)
    groups = np.unique(group_of)
    n, freedom = len(groups), max(1, len(groups) - 1)
    shares = rng.standard_normal((REPLICATES, n))
    shares *= np.sqrt(freedom / rng.chisquare(freedom, REPLICATES))[:, None]
    parts: dict[str, Floats] = {}
    for name, given in climbs.items():
        own = group_of[given.block]
        without = np.array([_clamped(given, (own != group).astype(float)) for group in groups])
        # Pseudo-values about their mean, over √(n (n − 1)): the standard error of that mean.
        error = (n - 1) * (without.mean() - without) / np.sqrt(n * freedom)
        bend = rng.uniform(-1, 1, REPLICATES) * crossing(given).coarse
        parts[name] = shares @ error + bend if n > 1 else np.full(REPLICATES, np.nan)
    return parts


Quantiles = Sequence[tuple[Timed, float]]
"""The kind of time, and the share of times that stays within it."""
TIMES: Sequence[Timed] = get_args(Timed)
ALWAYS = (0.5, 0.99)


def quantiles_of(objectives: Sequence[Objective]) -> Quantiles:
    """The latency's median and p99, and all quantiles that the objectives bound, rising."""
    bounds = [bound for objective in objectives for bound in objective.bounds]
    always: set[tuple[Timed, float]] = {("latency", p) for p in ALWAYS}
    wanted = always | {(bound.of, bound.p) for bound in bounds}
    return sorted(wanted, key=lambda each: (TIMES.index(each[0]), each[1]))


def curve(
    slices: Sequence[Slice], quantiles: Quantiles, places: int, listeners: int = 1
) -> tuple[CurvePoint, ...]:
    """A point for each rate, rising, from all of its slices: histograms are merged, never averaged.

    `places`: see `Offered`. `listeners`: how many hear a message; the rates and goodputs count it
    once.
    """
    by_rate: dict[float, list[Slice]] = {}
    for slice_ in slices:
        if slice_.rate:
            by_rate.setdefault(slice_.rate, []).append(slice_)
    return tuple(
        _point(rate, by_rate[rate], quantiles, places // listeners, listeners)
        for rate in sorted(by_rate)
    )


def _point(
    rate: float, slices: Sequence[Slice], quantiles: Quantiles, places: int, listeners: int
) -> CurvePoint:
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
        goodput=right / listeners / window_ns * 1e9 if window_ns else 0.0,
        quantiles_us=_quantiles_us(events, quantiles),
        cpu_us_per_request=cpu_ns / answered / 1e3 if answered else None,
        client_busy=sum(max(event.busy_cores) * event.window_ns for event in events) / window_ns,
        send_lag_us=offered.send_lag.quantile_us(0.99) if offered.send_lag.answered else None,
    )


def requests_at(
    plan: Plan, slices: Sequence[Slice], at: CurvePoint | None, quantiles: Quantiles
) -> Iterator[RequestPoint]:
    """Each request of a mix, at the rate of a point of the curve."""
    if at is None or not plan.workload.is_mix:
        return
    offered = [slice_ for slice_ in slices if slice_.rate == at.rate]
    for place, name in enumerate(plan.workload.by_name):
        parts = [part for slice_ in offered if (part := part_of(slice_, place))]
        merged = merge(parts)
        due = merged.answered + merged.misses
        failed = merged.misses + sum(map(wrong_answers, parts))
        yield RequestPoint(
            name=name,
            requests=due,
            # Wrong answers count over ramp and drain, too.
            errors=min(1.0, failed / due) if due else 0.0,
            quantiles_us=_quantiles_us(parts, quantiles),
        )


def nearest(points: Sequence[CurvePoint], rate: float | None, within: float) -> CurvePoint | None:
    """The point nearest to `rate`, by ratio; None where none is `within` that distance in ln
    rate."""
    if not points or not rate:
        return None
    near = min(points, key=lambda point: abs(log(point.rate / rate)))
    return near if abs(log(near.rate / rate)) <= within else None


def _quantiles_us(
    parts: Sequence[SliceEvent | RequestSlice], quantiles: Quantiles
) -> dict[str, float | None]:
    """Each quantile by its name; None where fewer than ten times lie beyond it."""
    times = {of: timed(parts, of) for of in {of for of, _ in quantiles}}
    return {
        quantile_name(p, of): times[of].quantile_us(p)
        if (times[of].answered + times[of].misses) * (1 - p) >= MIN_BEYOND - 1e-9
        else None
        for of, p in quantiles
    }
