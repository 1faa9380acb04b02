"""QUIC's datagrams under an entry's load, and those that were lost."""

from collections.abc import Iterator

from bakeoff.judge.history import History
from bakeoff.model.datagrams import Datagrams
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan


def together(history: History, name: str) -> Datagrams | None:
    """Over all its slices; None: it was not loaded over HTTP/3."""
    return Datagrams.together(
        (event.datagrams, event.requests_all) for event in history.events(name) if event.datagrams
    )


def missing(plan: Plan, history: History, name: str) -> Iterator[Finding]:
    """Full receive buffers or, without those, lost packets where no path is set to lose any; and
    handshakes that took longer than they need to."""
    seen = together(history, name)
    if seen and seen.retries:
        yield Finding.of("handshakes_retried", retries=seen.retries)
    if seen and seen.dropped:
        yield Finding.of(
            "datagrams_dropped",
            datagrams=seen.dropped,
            datagrams_carried=seen.sent + seen.received,
            datagrams_at_server=sum(end.dropped.get(name, 0) for end in history.ends) or None,
        )
    elif seen and seen.lost and plan.path is None and plan.cluster is None:
        yield Finding.of("quic_packets_lost", packets=seen.lost, packets_sent=seen.sent)
