"""What makes an entry's figures invalid, and what only casts a shadow: a sentence each."""

from typing import Literal

from bakeoff.judge import answers, conduct
from bakeoff.judge.cost import leak_share
from bakeoff.judge.drift import drift
from bakeoff.judge.history import History
from bakeoff.judge.latency import in_flight
from bakeoff.judge.open_loop import Offered, lateness, shortfall
from bakeoff.judge.stalls import stood_still
from bakeoff.judge.tally import Tally
from bakeoff.judge.warmth import slowdowns, unsteady_boots
from bakeoff.model.plan import Plan

SATURATED = 0.9
NEAR_LIMIT = 0.85
FAR_FROM_SATURATED = 0.8
LITTLES_SHARE = 0.97
MAX_LEAK_SHARE = 0.01
MAX_RECONNECT_SHARE = 0.001

Limit = Literal["server", "client", "both", "rate", "unknown"]


def server_cores(plan: Plan, name: str) -> int:
    """How many cores an entry can use: those of the plan, or as many as it has workers."""
    return max(1, min(len(plan.cores.server), plan.workers_of(name)))


def limited_by(plan: Plan, server_busy: float | None, client_busy: float) -> Limit:
    """Which side had no more to give: 90 % busy or more.

    On shared cores neither can be told from the other, so nothing is said. Where both had more to
    give, an open loop was limited by its rate; of a closed one it is unknown.
    """
    if plan.cores.shared:
        return "unknown"
    server = server_busy is not None and server_busy >= SATURATED
    client = client_busy >= SATURATED
    if server:
        return "both" if client else "server"
    if client:
        return "client"
    return "rate" if plan.mode == "open" else "unknown"


def reasons(
    plan: Plan,
    name: str,
    seen: History,
    spent: Tally,
    whole: Tally,
    offered: Offered | None,
) -> tuple[str, ...]:
    """Why the entry's figures can't stand; empty: they can. `whole` counts every block."""
    if not spent.slices:
        return ("none of its slices was measured: the race ended before its turn",)
    found = [
        *answers.reasons(plan, name, seen, whole),
        *conduct.reasons(plan, name, seen),
        connections(plan, name, seen),
        _silence(spent),
        _generator(plan, name, spent),
        _little(plan, name, seen),
        shortfall(offered),
        lateness(offered),
        death(name, seen),
    ]
    return tuple(reason for reason in found if reason)


def connections(plan: Plan, name: str, seen: History) -> str:
    """Why its figures can't stand: too few connections were open; empty: all were."""
    opened = seen.fewest_open(name)
    if plan.connection == "close" or opened is None or opened >= plan.connections:
        return ""
    return f"only {opened} of {plan.connections} connections could be opened"


def death(name: str, seen: History) -> str:
    """Why its figures can't stand: it died in some boot; empty: in none."""
    how = seen.died(name)
    return f"it died under load: {how[0]}" if how else ""


def _silence(spent: Tally) -> str:
    return "" if spent.requests else "it answered no request"


def _generator(plan: Plan, name: str, spent: Tally) -> str:
    """The generator is busy and the server far from it.

    A server that costs as little as its generator keeps it waiting, and is kept waiting: both are
    near 90 %, and a bound there would strike out entries at random. Such an entry is warned of.
    """
    server = spent.server_busy(server_cores(plan, name))
    if server is None or server >= FAR_FROM_SATURATED:
        return ""
    if limited_by(plan, server, spent.client_busy) != "client":
        return ""
    return (
        f"the load generator was the limit: it was busy {spent.client_busy:.0%} of the time and "
        f"the server's cores only {server:.0%}"
    )


def _little(plan: Plan, name: str, seen: History) -> str:
    """Closed loop without think time: a connection without a request waits in the generator."""
    if plan.mode == "open":
        return ""
    waiting = in_flight(seen.lasting(name))
    share = waiting / (plan.connections * plan.pipeline)
    if share >= LITTLES_SHARE or not waiting:
        return ""
    depth = f" of {plan.pipeline} requests each" if plan.pipeline > 1 else ""
    return (
        f"{waiting:.1f} requests were in flight on average, with {plan.connections} connections"
        f"{depth}: {1 - share:.0%} of the time was spent in the load generator; 3 % is the limit"
    )


def warnings(plan: Plan, name: str, seen: History, spent: Tally) -> list[str]:
    """What a reader of the entry's figures should know."""
    still = stood_still(plan, name, seen)
    found = [
        outings(name, seen),
        answers.few_missing(plan, name, seen, spent),
        _closing(plan, name, seen, spent),
        _unsteady(name, seen),
        _leak(plan, name, spent),
        _unseen_server(plan, spent),
        _near_limit(plan, name, spent),
        _neither(plan, name, spent),
        still or _stalls(spent),
        drift(name, seen),
        *conduct.warnings(name, seen),
    ]
    said = [word for entry in seen.started(name) for word in entry.verification.warnings]
    return [warning for warning in found if warning] + list(dict.fromkeys(said))


def outings(name: str, seen: History) -> str:
    """The warning that it was out in some boots; empty: in none."""
    out = seen.out(name)
    if not out:
        return ""
    boot, reason = next(iter(out.items()))
    return f"it was out in {len(out)} of {len(seen.starts)} boots; in boot {boot + 1}: {reason}"


def _closing(plan: Plan, name: str, seen: History, spent: Tally) -> str:
    """Of one that keeps no connection at all that is said with its verification."""
    kept = all(entry.verification.keeps_alive for entry in seen.started(name))
    if plan.connection == "close" or not kept:
        return ""
    reopened = max(0, spent.connects - spent.idle_closed)
    if reopened > MAX_RECONNECT_SHARE * spent.attempts:
        return (
            f"it closed connections though keep-alive was asked: {reopened:,} were opened anew "
            f"for {spent.attempts:,} requests"
        )
    if spent.idle_closed:
        return (
            f"it closed {spent.idle_closed:,} idle connections between its turns; they were "
            "opened anew before each measurement"
        )
    return ""


def _unsteady(name: str, seen: History) -> str:
    boots = unsteady_boots(name, seen)
    if boots:
        return (
            f"its warm-up reached no steady state in {boots} of {len(seen.warmups)} boots: its "
            "figures may still have been changing"
        )
    slower = slowdowns(name, seen)
    if not slower:
        return ""
    boot, before, after = slower[0]
    return (
        f"it got slower while it was warmed up, in {len(slower)} of {len(seen.warmups)} boots: in "
        f"boot {boot + 1} from {before:,.0f} to {after:,.0f} requests/s"
    )


def _leak(plan: Plan, name: str, spent: Tally) -> str:
    share = leak_share(spent, server_cores(plan, name))
    if share is None or share <= MAX_LEAK_SHARE:
        return ""
    return f"it used {share:.1%} of the server's cores while others had their turn"


def _unseen_server(plan: Plan, spent: Tally) -> str:
    if spent.cpu is not None or limited_by(plan, None, spent.client_busy) != "client":
        return ""
    return (
        f"the load generator was busy {spent.client_busy:.0%} of the time and the server's CPU "
        "can't be seen: the generator may have been the limit"
    )


def _near_limit(plan: Plan, name: str, spent: Tally) -> str:
    server = spent.server_busy(server_cores(plan, name))
    if plan.cores.shared or server is None or spent.client_busy < NEAR_LIMIT:
        return ""
    return (
        f"the load generator was busy {spent.client_busy:.0%} of the time and the server "
        f"{server:.0%}: at moments the generator was the limit, and the server may be up to "
        f"{max(0.0, 1 / server - 1):.0%} faster than measured"
    )


def _neither(plan: Plan, name: str, spent: Tally) -> str:
    """Both had more to give, and what held them up isn't known."""
    server = spent.server_busy(server_cores(plan, name))
    if server is None or plan.cores.shared or spent.client_busy >= NEAR_LIMIT:
        return ""
    if limited_by(plan, server, spent.client_busy) != "unknown" or not spent.requests:
        return ""
    return (
        f"its limit is unknown: the server was busy {server:.0%} of the time and the load "
        f"generator {spent.client_busy:.0%}"
    )


def _stalls(spent: Tally) -> str:
    if not spent.silent or not spent.requests:
        return ""
    return f"{spent.silent:,} of its {spent.slices:,} slices passed without a single answer"
