"""The connections that servers can take, found before the warm-up and not by minutes of waiting.

Some servers serve few connections at a time, and the others wait until one of these is closed. Some
have a listen queue that is too short for the load: a client whose connection meets a full queue
gets no reply, and tries again after 1 s, 3 s, 7 s. If each answer ends its connection, 64 clients
of a queue of five wait most of the time, and so does a race. The queue's length alone says little,
as a fast server empties a short one in time. So the kernel counts the connections that meet a full
one while the load connects, and in a slice of load.
"""

from collections.abc import Mapping

from bakeoff.model.cut import WARM_UP_SLICE_MS
from bakeoff.model.protocol import OVER_UDP
from bakeoff.model.samples import PlanChange
from bakeoff.report.figures import plural
from bakeoff.runs.measuring.contenders import NotAsPlanned, leave_out
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.session import Session

AT_ONCE_MS = 200
"""Connections that meet no full queue are made within this time: the next try follows after a
second."""
HELD_UP = 3.0
"""A slice that took this many times its length has clients that wait for their second try."""


def connect_within_limits(session: Session) -> Meter:
    """Find how many connections all running contenders can take, and connect to them.

    Raises `NotAsPlanned` if that is less than planned: the race has fewer connections if the plan
    leaves their number open; otherwise those contenders are out.
    """
    _check_at_a_time(session)
    short = _short_queues(session)
    if session.plan.fewer_connections:
        full = {}
        for running in session.running:
            if running.entry.name in short:
                # Without waiting for the second try of a connection.
                before = _turned_away(session)
                session.new_load([running], connect_timeout_ms=AT_ONCE_MS).close()
                if _turned_away(session) > before:
                    full[running.entry.name] = short[running.entry.name]
        _have_fewer(session, full)
    before = _turned_away(session)
    session.connect()
    session.weigh_connections()
    # The kernel counts for all together; only contenders with short queues can be the cause.
    has_overflowed = _turned_away(session) > before
    meter = Meter(session)
    _check_under_load(meter, session, short, has_overflowed)
    return meter


def _check_at_a_time(session: Session) -> None:
    """Send requests on as many kept connections as are planned, one after another."""
    plan, servers = session.plan, session.context.stages.servers
    served = {}
    for each in session.running:
        if not _ends_connections(each, session) and not each.entry.twin_of:
            most = servers.connections_at_a_time(
                each.handle, each.entry, plan.workload, plan.connections
            )
            if most is not None:
                served[each.entry.name] = most
    if served and plan.fewer_connections:
        least = min(served.values())
        who = ", ".join(f"{name} serves {n} at a time" for name, n in served.items())
        session.context.watch.step(_instead(least, session, f"the others would wait: {who}"))
        raise NotAsPlanned(PlanChange(connections=least, served=dict(sorted(served.items()))))
    few = {
        name: f"it serves {n} of {plan.connections} connections at a time, and lets the others "
        f"wait until one of these is closed: use -c {n}, or --close, or give it more workers or "
        "threads"
        for name, n in served.items()
    }
    leave_out(few, session.context.watch)


def _short_queues(session: Session) -> dict[str, int]:
    """The places in queues with fewer places than there are connections, as the kernel reports."""
    short = {}
    for running in session.running:
        if running.handle.protocol in OVER_UDP:
            continue
        address = running.handle.address
        port = int(address.rpartition(":")[2])
        places = session.context.stages.meters.at(address).listen_queue(port)
        if not running.entry.twin_of and places is not None and places < session.plan.connections:
            short[running.entry.name] = max(1, places)
    return short


def _check_under_load(
    meter: Meter, session: Session, short: Mapping[str, int], has_overflowed: bool
) -> None:
    """See whether all of the load gets through the `short` queues.

    `has_overflowed`: a queue did so when the load connected. Contenders whose answers end their
    connections are loaded for a slice each.
    """
    plan = session.plan
    full: dict[str, int] = {}
    held_up: list[str] = []
    for each in session.running:
        name = each.entry.name
        if name not in short:
            continue
        if not _ends_connections(each, session):
            if has_overflowed:
                full[name] = short[name]
                if session.connections_open[name] < plan.connections:
                    held_up.append(name)
            continue
        before = _turned_away(session)
        event = meter.slice(name, 0, ramp_ms=0, duration_ms=WARM_UP_SLICE_MS).event
        if _turned_away(session) > before:
            full[name] = short[name]
            if event.drained_ns - event.start_ns > HELD_UP * WARM_UP_SLICE_MS * 1e6:
                held_up.append(name)
    if plan.fewer_connections:
        _have_fewer(session, full)
    out = {
        name: f"its listen queue has room for {short[name]} and overflows with {plan.connections} "
        f"connections: further connections wait a second or more; use -c {short[name]}, or have it "
        "listen with a longer queue"
        for name in held_up
    }
    leave_out(out, session.context.watch)


def _have_fewer(session: Session, full: Mapping[str, int]) -> None:
    """Raises `NotAsPlanned` if a queue is `full`, for as many connections as the shortest has
    places."""
    if full:
        least = min(full.values())
        queues = ", ".join(f"that of {name} has room for {n}" for name, n in full.items())
        session.context.watch.step(_instead(least, session, f"listen queues overflow: {queues}"))
        raise NotAsPlanned(PlanChange(connections=least, places=dict(sorted(full.items()))))


def _turned_away(session: Session) -> int:
    """How many connections have met a full queue, if the kernel reports it."""
    tcp = session.context.stages.meters.tcp()
    return tcp.listen_overflows if tcp else 0


def _ends_connections(running: Running, session: Session) -> bool:
    """Whether each answer ends its connection."""
    return session.plan.connection == "close" or not running.verification.keeps_alive


def _instead(least: int, session: Session, why: str) -> str:
    return f"{plural(least, 'connection')} instead of {session.plan.connections}, as {why}"
