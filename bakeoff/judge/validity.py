"""What makes an entry's figures invalid (reasons), lower bounds (at least) or doubtful (warnings).

That depends on its answers, its processes, and whether the server or the generator was the limit.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Literal

from bakeoff.judge import held_streams, open_loop, steadiness, warm_up
from bakeoff.judge.history import History
from bakeoff.judge.latency import in_flight
from bakeoff.judge.open_loop import Offered
from bakeoff.judge.steadiness import drift
from bakeoff.judge.tally import WRONG_ANSWERS, Tally
from bakeoff.model.engine import BadExchange
from bakeoff.model.finding import Finding
from bakeoff.model.findings.values import Value
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Verification
from bakeoff.model.samples import LEAK_SHARE_MAX

SATURATED = 0.9
NEAR_LIMIT = 0.85
FAR_FROM_SATURATED = 0.8
LITTLES_SHARE = 0.97
MAX_RECONNECT_SHARE = 0.001
MAX_ERROR_SHARE = 0.001
GROWTH_MIB_PER_S = 0.5
GROWTH_SHARE = 0.2
DRAINS_MIN_S = 5.0
"""Drains that cost a race less than this are not reported."""
NOT_TAKEN = "chain"
"""The kind of an answer that lacks a value that its connection takes from it: a wrong answer."""
UNASKED = "nobody asked for"
"""The engine's words for bytes that come after an answer."""

Limit = Literal["server", "client", "both", "rate", "unknown"]


def limited_by(plan: Plan, server_busy: float | None, client_busy: float) -> Limit:
    """Which side was at its limit: at least 90 % busy.

    On shared cores the limit is unknown. Where neither side was at its limit, an open loop was
    limited by its rate; for a closed loop the limit is unknown.
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


def client_core(plan: Plan, tally: Tally) -> int | None:
    cores = tally.client_cores
    if not 1 < len(cores) <= len(plan.cores.client):
        return None
    return plan.cores.client[cores.index(max(cores))]


def leak_share(tally: Tally, cores: int) -> float | None:
    """CPU used outside of its turns, as a share of its server cores; None: it can't be seen."""
    if not tally.leak_wall_ns:
        return None
    return tally.leak_ns / (tally.leak_wall_ns * cores)


def reasons(
    plan: Plan, name: str, history: History, judged: Tally, every: Tally, offered: Offered | None
) -> tuple[Finding, ...]:
    """Why the entry's figures are invalid; empty: they are valid.

    `judged` adds up the blocks that are judged, `every` all blocks: an error counts wherever it
    happened.
    """
    if not judged.slices:
        return unmeasured(name, history)
    return (
        *death(name, history),
        *_wrong_answers(name, history, every),
        *_unanswered(plan, name, history, every, "unanswered"),
        *_misconduct(plan, name, history),
        *few_connections(plan, name, history),
        *held_streams.not_held(plan, name, history),
        *([] if judged.requests else [Finding.of("no_answers")]),
        *open_loop.reasons(offered),
    )


def unmeasured(name: str, history: History) -> tuple[Finding, ...]:
    why = (*death(name, history), *_lost(name, history))
    return why[:1] or (Finding.of("not_measured"),)


def at_least(
    plan: Plan, name: str, history: History, judged: Tally, offered: Offered | None
) -> tuple[Finding, ...]:
    """Why the entry did at least what was measured, the generator being the limit; empty: it did
    exactly that."""
    return (
        *_upstream_limit(plan, name, judged),
        *_generator_limit(plan, name, judged),
        *_generator_slow(plan, name, history),
        *open_loop.at_least(offered),
    )


def _drains(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    """Over a path each slice ends with a round trip, and with the repetition of what was lost on
    it."""
    events = history.events(name)
    drained_ns = sum(event.drained_ns - event.end_ns for event in events)
    measured_ns = sum(event.window_ns for event in events)
    if drained_ns > max(measured_ns, DRAINS_MIN_S * 1e9) and not plan.path:
        yield Finding.of("drains", measured_s=measured_ns / 1e9, drained_s=drained_ns / 1e9)


def _bad_exchanges(name: str, history: History) -> list[BadExchange]:
    return [event.first_bad for event in history.events(name) if event.first_bad]


def _wrong_answers(name: str, history: History, tally: Tally) -> Iterator[Finding]:
    if tally.wrong_answers:
        yield answered_wrongly(tally, tally.wrong_answers)
    found = _bad_exchanges(name, history)
    # The answer counts; bytes after it would have been taken for the next answer.
    twice = next((bad.detail for bad in found if UNASKED in bad.detail), None)
    if twice is not None:
        yield Finding.of("answered_twice", detail=twice)
    if lacking := tally.error_kinds.get(NOT_TAKEN):
        first = next((bad.detail for bad in found if bad.kind == NOT_TAKEN), None)
        yield Finding.of("not_taken", n=lacking, detail=first)


def answered_wrongly(tally: Tally, wrong: int) -> Finding:
    first = tally.first_bad.detail if tally.first_bad else None
    return Finding.of("wrong_answers", wrong=wrong, attempts=tally.attempts, first_bad=first)


def _unanswered(
    plan: Plan, name: str, history: History, tally: Tally, code: str
) -> Iterator[Finding]:
    """`unanswered`, if there are more of them than the limit, or `few_unanswered`."""
    kinds = [kind for kind in tally.error_kinds if kind not in (*WRONG_ANSWERS, NOT_TAKEN)]
    missing = sum(tally.error_kinds[kind] for kind in kinds)
    many = missing > MAX_ERROR_SHARE * tally.attempts
    if not missing or many != (code == "unanswered"):
        return
    # A client that waits too long for its connection, while the kernel drops some.
    waited = {"timeout", "connect_timeout"} & set(tally.error_kinds)
    one_shot = plan.connection == "close" or not _keeps_alive(plan, name, history)
    late = one_shot and waited
    limit: dict[str, Value] = {"limit_share": MAX_ERROR_SHARE} if many else {}
    yield Finding.of(
        code,
        missing=missing,
        attempts=tally.attempts,
        kinds=kinds,
        counts=[tally.error_kinds[kind] for kind in kinds],
        broken_off=any(
            bad.kind == "timeout" and bad.response_base64 for bad in _bad_exchanges(name, history)
        ),
        dropped=history.tcp.listen_drops if late and history.tcp else None,
        **limit,
    )


def few_connections(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    opened = history.fewest_open(name)
    if plan.connection != "close" and opened is not None and opened < plan.connections:
        yield Finding.of("few_connections", opened=opened, connections=plan.connections)


def death(name: str, history: History) -> Iterator[Finding]:
    for how in history.died(name)[:1]:
        yield Finding.of("died", how=how)


def _lost(name: str, history: History) -> Iterator[Finding]:
    """Some of its processes ended while it was measured, or did not start."""
    lost = [how for end in history.ends for how in end.lost.get(name, ())]
    if lost:
        yield Finding.of("processes_lost", n=len(lost), how=lost[0])


def _generator_limit(plan: Plan, name: str, tally: Tally) -> Iterator[Finding]:
    """The generator is busy and the server far from it.

    A server that costs as little as its generator keeps it waiting, and waits for it: both are near
    90 %, and a limit there would make lower bounds of entries at random. Such an entry has a
    warning.
    """
    server, client = tally.server_busy(plan.server_cores_of(name)), tally.client_busy
    if server is None or server >= FAR_FROM_SATURATED:
        return
    if limited_by(plan, server, client) == "client":
        core = client_core(plan, tally)
        yield Finding.of(
            "generator_limit", client_busy=client, client_core=core, server_busy=server
        )


def _upstream_limit(plan: Plan, name: str, tally: Tally) -> Iterator[Finding]:
    """The upstream was at its limit, alone or together with the generator on the same cores."""
    server, cores = tally.server_busy(plan.server_cores_of(name)), tally.upstream_cores
    if server is None or server >= FAR_FROM_SATURATED or cores is None or plan.cores.shared:
        return
    client, upstream = tally.client_busy, cores / plan.upstream_cores
    # It is at work wherever there is room for it.
    together = fmean(tally.client_cores or (0.0,)) + cores / len(set(plan.cores.client))
    shares = not plan.cores.apart and not set(plan.upstream_cpus) - set(plan.cores.client)
    if upstream >= SATURATED or (shares and together >= SATURATED):
        yield Finding.of(
            "upstream_limit", upstream_busy=upstream, client_busy=client, server_busy=server
        )


def _generator_slow(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    """Closed loop without think time: a connection without a request waits in the generator.

    If a server ends connections with its answers, the waits for new ones are caused by the server.
    """
    if plan.mode == "open" or not _keeps_alive(plan, name, history):
        return
    waiting = in_flight(history.lasting(name))
    room = history.places(plan, name)
    share = waiting / room
    if waiting and share < LITTLES_SHARE:
        yield Finding.of(
            "generator_slow",
            in_flight=waiting,
            connections=plan.connections,
            pipeline=room // plan.connections,
            share=1 - share,
            limit_share=round(1 - LITTLES_SHARE, 2),
        )


def warnings(plan: Plan, name: str, history: History, tally: Tally) -> Iterator[Finding]:
    yield from out_in_boots(name, history)
    yield from _lost(name, history)
    yield from _unanswered(plan, name, history, tally, "few_unanswered")
    yield from _closing(plan, name, history, tally)
    yield from _drains(plan, name, history)
    yield from warm_up.warm_up(name, history)
    share = leak_share(tally, plan.server_cores_of(name))
    held = [end.held[name] for end in history.ends if name in end.held]
    if held:
        yield Finding.of("held_in_turns", share=max(held))
    elif share is not None and share > LEAK_SHARE_MAX:
        yield Finding.of("cpu_leak", share=share)
    # With few connections both sides wait for each other: the race has a warning of that.
    if not any(change.connections for change in history.changes):
        yield from _limit(plan, name, tally)
    still = list(steadiness.stood_still(plan, name, history))
    yield from still
    if not still and tally.requests and steadiness.fell_silent(plan, name, history):
        yield Finding.of("silent_slices", silent=tally.silent, slices=tally.slices)
    yield from drift(name, history)
    yield from _processes(name, history)
    yield from seen_in_answers([entry.verification for entry in history.started(name)])


def seen_in_answers(verifications: Sequence[Verification]) -> Iterator[Finding]:
    """What was noticed in a contender's answers before any load."""
    for text in dict.fromkeys(
        text for verification in verifications for text in verification.warnings
    ):
        yield Finding.of("verification", text=text)
    found = [finding for verification in verifications for finding in verification.findings]
    yield from (each for at, each in enumerate(found) if each not in found[:at])


def out_in_boots(name: str, history: History) -> Iterator[Finding]:
    out = history.out(name)
    for boot, reason in list(out.items())[:1]:
        yield Finding.of(
            "out_in_boots", n=len(out), boots=len(history.starts), boot=boot, reason=reason
        )


def _keeps_alive(plan: Plan, name: str, history: History) -> bool:
    """Whether it keeps connections as requested; in close mode no connection is kept."""
    kept = all(entry.verification.keeps_alive for entry in history.started(name))
    return plan.connection == "close" or kept


def _closing(plan: Plan, name: str, history: History, tally: Tally) -> Iterator[Finding]:
    """It closed connections; verification reports an entry that keeps none at all."""
    if plan.connection == "close" or not _keeps_alive(plan, name, history):
        return
    reopened = max(0, tally.connects - tally.idle_closed)
    if reopened > MAX_RECONNECT_SHARE * tally.attempts:
        yield Finding.of("connections_closed", reopened=reopened, attempts=tally.attempts)
    elif tally.idle_closed:
        yield Finding.of("idle_connections_closed", closed=tally.idle_closed)


def _limit(plan: Plan, name: str, tally: Tally) -> Iterator[Finding]:
    """The generator was near its limit, or neither side was at its limit."""
    client, server = tally.client_busy, tally.server_busy(plan.server_cores_of(name))
    core = client_core(plan, tally)
    if tally.cpu is None and limited_by(plan, None, client) == "client":
        yield Finding.of("server_unseen", client_busy=client, client_core=core)
    if server is None or plan.cores.shared:
        return
    if client >= NEAR_LIMIT and not any(_generator_limit(plan, name, tally)):
        yield Finding.of(
            "generator_near_limit", client_busy=client, client_core=core, server_busy=server
        )
    elif limited_by(plan, server, client) == "unknown" and tally.requests:
        if plan.path and plan.path.delay_ms and plan.mode == "closed":
            delay_us = plan.path.delay_ms * 1e3
            yield Finding.of(
                "path_limit", delay_us=delay_us, at_most_per_s=plan.places_of(name) / delay_us * 1e6
            )
            return
        yield Finding.of("limit_unknown", server_busy=server, client_busy=client, client_core=core)


def _misconduct(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    yield from _port_closed(name, history)
    strayed = {
        cpu for end in history.ends if name in end.conducts for cpu in end.conducts[name].strayed
    }
    if strayed:
        yield Finding.of("left_cores", cpus=list(plan.cores.server), strayed=sorted(strayed))


def _port_closed(name: str, history: History) -> Iterator[Finding]:
    """It refused connections, which on Linux a full listen queue never does: nothing listens."""
    for boot in history.boots:
        events = history.events(name, boot)
        died = any(name in end.died for end in history.ends if end.boot == boot)
        silent = bool(events) and not events[-1].requests
        if silent and not died and events[-1].errors.get("connect_refused", 0):
            address = next((entry.address for entry in history.started(name)), "")
            yield Finding.of("port_closed", port=address.rpartition(":")[2])
            return


def _processes(name: str, history: History) -> Iterator[Finding]:
    """Workers that ended, processes that escaped or had to be killed, memory that grew."""
    conducts = [end.conducts[name] for end in history.ends if name in end.conducts]
    # Only a warning: some servers recycle their workers on purpose, which is no less work.
    if ended := sum(conduct.ended for conduct in conducts):
        began = sum(conduct.began for conduct in conducts)
        yield Finding.of("workers_restarted", ended=ended, began=began)
    if escaped := max((conduct.escaped for conduct in conducts), default=0):
        yield Finding.of("processes_escaped", processes=escaped)
    stopped = [stop for end in history.ends for stop in end.stopped if stop.name == name]
    if killed := sum(stop.how == "SIGKILL" for stop in stopped):
        yield Finding.of("killed", n=killed, boots=len(stopped))
    if pids := {pid for stop in stopped for pid in stop.survivors}:
        yield Finding.of("outlived_sigkill", pids=sorted(pids))
    yield from _memory_grew(name, history)


def _memory_grew(name: str, history: History) -> Iterator[Finding]:
    """In every boot, and by a fifth of its memory: a large heap takes time to find its size.

    Of fifteen servers fourteen grew by 4 MiB at most in 24 to 36 s under load, or by less than a
    tenth; a Java heap that was not warm yet grew from 103 to 150 MiB.
    """
    grown = [
        (
            end.loaded[name].pss_mib - end.warmed[name].pss_mib,
            end.warmed[name].pss_mib,
            end.lasted_s,
        )
        for end in history.ends
        if name in end.loaded and name in end.warmed and end.lasted_s
    ]
    leaks = [
        mib >= GROWTH_SHARE * held and mib >= GROWTH_MIB_PER_S * lasted_s
        for mib, held, lasted_s in grown
    ]
    if leaks and all(leaks):
        mib, held, _ = max(grown)
        yield Finding.of(
            "memory_grew",
            mib_per_s=sum(mib for mib, _, _ in grown) / sum(lasted_s for _, _, lasted_s in grown),
            mib_before=held,
            mib_after=held + mib,
        )
