"""What the network between two machines did to a race: segments lost, and whether it was full."""

from collections.abc import Iterator, Sequence
from statistics import median

from bakeoff.judge.history import History
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan

RESENT_SHARE_MIN = 1e-4
"""Of all segments; fewer are hidden by what else makes requests late."""
RESENT_MIN = 10
FULL_SHARE = 0.8
"""Of what one connection carried before the race."""


def network_findings(plan: Plan, history: History, names: Sequence[str]) -> Iterator[Finding]:
    """Segments that either side sent again, and entries that fill the way in one direction."""
    seen = [end.network for end in history.ends if end.network]
    resent = {
        "server": (
            sum(each.server.retransmits for each in seen),
            sum(each.server.segments_out for each in seen),
        ),
        "load": (
            sum(each.load.retransmits for each in seen),
            sum(each.load.segments_out for each in seen),
        ),
    }
    lossy = {
        side: again / sent
        for side, (again, sent) in resent.items()
        if again >= RESENT_MIN and again >= RESENT_SHARE_MIN * sent
    }
    if lossy:
        yield Finding.of("segments_resent", sides=[*lossy], shares=[*lossy.values()])
    carried = next((way.bytes_per_s for way in plan.cluster.routes), None) if plan.cluster else None
    if not carried:
        return
    sent = _bytes_sent(plan)
    used = {
        name: median(
            max(each.bytes, sent * each.requests) / each.window_ns * 1e9 for each in events
        )
        / carried
        for name in names
        if (events := [each for each in history.events(name) if each.window_ns])
    }
    if full := {name: share for name, share in used.items() if share >= FULL_SHARE}:
        yield Finding.of(
            "network_full",
            names=[*full],
            shares=[*full.values()],
            carried_bytes_per_s=carried,
        )


def _bytes_sent(plan: Plan) -> float:
    """Of a mean request the body: what is sent is much, or its head is little beside the answer."""
    asked = plan.workload.asked.values()
    bodies = sum(each.weight * len(plan.workload.body(each)) for each in asked)
    return bodies / sum(each.weight for each in asked)
