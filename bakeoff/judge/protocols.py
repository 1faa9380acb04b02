"""Where contenders of one race speak TLS or HTTP/2 unlike each other."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from bakeoff.judge.history import History
from bakeoff.model.audit import Http2Conduct, TlsConduct, Work
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan
from bakeoff.model.protocol import HTTP_2, OVER_TLS

_Of = TypeVar("_Of")

SETTINGS: Mapping[str, tuple[str, int | None]] = {
    "max_concurrent_streams": ("MAX_CONCURRENT_STREAMS", None),
    "header_table_size": ("HEADER_TABLE_SIZE", 4_096),
}
"""Key → the setting's name in RFC 9113, and what holds where none is sent; None: no limit."""
OF_BODIES: Mapping[str, tuple[str, int | None]] = {
    "initial_window": ("INITIAL_WINDOW_SIZE", 65_535),
    "max_frame_size": ("MAX_FRAME_SIZE", 16_384),
}
"""The same of settings that only requests with a body meet."""


def streams_capped(plan: Plan, works: Mapping[str, Work]) -> Iterator[Finding]:
    """Those that admit fewer streams than the plan asks for."""
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
    """How many streams a connection to it may have; None: as many as one likes."""
    if work.agreed and work.agreed.max_concurrent_streams is not None:
        return work.agreed.max_concurrent_streams
    return work.audit.http2.max_concurrent_streams if work.audit and work.audit.http2 else None


def places(plan: Plan, history: History, name: str) -> int:
    """How many requests to an entry can be under way at a time, over all connections.

    A connection whose server admits fewer streams than were asked for is full with those.
    """
    asked = plan.places_of(name)
    if plan.protocol_of(name) not in HTTP_2:
        return asked
    limits = [each.max_concurrent_streams for each in history.agreed(name)]
    admitted = [plan.connections * limit for limit in limits if limit]
    return min([asked, *admitted])


def unlike_tls(works: Mapping[str, Work]) -> Iterator[Finding]:
    """Unlike versions, ciphers and keys, where the load generator and the audit saw them."""
    secure = {name: work for name, work in works.items() if work.protocol in OVER_TLS}
    yield from _differ("tls_versions_differ", "versions", _each(secure, _version))
    yield from _differ("ciphers_differ", "ciphers", _each(secure, _cipher))
    yield from _differ("keys_differ", "certificate_keys", _each(_tls(secure), lambda tls: tls.key))


def unlike_settings(plan: Plan, works: Mapping[str, Work]) -> Iterator[Finding]:
    """What HPACK makes of heads, and settings that say what a server takes of these requests."""
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
    """What only handshakes have: resumption, and ALPN that a server doesn't know."""
    tls = _tls(works)
    for code, lacks in (
        ("no_resumption", [name for name, each in tls.items() if not each.resumes]),
        ("no_alpn", [name for name, each in tls.items() if each.alpn is None]),
    ):
        if lacks and len(lacks) < len(tls):
            yield Finding.of(code, names=lacks)


def _tls(works: Mapping[str, Work]) -> dict[str, TlsConduct]:
    return {name: work.audit.tls for name, work in works.items() if work.audit and work.audit.tls}


def _version(work: Work) -> str | None:
    """What the load generator agreed on; where it doesn't say, the audit."""
    if work.agreed and work.agreed.tls_version:
        return work.agreed.tls_version
    return work.audit.tls.version if work.audit and work.audit.tls else None


def _cipher(work: Work) -> str | None:
    if work.agreed and work.agreed.cipher:
        return work.agreed.cipher
    return work.audit.tls.cipher if work.audit and work.audit.tls else None


def _kept(conduct: Http2Conduct, key: str, default: int | None) -> str:
    sent = getattr(conduct, key)
    value = default if sent is None else sent
    return "no limit" if value is None else f"{value:,}"


def _each(works: Mapping[str, _Of], of: Callable[[_Of], str | None]) -> dict[str, str]:
    return {name: value for name, work in works.items() if (value := of(work))}


def _differ(code: str, key: str, values: Mapping[str, str], **more: str) -> Iterator[Finding]:
    """The finding, where the values of two differ."""
    if len(set(values.values())) > 1:
        yield Finding.of(code, names=list(values), **{key: list(values.values())}, **more)
