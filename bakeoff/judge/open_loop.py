"""The offered load of an open loop, and whether server and generator kept up with it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from statistics import median

from bakeoff.histograms import TOP_US
from bakeoff.judge.history import History
from bakeoff.judge.latency import Merged, merge, merge_encoded, summary
from bakeoff.model.engine import SliceEvent
from bakeoff.model.entry import OpenLoop
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Slice

ANSWERED_MIN = 0.99
SEND_LAG_MAX_US = 50.0
SEND_LAG_MAX_SHARE = 0.05
"""The generator may be late by this share of the median latency, or by `SEND_LAG_MAX_US`."""


@dataclass(frozen=True)
class Offered:
    """An entry's slices, at least one, each with its offered rate, requests per second.

    `places` is how many requests may be under way; in rooms, how many messages.
    """

    events: tuple[tuple[float, SliceEvent], ...]
    places: int

    @classmethod
    def of(cls, slices: Iterable[Slice], places: int) -> "Offered | None":
        """The offered load of one entry's slices; None: none of them had a rate."""
        events = [
            (slice_.rate, slice_.event)
            for slice_ in slices
            if slice_.rate and slice_.event.window_ns
        ]
        return cls(tuple(events), places) if events else None

    @cached_property
    def rate(self) -> float:
        """The mean over the slices' time: boots may have been offered different rates."""
        window_ns = sum(event.window_ns for _, event in self.events)
        return sum(rate * event.window_ns for rate, event in self.events) / window_ns

    @property
    def due(self) -> int:
        return self.latency.answered + self.latency.misses

    @property
    def answered(self) -> int:
        return sum(event.requests for _, event in self.events)

    @property
    def share(self) -> float:
        """Answers that came within the windows, per request that was due in them."""
        return self.answered / self.due if self.due else 0.0

    @property
    def usual(self) -> float:
        """The median of that share over the slices: a host that stalls some of them does not lower
        it, but a server that can't keep up has its backlog in each."""
        return median(event.requests / max(1, event.due) for _, event in self.events)

    @cached_property
    def latency(self) -> Merged:
        return merge(event for _, event in self.events)

    @property
    def service(self) -> Merged:
        return merge_encoded(event.service or "" for _, event in self.events)

    @property
    def send_lag(self) -> Merged:
        return merge_encoded(event.send_lag or "" for _, event in self.events)

    @property
    def own_lag(self) -> Merged:
        """The send lag of slices in which a connection was free at any time: there the generator
        was late. In other slices requests waited for the server."""
        return merge_encoded(
            event.send_lag or ""
            for rate, event in self.events
            if not _crowded(rate, event, self.places)
        )

    @property
    def summary(self) -> OpenLoop:
        return OpenLoop(
            rate=self.rate,
            answered=self.share,
            service_us=summary(self.service),
            send_lag_us=summary(self.send_lag),
        )


def _crowded(rate: float, event: SliceEvent, places: int) -> bool:
    """Whether all places may have been taken: while the slowest request was served, at least as
    many requests as there are places were due, with three standard deviations of random
    arrivals."""
    slowest_us = merge_encoded([event.service or ""]).quantile_us(1.0)
    due = rate * (TOP_US if slowest_us is None else slowest_us) * 1e-6
    return due + 3 * sqrt(due) + 1 > places


def offered_to(plan: Plan, history: History, name: str) -> Offered | None:
    if plan.mode == "closed":
        return None
    slices = (slice_ for _, slice_ in history.slices(name))
    return Offered.of(slices, places=history.places(plan, name) // plan.workload.listeners)


def reasons(offered: Offered | None) -> Iterator[Finding]:
    """Why the figures of an open loop are invalid: the server was too slow for them."""
    if offered is None:
        return
    if offered.usual < ANSWERED_MIN:
        yield Finding.of(
            "rate_not_answered", answered_share=offered.usual, rate=offered.rate, least=ANSWERED_MIN
        )


def at_least(offered: Offered | None) -> Iterator[Finding]:
    """Why the server was at least as prompt as was measured: the generator was late.

    Latency counts from the time at which a request was due, so it includes the generator's lag, and
    a request that reaches a queue later is not answered sooner.
    """
    if offered is None:
        return
    lag_us = offered.own_lag.quantile_us(0.99)
    usual_us = offered.latency.quantile_us(0.5)
    most_us = max(SEND_LAG_MAX_US, SEND_LAG_MAX_SHARE * (usual_us or 0.0))
    if lag_us is not None and lag_us > most_us:
        yield Finding.of("generator_late", lag_us=lag_us, most_us=most_us)
