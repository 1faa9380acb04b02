"""Which of a recording's headers a workload sends."""

import re

from bakeoff.traffic.recording import Headers, Request

_ENGINES = {
    *("host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "te"),
    *("trailer", "expect", "proxy-connection", "http2-settings"),
}
"""The engine's own: they frame a message, or are about one connection."""
_OTHER = {"referer", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since"}
"""The previous page, and the browser's cached copies."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t -~]*")


def kept(request: Request) -> Headers:
    """Headers that can be sent again, each name once.

    Those of the engine, of a browser's cache and of the previous page are left out. The only
    compression is gzip, which the verify step can read.
    """
    found: dict[str, tuple[str, str]] = {}
    for name, given in request.headers:
        value, lower = given.strip(), name.lower()
        if lower in _ENGINES | _OTHER or not _TOKEN.fullmatch(name):
            continue
        # Two braces would begin a field.
        if not _VALUE.fullmatch(value) or "{{" in value:
            continue
        if lower == "accept-encoding":
            if not re.search(r"\bgzip\b", value):
                continue
            value = "gzip"
        if lower in found:
            glue = "; " if lower == "cookie" else ", "
            name, before = found[lower]
            value = f"{before}{glue}{value}"
        found[lower] = (name, value)
    return tuple(found.values())


def common(several: list[Headers]) -> tuple[Headers, list[str]]:
    """Headers that are the same in all, and the names of the others."""
    first = several[0]
    same = {(name.lower(), value) for name, value in first}
    names = {name.lower(): name.title() for name, _ in first}
    for headers in several[1:]:
        same &= {(name.lower(), value) for name, value in headers}
        names |= {name.lower(): name.title() for name, _ in headers}
    kept_names = {name for name, _ in same}
    return (
        tuple(pair for pair in first if (pair[0].lower(), pair[1]) in same),
        [title for lower, title in names.items() if lower not in kept_names],
    )
