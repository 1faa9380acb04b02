"""Where contenders do unequal work for an answer, or speak TLS or HTTP/2 differently."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from bakeoff.judge.history import History
from bakeoff.model.audit import Audit, Http2Conduct, TlsConduct, Work
from bakeoff.model.finding import Finding
from bakeoff.model.findings.values import Value
from bakeoff.model.plan import Plan
from bakeoff.model.protocol import HTTP_2, OVER_TLS, OVER_UDP, WITH_STREAMS
from bakeoff.model.samples import Record

_Of = TypeVar("_Of")

SETTINGS: Mapping[str, tuple[str, int | None]] = {
    "max_concurrent_streams": ("MAX_CONCURRENT_STREAMS", None),
    "header_table_size": ("HEADER_TABLE_SIZE", 4_096),
}
"""Key → the setting's name in RFC 9113, and its value where none is sent; None: no limit."""
OF_BODIES: Mapping[str, tuple[str, int | None]] = {
    "initial_window": ("INITIAL_WINDOW_SIZE", 65_535),
    "max_frame_size": ("MAX_FRAME_SIZE", 16_384),
}
"""The same for settings that matter only to requests with a body."""


def streams_capped(plan: Plan, works: Mapping[str, Work]) -> Iterator[Finding]:
    """Servers that admit fewer streams than the plan requests."""
    limits = {
        name: limit
        for name, work in works.items()
        if work.protocol in HTTP_2 and (limit := streams_admitted(work)) is not None
    }
    few = {name: limit for name, limit in limits.items() if limit < plan.streams}
    if few:
        yield Finding.of(
            "streams_capped", names=list(few), limits=list(few.values()), streams=plan.streams
        )


def streams_admitted(work: Work) -> int | None:
    """How many streams a connection to it may have; None: there is no limit."""
    if work.agreed and work.agreed.max_concurrent_streams is not None:
        return work.agreed.max_concurrent_streams
    return work.audit.http2.max_concurrent_streams if work.audit and work.audit.http2 else None


def unlike_tls(works: Mapping[str, Work]) -> Iterator[Finding]:
    """Unlike versions, ciphers and keys, where the load generator and the audit saw them."""
    secure = {name: work for name, work in works.items() if work.protocol in OVER_TLS}
    yield from _differ(
        "tls_versions_differ", "versions", _each(secure, _agreed("tls_version", "version"))
    )
    yield from _differ("ciphers_differ", "ciphers", _each(secure, _agreed("cipher", "cipher")))
    yield from _differ("keys_differ", "certificate_keys", _each(_tls(secure), lambda tls: tls.key))


def unlike_settings(plan: Plan, works: Mapping[str, Work]) -> Iterator[Finding]:
    """The effect of HPACK on heads, and settings that limit what a server takes of these
    requests."""
    conducts = {
        name: work.audit.http2 for name, work in works.items() if work.audit and work.audit.http2
    }
    packed = {name: each.next_head_bytes for name, each in conducts.items()}
    if len(set(packed.values())) > 1:
        yield Finding.of(
            "hpack_differs",
            names=list(conducts),
            head_bytes=[each.head_bytes for each in conducts.values()],
            packed_bytes=list(packed.values()),
        )
    met = {**SETTINGS, **(OF_BODIES if plan.workload.sends_bodies else {})}
    for key, (setting, default) in met.items():
        kept = {name: _kept(each, key, default) for name, each in conducts.items()}
        yield from _differ("http2_settings_differ", "kept", kept, setting=setting)


def unlike_handshakes(works: Mapping[str, Work]) -> Iterator[Finding]:
    """Properties of handshakes alone: resumption, and an ALPN that a server doesn't know."""
    tls = _tls(works)
    for code, lacks in (
        ("no_resumption", [name for name, each in tls.items() if not each.resumes]),
        ("no_alpn", [name for name, each in tls.items() if each.alpn is None]),
    ):
        if lacks and len(lacks) < len(tls):
            yield Finding.of(code, names=lacks)


def _tls(works: Mapping[str, Work]) -> dict[str, TlsConduct]:
    return {name: work.audit.tls for name, work in works.items() if work.audit and work.audit.tls}


def _agreed(of_load: str, of_audit: str) -> Callable[[Work], str | None]:
    """What was agreed on under load; where the load generator doesn't report that, in the audit."""

    def agreed(work: Work) -> str | None:
        return getattr(work.agreed, of_load, None) or (
            getattr(work.audit.tls, of_audit, None) if work.audit else None
        )

    return agreed


def _kept(conduct: Http2Conduct, key: str, default: int | None) -> str:
    sent = getattr(conduct, key)
    value = default if sent is None else sent
    return "no limit" if value is None else f"{value:,}"


def _each(works: Mapping[str, _Of], of: Callable[[_Of], str | None]) -> dict[str, str]:
    return {name: value for name, work in works.items() if (value := of(work))}


def _differ(code: str, key: str, values: Mapping[str, str], **more: str) -> Iterator[Finding]:
    if len(set(values.values())) > 1:
        yield Finding.of(code, names=list(values), **{key: list(values.values())}, **more)


LOGS_BYTES = 1.0
NAGLE_APART_MS = (20, 250)
NAGLE_ANSWER_MS = (38, 48)
OF_HTTP_1 = frozenset({"connection", "keep-alive", "transfer-encoding"})
"""Headers that are useless in HTTP/2 and HTTP/3, and forbidden."""

Works = Mapping[str, Work]


def works_of(plan: Plan, records: Sequence[Record]) -> dict[str, Work]:
    """Name → its work, for all contenders that ran, in the plan's order."""
    history = History.of(records)
    works = {entry.name: work(plan, history, entry.name) for entry in plan.entries}
    return {name: each for name, each in works.items() if each}


def work(plan: Plan, history: History, name: str) -> Work | None:
    """The work of one contender; None: it never ran. `history` has all blocks."""
    started = history.started(name)
    if not started:
        return None
    verified = started[-1].verification
    crews = sorted(
        (end.crews[name] for end in history.ends if name in end.crews),
        key=lambda crew: crew.threads_at_work,
    )
    return Work(
        head_bytes=verified.head_bytes,
        body_bytes=verified.body_bytes,
        headers=tuple(sorted({header.lower() for header, _ in verified.headers})),
        keeps_alive=verified.keeps_alive,
        workers=plan.workers,
        protocol=plan.protocol_of(name),
        agreed=next((each for each in reversed(history.agreed(name))), None),
        audit=next((entry.audit for entry in started if entry.audit), None),
        # The median over boots, by threads at work.
        crew=crews[(len(crews) - 1) // 2] if crews else None,
        written_per_request=_written_per_request(history, name),
    )


def _written_per_request(history: History, name: str) -> float | None:
    """Bytes per request over the boots that ended: only those have counted them."""
    answered: Counter[int] = Counter()
    for block, slice_ in history.slices(name):
        answered[block.boot] += slice_.event.requests_all
    ends = [end for end in history.ends if name in end.written]
    requests = sum(answered[end.boot] for end in ends)
    written = [end.written[name] for end in ends]
    if not requests:
        return None
    return sum(each.log_bytes + each.scratch_bytes for each in written) / requests


def unequal(plan: Plan, works: Works) -> tuple[Finding, ...]:
    return tuple(_unequal(plan, works))


def _unequal(plan: Plan, works: Works) -> Iterator[Finding]:
    audits = {name: work.audit for name, work in works.items() if work.audit}
    keep_alive = plan.connection == "keep-alive"
    closing = [name for name, work in works.items() if not work.keeps_alive]
    # A server that doesn't read requests does less than any server must.
    yield from _named("answers_early", [n for n in audits if audits[n].awaits_request is False])
    yield from streams_capped(plan, works)
    yield from unlike_tls(works)
    yield from _at_work(plan, works)
    written = {name: work.written_per_request or 0.0 for name, work in works.items()}
    loud = {name: each for name, each in written.items() if each > LOGS_BYTES}
    yield from _named("logs", loud, bytes_per_request=list(loud.values()))
    segments = {name: audit.segments for name, audit in audits.items() if audit.segments}
    if len(set(segments.values())) > 1:
        yield from _named("segments_differ", segments, segments=list(segments.values()))
    yield from _named("nagle", [n for n in audits if _waits_for_acknowledgement(audits[n])])
    if keep_alive:
        yield from _named("no_keep_alive", closing)
        soon = {n: a.kept for n, a in audits.items() if a.kept < a.asked and n not in closing}
        yield from _named("closes_soon", soon, requests=list(soon.values()))
    yield from _named("stays_open", [n for n in audits if audits[n].closes_when_asked is False])
    none = [name for name, work in works.items() if work.headers and "date" not in work.headers]
    frozen = [name for name, audit in audits.items() if audit.date == "frozen"]
    for code, names in (("no_date", none), ("date_frozen", frozen)):
        if len(names) < len(works):
            yield from _named(code, names)
    # HTTP/2 and HTTP/3 have bodies in frames; the HPACK size of heads is compared below.
    plain = {name: work for name, work in works.items() if work.protocol not in WITH_STREAMS}
    framed = {name: work for name, work in works.items() if work.protocol in HTTP_2}
    over_udp = {name: work for name, work in works.items() if work.protocol in OVER_UDP}
    for alike in (plain, framed, over_udp):
        yield from _sizes("bodies_differ", {name: work.body_bytes for name, work in alike.items()})
    yield from _sizes("heads_differ", {name: work.head_bytes for name, work in plain.items()})
    own = frozenset[str]() if len(plain) == len(works) else OF_HTTP_1
    sent = {n: [h for h in work.headers if h not in own] for n, work in works.items()}
    yield from _headers({name: headers for name, headers in sent.items() if headers})
    yield from unlike_settings(plan, works)
    yield from unlike_handshakes(works)
    if keep_alive:
        # This matters only to tools that speak HTTP/1.0.
        silent = [n for n in audits if n not in closing and audits[n].keeps_http_1_0 is False]
        yield from _named("no_http_1_0_keep_alive", silent)


def _named(code: str, names: Iterable[str], **values: Value) -> Iterator[Finding]:
    if given := list(names):
        yield Finding.of(code, names=given, **values)


def _at_work(plan: Plan, works: Works) -> Iterator[Finding]:
    """Contenders with fewer or more threads at work than the plan's workers."""
    crews = {name: work.crew for name, work in works.items() if work.crew}
    # Half of them or fewer: chance gives some workers more connections than others. With fewer
    # connections than workers, some workers have none.
    expected = min(plan.workers, plan.connections)
    few = {name: crew for name, crew in crews.items() if 0 < 2 * crew.threads_at_work <= expected}
    yield from _named(
        "few_at_work",
        few,
        processes=[crew.processes for crew in few.values()],
        threads=[crew.threads_at_work for crew in few.values()],
        workers=plan.workers,
    )
    cores = len(plan.cores.server)
    # Only where there are cores for them: more threads on one core do no more work.
    if cores > plan.workers:
        threads = {name: crew.threads_at_work for name, crew in crews.items()}
        many = {name: each for name, each in threads.items() if each > plan.workers}
        yield from _named(
            "many_at_work", many, threads=list(many.values()), workers=plan.workers, cores=cores
        )


def _waits_for_acknowledgement(audit: Audit) -> bool:
    """Whether the second part of an answer waits for the delayed acknowledgement of the first."""
    low, high = NAGLE_APART_MS
    if audit.segments != 1 and low <= audit.apart_ms <= high:
        return True
    low, high = NAGLE_ANSWER_MS
    return (audit.segments or 1) > 1 and low <= audit.answer_ms <= high


def _sizes(code: str, sizes: Mapping[str, int]) -> Iterator[Finding]:
    """Answers of different sizes, which may explain a part of a difference in throughput."""
    least, most = (pick(sorted(sizes), key=sizes.__getitem__, default="") for pick in (min, max))
    if sizes and sizes[least] < sizes[most]:
        yield Finding.of(
            code, least=least, least_bytes=sizes[least], most=most, most_bytes=sizes[most]
        )


def _headers(sent: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Contenders that lack headers that most others send, or send headers that most others don't.

    `sent`: contender → the names of its headers, in lower case. `Date` has findings of its own.
    """
    counted = {header for headers in sent.values() for header in headers if header != "date"}
    having = {header: [name for name in sent if header in sent[name]] for header in counted}
    usual = [header for header in sorted(having) if 2 * len(having[header]) >= len(sent)]
    lacking: dict[tuple[str, ...], list[str]] = {}
    for header in usual:
        if names := tuple(name for name in sent if header not in sent[name]):
            lacking.setdefault(names, []).append(header)
    for names, headers in lacking.items():
        others = len(sent) - len(names)
        yield Finding.of("headers_missing", names=list(names), headers=headers, others=others)
    further = {
        name: [header for header in headers if header not in (*usual, "date")]
        for name, headers in sent.items()
    }
    own = {name: ",".join(headers) for name, headers in further.items() if headers}
    yield from _named("headers_further", own, headers=list(own.values()))
