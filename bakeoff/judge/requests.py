"""The figures of each request of a mix, and the requests in which two entries differ unusually.

A request that costs more holds up all others that wait behind it, so at full load all of them seem
slower. Hence, wherever slices with one request under way at a time were measured, ratios are taken
from those: of the geometric means of a request's latencies, paired by block like all ratios. (A
slice has a dozen answers to each request. One that the machine held up for some ms would hide all
others in their arithmetic mean.)
"""

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from math import exp, isfinite

import numpy as np

from bakeoff.judge import latency
from bakeoff.judge.compare import MIN_BLOCKS, width
from bakeoff.judge.history import History, judged_kind
from bakeoff.judge.paired import pair_up
from bakeoff.judge.spread import Estimate
from bakeoff.model.engine import RequestSlice
from bakeoff.model.finding import Finding
from bakeoff.model.pairs import MixedRequest, Pair, RequestEntry, RequestPair, pair_of
from bakeoff.model.plan import Plan
from bakeoff.model.ratio import Interval, Told
from bakeoff.model.samples import Slice

MOST_TOLD = 5
"""The number of requests that are named for an unusual difference; the table has all."""


def mixed_requests(
    plan: Plan, history: History, entries: Sequence[str], ranked: Sequence[str]
) -> tuple[MixedRequest, ...]:
    """A row for each request of the plan's mix; none where it has one request.

    `entries` were measured. Each pair of the `ranked` ones, which are in the order of the
    standings, is compared, with one family of intervals over all requests and pairs.
    """
    if not plan.workload.is_mix:
        return ()
    sent = plan.workload.by_name
    weights = sum(each.weight for each in sent.values())
    pairs = _compared(history, ranked, len(sent))
    return tuple(
        MixedRequest(
            name=name,
            share=each.weight / weights,
            expects=each.expect.status if each.expect else 200,
            singly=bool(history.singles),
            entries=tuple(_entry(history, entry, place) for entry in entries),
            pairs=pairs[place],
        )
        for place, (name, each) in enumerate(sent.items())
    )


def disagreements(requests: Sequence[MixedRequest], pairs: Sequence[Pair]) -> Iterator[Finding]:
    """The requests in which two entries differ otherwise than in most, the widest gaps first."""
    found = [
        (request, pair) for request in requests for pair in request.pairs if pair.differs_from_most
    ]
    found.sort(key=lambda each: -abs(np.log(each[1].gap.ratio)))
    for request, pair in found[:MOST_TOLD]:
        # The finding is about the one that does worse here than elsewhere: readers look for that.
        told = pair.turned() if pair.gap.ratio > 1 else pair
        over_all = pair_of(pairs, told.a, told.b)
        yield Finding.of(
            "request_differs",
            request=request.name,
            name=told.a,
            other=told.b,
            ratio=told.ratio.ratio,
            low=told.ratio.low,
            high=told.ratio.high,
            whole_ratio=over_all.ratio.ratio if over_all else None,
            singly=request.singly,
        )


def part_of(slice_: Slice, place: int) -> RequestSlice | None:
    parts = slice_.event.by_request
    return parts[place] if parts and place < len(parts) else None


def ln_quickness(slice_: Slice, place: int) -> float:
    """−(mean of ln latency in µs) of one request; NaN where none of it was answered."""
    part = part_of(slice_, place)
    return -latency.mean_ln_us(part.latency) if part else float("nan")


def _compared(history: History, names: Sequence[str], count: int) -> list[tuple[RequestPair, ...]]:
    """For each request the pairs of `names` that have enough blocks."""
    if history.singles:
        up = partial(pair_up, history.singles)
    else:
        kind = judged_kind(history.blocks)
        up = partial(pair_up, [block for block in history.blocks if block.kind == kind])
    tables = [
        up(history.draws, names, partial(ln_quickness, place=place)) for place in range(count)
    ]
    wanted = list(combinations(names, 2))
    found: list[list[RequestPair]] = [[] for _ in range(count)]
    for a, b in wanted:
        # Of shape (requests, blocks).
        ratios = np.array([table.log_ratio(a, b) for table in tables])
        with warnings.catch_warnings():
            # A block without any request of either has no median.
            warnings.simplefilter("ignore", RuntimeWarning)
            gaps = ratios - np.nanmedian(ratios, axis=0)
        for place, table in enumerate(tables):
            if int(np.isfinite(ratios[place]).sum()) < MIN_BLOCKS:
                continue
            own, gap = (table.estimate_of(each[place], a, b) for each in (ratios, gaps))
            half, gap_half = (
                width(each, count * len(wanted), any_time=history.any_time).simultaneous
                for each in (own, gap)
            )
            if isfinite(half) and isfinite(gap_half):
                found[place].append(_pair(a, b, own, half, gap, gap_half))
    return [tuple(each) for each in found]


def _pair(
    a: str, b: str, own: Estimate, half: float, gap: Estimate, gap_half: float
) -> RequestPair:
    """`a` over `b` in one request, with the half-widths of both figures, in ln ratio."""
    ratio = _interval(own, half)
    finding: Told = "faster" if ratio.low > 1 else "slower" if ratio.high < 1 else "can't tell"
    return RequestPair(a=a, b=b, ratio=ratio, finding=finding, gap=_interval(gap, gap_half))


def _interval(given: Estimate, half: float) -> Interval:
    low, high = exp(given.centre - half), exp(given.centre + half)
    return Interval(ratio=exp(given.centre), low=low, high=high, n=given.spread.blocks)


def _entry(history: History, name: str, place: int) -> RequestEntry:
    events = history.events(name)
    window_s = sum(event.window_ns for event in events) * 1e-9
    every = [part for _, piece in history.slices(name) if (part := part_of(piece, place))]
    lasting = [event.by_request[place] for event in history.lasting(name) if event.by_request]
    singly = [
        part
        for block in history.singles
        for piece in block.slices
        if piece.entry == name and (part := part_of(piece, place))
    ]
    merged = latency.merge(lasting)
    first = latency.first_bytes(lasting)
    alone = sum(part.latency_count for part in singly)
    errors: dict[str, int] = {}
    for part in (*every, *singly):
        for kind, count in part.errors.items():
            errors[kind] = errors.get(kind, 0) + count
    requests = sum(part.requests for part in every)
    alone_us = sum(part.latency_count * part.latency_mean_us for part in singly)
    return RequestEntry(
        name=name,
        requests=requests,
        requests_per_s=requests / window_s if window_s else 0.0,
        latency_us=latency.summary(merged),
        first_byte_us=first and latency.summary(first),
        latency_n=merged.answered + merged.misses,
        alone_us=alone_us / alone if alone else None,
        error_kinds=dict(sorted(errors.items())),
    )
