"""What was offered in an open loop, and whether server and generator kept up with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

from bakeoff.judge.history import History
from bakeoff.judge.latency import TOP_US, Merged, merge, merge_encoded, summary
from bakeoff.model.engine import SliceEvent
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Slice
from bakeoff.model.verdict import OpenLoop

ANSWERED_MIN = 0.99
SEND_LAG_MAX_US = 50.0
SEND_LAG_MAX_SHARE = 0.05
"""Of the median latency: the generator may be late by this much, or by `SEND_LAG_MAX_US`."""


@dataclass(frozen=True)
class Offered:
    """Slices with a rate, added up. `due` requests were due in their windows.

    `own_lag` is the send lag of those slices in which a connection was free at any time: what is
    late there, the generator was late with. Elsewhere requests waited for the server. `usual` is
    the median over the slices of the share that was answered: a host that stalls some of them
    takes nothing from it, a server that can't keep up has its backlog in each.
    """

    rate: float
    due: int
    answered: int
    latency: Merged
    service: Merged
    send_lag: Merged
    own_lag: Merged
    usual: float

    @property
    def share(self) -> float:
        """Answers that came within the windows, per request that was due in them."""
        return self.answered / self.due if self.due else 0.0

    @property
    def summary(self) -> OpenLoop:
        """As the verdict has it."""
        return OpenLoop(
            rate=self.rate,
            answered=self.share,
            service_us=summary(self.service),
            send_lag_us=summary(self.send_lag),
        )


def offered(pieces: Sequence[Slice], places: int) -> Offered | None:
    """The sum of `pieces`, one entry's slices; None where none of them had a rate.

    `places` is how many requests may be under way. Where boots offered different rates, `rate` is
    their mean over the slices' time.
    """
    events = [(piece.rate, piece.event) for piece in pieces if piece.rate]
    window_ns = sum(event.end_ns - event.start_ns for _, event in events)
    if not window_ns:
        return None
    latency = merge(event for _, event in events)
    return Offered(
        rate=sum(rate * (event.end_ns - event.start_ns) for rate, event in events) / window_ns,
        due=latency.answered + latency.misses,
        answered=sum(event.requests for _, event in events),
        latency=latency,
        service=merge_encoded(event.service or "" for _, event in events),
        send_lag=merge_encoded(event.send_lag or "" for _, event in events),
        own_lag=merge_encoded(
            event.send_lag or "" for rate, event in events if not _crowded(rate, event, places)
        ),
        usual=median(
            event.requests / max(1, event.latency_count + event.misses) for _, event in events
        ),
    )


def _crowded(rate: float, event: SliceEvent, places: int) -> bool:
    """Whether all places may have been taken: as many requests as there are were due, with three
    standard deviations of random arrivals, while the slowest one was served."""
    slowest_us = merge_encoded([event.service or ""]).quantile_us(1.0)
    due = rate * (TOP_US if slowest_us is None else slowest_us) * 1e-6
    return due + 3 * sqrt(due) + 1 > places


def offered_to(plan: Plan, seen: History, name: str) -> Offered | None:
    """What the entry called `name` was offered; None in a closed loop."""
    if plan.mode == "closed":
        return None
    return offered(
        [piece for _, piece in seen.slices(name)], places=plan.connections * plan.pipeline
    )


def shortfall(found: Offered | None) -> str:
    """Why the entry's figures can't stand: it did not answer what was offered; empty: it did."""
    if found is None or found.usual >= ANSWERED_MIN:
        return ""
    return (
        f"it answered {found.usual:.1%} of the {found.rate:,.0f} requests per second that it was "
        f"offered; {ANSWERED_MIN:.0%} is the least"
    )


def lateness(found: Offered | None) -> str:
    """The generator sent too late to tell anything: a reason too; empty: it was in time."""
    lag_us = found.own_lag.quantile_us(0.99) if found else None
    if found is None or lag_us is None:
        return ""
    usual_us = found.latency.quantile_us(0.5)
    most_us = max(SEND_LAG_MAX_US, SEND_LAG_MAX_SHARE * (usual_us or 0.0))
    if lag_us <= most_us:
        return ""
    return (
        f"the load generator was late: one request in a hundred left {lag_us:,.0f} µs or more "
        f"after it was due; {most_us:,.0f} µs is the most"
    )
