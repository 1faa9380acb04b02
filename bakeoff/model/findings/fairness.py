"""Findings on unequal work of contenders, and on differences of the verdict by server CPU."""

from collections.abc import Mapping

from bakeoff.model.findings.row import Row

UNEQUAL_WORK: Mapping[str, Row] = {
    "answers_early": Row(
        "{names:who} {names:answers|answer} before a request is complete: {names:it does|they do} "
        "not read it to its end"
    ),
    "streams_capped": Row(
        "{names:who} {names:allows|allow} {limits:listed} streams on a connection, fewer than the "
        "{streams} requested, so fewer requests were in flight"
    ),
    "tls_versions_differ": Row(
        "the contenders use different versions of TLS: <{versions} with {names:who}>"
    ),
    "ciphers_differ": Row("the contenders use different ciphers: <{ciphers} with {names:who}>"),
    "keys_differ": Row(
        "the contenders' certificates have different kinds of keys: <{certificate_keys} with "
        "{names:who}>"
    ),
    "few_at_work": Row(
        "{workers:# worker} per server {workers:was|were} requested, but <{names:who} had "
        "{processes:# "
        "process|processes} with {threads:# thread} at work>"
    ),
    "many_at_work": Row(
        "{names:who} had more threads at work ({threads:range}) than the {workers:# worker} "
        "requested, on {cores:# core}"
    ),
    "logs": Row("{names:who} wrote {bytes_per_request:range} bytes of log per request"),
    "segments_differ": Row(
        "the contenders send an answer in different numbers of writes: <{segments} with "
        "{names:who}>"
    ),
    "nagle": Row(
        "{names:who} {names:shows|show} the 40 ms of Nagle's algorithm and delayed ACKs: "
        "TCP_NODELAY is off"
    ),
    "no_keep_alive": Row(
        "{names:who} {names:has|have} no keep-alive: each request pays for a new connection"
    ),
    "closes_soon": Row(
        "{names:who} {names:closes|close} a connection after {requests:range} requests"
    ),
    "stays_open": Row(
        "{names:who} {names:keeps|keep} a connection open after a request with Connection: close"
    ),
    "no_date": Row("{names:who} {names:sends|send} no Date"),
    "date_frozen": Row("the Date of {names:who} never changes"),
    "bodies_differ": Row(
        "bodies differ in size: {least} sends {least_bytes:# byte} and {most} {most_bytes:,}",
        example={"least": "api-v2"},
    ),
    "heads_differ": Row(
        "heads differ in size: {least} sends {least_bytes:# byte} and {most} {most_bytes:,}",
        example={"least": "api-v2"},
    ),
    "headers_missing": Row(
        "{names:who} {names:lacks|lack} headers that {others:# other} {others:sends|send}: "
        "{headers:headers}"
    ),
    "headers_further": Row(
        "some send headers that most don't send: <{names:who} {headers:headers}>"
    ),
    "hpack_differs": Row(
        "HPACK compresses heads differently: <{names:who} from {head_bytes:,} to {packed_bytes:,} "
        "bytes>"
    ),
    "http2_settings_differ": Row("HTTP/2's {setting} differs: <{kept} with {names:who}>"),
    "no_resumption": Row(
        "{names:who} {names:resumes|resume} no TLS session, and others do: with a new connection "
        "for each request, each one takes a full handshake"
    ),
    "no_alpn": Row("{names:who} {names:selects|select} no protocol by ALPN, and others do"),
    "no_http_1_0_keep_alive": Row(
        "{names:who} {names:has|have} no keep-alive for HTTP/1.0 clients"
    ),
}
"""Unequal work of contenders."""


BY_CPU: Mapping[str, Row] = {
    "cpu_differs": Row(
        "by server CPU per request, {name} is {cpu_finding:called} {other}: {ratio,low,high:"
        "interval}; in the standings {name} is {finding:called} {other}: {because}",
        because="limit_hides",
    ),
    "limit_hides": Row(
        "{names:who} {names:was|were} limited by {limit:called}",
        more="How fast they are could not be seen, so the ratio by server CPU is the better one.",
    ),
    "server_waited": Row(
        "{name} was at work {server_busy:.0%} of the time, and waited for the rest"
    ),
    "interval_too_wide": Row("the interval by {by:called} is too wide to show a difference"),
    "kernel_bills": Row(
        "the kernel has different shares of the CPU time (<{shares:.0%} with {names:who}>), and "
        "charges work of one side to the other"
    ),
    "calls_differ": Row(
        "the two make different system calls: the kernel's time per request of {name} is "
        "{ratio,low,high:interval} that of {other}"
    ),
    "calls_unknown": Row(
        "{n:# draw} can't show whether the two make the same system calls; that needs {least}"
    ),
    "cause_unknown": Row("nothing that was measured explains it"),
}
"""Differences of the verdict by server CPU, and their causes."""
