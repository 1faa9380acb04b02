"""Where contenders' work is unequal: a plain sentence each, and only where it matters."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from bakeoff.judge import headers
from bakeoff.judge.groups import listed, rest, several, who
from bakeoff.model.audit import Audit, Work
from bakeoff.model.plan import Plan

LOGS_BYTES = 1.0
NAGLE_APART_MS = (20, 250)
NAGLE_ANSWER_MS = (38, 48)

Works = Mapping[str, Work]


def unequal(plan: Plan, works: Works) -> tuple[str, ...]:
    """What some of `works` do and others don't, the gravest first."""
    found = [
        _early(works),
        _too_few_at_work(plan, works),
        _more_at_work(plan, works),
        _logs(works),
        _writes(works),
        _nagle(works),
        *(_keep_alive(works) if plan.connection == "keep-alive" else []),
        _stays_open(works),
        *_dates(works),
        _sizes("bodies", {name: work.body_bytes for name, work in works.items()}),
        _sizes("heads", {name: work.head_bytes for name, work in works.items()}),
        *headers.unequal({name: work.headers for name, work in works.items() if work.headers}),
        _old_clients(works) if plan.connection == "keep-alive" else "",
    ]
    return tuple(sentence for sentence in found if sentence)


def _early(works: Works) -> str:
    """Who doesn't read requests does less than any server must."""
    names = [name for name, audit in _audits(works).items() if not audit.awaits_request]
    if not names:
        return ""
    return (
        f"{who(names)} {several(names, 'answers', 'answer')} before a request is complete: "
        f"{several(names, 'it does', 'they do')} not read it to its end"
    )


def _too_few_at_work(plan: Plan, works: Works) -> str:
    """Half of them or fewer: chance gives some workers more connections than others.

    Of fewer connections than workers, some workers have none.
    """
    expected = min(plan.workers, plan.connections)
    alike: dict[tuple[int, int], list[str]] = {}
    for name, work in works.items():
        if work.crew and 0 < 2 * work.crew.threads_at_work <= expected:
            key = (work.crew.processes, work.crew.threads_at_work)
            alike.setdefault(key, []).append(name)
    parts = [
        f"{who(names)} {'' if place else 'ran '}{_count(processes, 'process', 'processes')} with "
        f"{_count(threads, 'thread')} at work"
        for place, ((processes, threads), names) in enumerate(sorted(alike.items()))
    ]
    comma = "," if len(parts) > 1 else ""
    asked = f"{comma} where {_count(plan.workers, 'worker')} were asked for"
    return f"{', '.join(parts)}{asked}" if parts else ""


def _more_at_work(plan: Plan, works: Works) -> str:
    """Only where there are cores for them: more threads on one core do no more work."""
    cores = len(plan.cores.server)
    more = {
        name: work.crew.threads_at_work
        for name, work in works.items()
        if work.crew and work.crew.threads_at_work > plan.workers
    }
    if not more or cores <= plan.workers:
        return ""
    asked = f"{plan.workers} {several(plan.workers, 'that was', 'that were')} asked for"
    return (
        f"{who(more)} kept more threads at work ({_figures(more.values())}) than the {asked}, "
        f"and had {cores} cores for them"
    )


def _logs(works: Works) -> str:
    loud = {
        name: round(work.written_per_request)
        for name, work in works.items()
        if work.written_per_request is not None and work.written_per_request > LOGS_BYTES
    }
    return f"{who(loud)} wrote {_figures(loud.values())} bytes of log per request" if loud else ""


def _writes(works: Works) -> str:
    audits = _audits(works)
    counts = {name: audit.segments for name, audit in audits.items() if audit.segments}
    if len(set(counts.values())) < 2:
        return ""
    by_how_many = Counter(counts.values())
    usual = min(by_how_many, key=lambda count: (-by_how_many[count], count))
    others: dict[int, list[str]] = {}
    for name, count in sorted(counts.items(), key=lambda each: each[1]):
        if count != usual:
            others.setdefault(count, []).append(name)
    parts = [
        f"{who(names)} {several(names, 'answers', 'answer')} in "
        f"{_count(count, 'write') if count > 1 else 'one write'}"
        for count, names in others.items()
    ]
    return f"{', '.join(parts)}, {rest(by_how_many[usual])} in {usual if usual > 1 else 'one'}"


def _nagle(works: Works) -> str:
    names = [name for name, audit in _audits(works).items() if _waits_for_acknowledgement(audit)]
    if not names:
        return ""
    return (
        f"{who(names)} {several(names, 'shows', 'show')} the 40 ms of Nagle's algorithm meeting "
        "delayed acknowledgement: TCP_NODELAY is off"
    )


def _waits_for_acknowledgement(audit: Audit) -> bool:
    """The second part of an answer comes when the first is acknowledged, which is put off."""
    low, high = NAGLE_APART_MS
    if audit.segments != 1 and low <= audit.apart_ms <= high:
        return True
    low, high = NAGLE_ANSWER_MS
    return (audit.segments or 1) > 1 and low <= audit.answer_ms <= high


def _keep_alive(works: Works) -> list[str]:
    none = [name for name, work in works.items() if not work.keeps_alive]
    soon = {
        name: audit.kept
        for name, audit in _audits(works).items()
        if audit.kept < audit.asked and name not in none
    }
    return [
        f"{who(none)} {several(none, 'offers', 'offer')} no keep-alive: each request pays for a "
        "connection of its own"
        if none
        else "",
        f"{who(soon)} {several(soon, 'closes', 'close')} a connection after "
        f"{_figures(soon.values())} requests"
        if soon
        else "",
    ]


def _stays_open(works: Works) -> str:
    names = [name for name, audit in _audits(works).items() if not audit.closes_when_asked]
    asked = f"{several(names, 'it was', 'they were')} asked to close"
    return f"{who(names)} {several(names, 'leaves', 'leave')} open what {asked}" if names else ""


def _dates(works: Works) -> list[str]:
    none = [name for name, work in works.items() if work.headers and "date" not in work.headers]
    frozen = [name for name, audit in _audits(works).items() if audit.date == "frozen"]
    return [
        f"{who(none)} {several(none, 'sends', 'send')} no Date"
        if 0 < len(none) < len(works)
        else "",
        f"the Date of {who(frozen)} does not move" if 0 < len(frozen) < len(works) else "",
    ]


def _sizes(what: str, sizes: Mapping[str, int]) -> str:
    """Answers of different sizes: part of a difference in throughput may be that."""
    least, most = (pick(sorted(sizes), key=sizes.__getitem__, default="") for pick in (min, max))
    if not sizes or sizes[least] == sizes[most]:
        return ""
    return (
        f"the answers' {what} differ by {_count(sizes[most] - sizes[least], 'byte')} "
        f"({least} {sizes[least]}, {most} {sizes[most]})"
    )


def _old_clients(works: Works) -> str:
    """It matters to tools that speak HTTP/1.0, and is a habit worth knowing."""
    names = [
        name
        for name, audit in _audits(works).items()
        if works[name].keeps_alive and not audit.keeps_http_1_0
    ]
    if not names:
        return ""
    return f"{who(names)} {several(names, 'keeps', 'keep')} no connection of an HTTP/1.0 client"


def _audits(works: Works) -> dict[str, Audit]:
    return {name: work.audit for name, work in works.items() if work.audit}


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _figures(values: Iterable[int]) -> str:
    """Each, in the order of the names; of many, from the least to the most."""
    given: Collection[int] = list(values)
    if len(set(given)) == 1:
        return f"{min(given):,}"
    if len(given) > 4:
        return f"{min(given):,} to {max(given):,}"
    return listed([f"{value:,}" for value in given])
