"""Listen queues too short for the load: seen before the warm-up, not after minutes of it.

A client whose connection meets a full queue is not told: it asks again after 1 s, 3 s, 7 s. Where
each answer ends its connection, 64 clients of a queue of five wait most of the time, and so does a
race. The queue's length alone says little, as a fast server empties a short one in time. So a slice
is loaded, and the kernel counts who met a full one.
"""

from bakeoff.model.samples import WARM_UP_SLICE_MS, PlanChange
from bakeoff.runs.measuring.contenders import NotAsPlanned
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.session import Session

HELD_UP = 3.0
"""A slice that took so many times its length has clients that wait for their second try."""


def check_queues(meter: Meter, session: Session) -> None:
    """Load those whose answers end their connections for a slice each.

    Raises `NotAsPlanned` where queues overflow: there are fewer connections, if the plan leaves it
    open how many, else those are out that this holds up.
    """
    plan, meters = session.plan, session.context.stages.meters
    full: dict[str, int] = {}
    held_up: list[str] = []
    for each in session.running:
        name = each.entry.name
        one_shot = plan.connection == "close" or not each.verification.keeps_alive
        if not one_shot or each.entry.twin_of:
            continue
        places = meters.listen_queue(int(each.handle.address.rpartition(":")[2]))
        before = meters.tcp()
        event = meter.slice(name, 0, ramp_ms=0, duration_ms=WARM_UP_SLICE_MS).event
        after = meters.tcp()
        overflowed = before and after and after.listen_overflows > before.listen_overflows
        if places is not None and places < plan.connections and overflowed:
            full[name] = max(1, places)
            if event.drained_ns - event.start_ns > HELD_UP * WARM_UP_SLICE_MS * 1e6:
                held_up.append(name)
    if full and plan.fewer_connections:
        least = min(full.values())
        queues = ", ".join(f"that of {name} has room for {n}" for name, n in full.items())
        instead = f"{least} connections instead of {plan.connections}"
        session.context.watch.step(f"{instead}, as listen queues overflow: {queues}")
        raise NotAsPlanned(PlanChange(connections=least, places=dict(sorted(full.items()))))
    out = {name: _reason(plan.connections, full[name]) for name in held_up}
    for name, reason in out.items():
        session.context.watch.out(name, reason)
    if out:
        raise NotAsPlanned(PlanChange(out=out))


def _reason(connections: int, places: int) -> str:
    return (
        f"its listen queue has room for {places} and overflows with {connections} connections, "
        "each of which carries one request: whoever is turned away waits a second or more; use "
        f"-c {places}, or have it listen with a longer queue"
    )
