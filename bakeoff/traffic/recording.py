"""Recorded requests, the same for every kind of source."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from bakeoff.model.errors import BadFile, BadUsage

Headers = tuple[tuple[str, str], ...]
_METHOD = re.compile(r"[A-Z]+")
_SCHEMES = {"http": 80, "https": 443}
_ASSETS = re.compile(
    r"\.(?:avif|bmp|css|eot|gif|ico|jpe?g|js|map|mjs|mp[34]|otf|png|svg|ttf|wasm|web[mp]|woff2?)$"
)


@dataclass(frozen=True)
class Request:
    """One request, with the known facts on its answer."""

    method: str
    path: str
    """In origin form, with the query: visible ASCII, without braces."""
    headers: Headers = ()
    body: bytes = b""
    status: int | None = None
    answer_type: str | None = None
    """The answer's Content-Type."""
    answer: str | None = None
    """The answer's body, if it is JSON and was recorded."""
    compressed: bool = False
    """Whether the answer was."""
    label: str | None = None
    """Its name in the source."""
    events: bool = False
    """Whether the answer is a stream of server-sent events."""
    echoed: Literal["text", "binary"] | None = None
    """The kind of a WebSocket's message that came back: `body`. The rest is of the upgrade."""

    def header(self, name: str) -> str:
        return next((value for own, value in self.headers if own.lower() == name), "")


@dataclass
class Recording:
    """Requests with their counts, and the requests that were left out."""

    source: str
    """Its name, such as a file's."""
    host: str | None = None
    """The host that they were sent to, if it is known."""
    requests: Counter[Request] = field(default_factory=Counter)
    """In the order of their first appearance."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Reason → how many requests were left out."""
    notes: list[str] = field(default_factory=list)
    """Other remarks for the user."""

    @property
    def size(self) -> int:
        return self.requests.total()

    def take_host(
        self, by_host: Mapping[str, Counter[Request]], host: str | None, path: Path
    ) -> None:
        if host and host not in by_host:
            there = ", ".join([*by_host][:5]) or "none"
            raise BadUsage(f"--host {host}: {path} has no request to it; hosts: {there}")
        self.host = host or next(iter(by_host), None)
        self.requests.update(by_host.get(self.host or "", {}))
        others = Counter({name: requests.total() for name, requests in by_host.items()})
        del others[self.host or ""]
        if others:
            named = ", ".join(f"{name} {count:,}" for name, count in others.most_common(5))
            more = f" and {len(others) - 5} more" if len(others) > 5 else ""
            reason = f"to other hosts ({named}{more}): --host takes one"
            self.left_out[reason] += others.total()


def method_of(text: str) -> str | None:
    """The method, or None: it can't be sent."""
    method = text.upper()
    # CONNECT turns a connection into a tunnel.
    return method if _METHOD.fullmatch(method) and method != "CONNECT" else None


def target_of(url: str) -> tuple[str | None, str] | None:
    """Host and path of a URL, or of a path alone; None: it isn't HTTP's.

    The host includes its port if that isn't the scheme's default.
    """
    if url.startswith("/"):
        return None, path_of(url)
    try:
        parts = urlsplit(url)
        usual = _SCHEMES.get(parts.scheme.lower())
        if usual is None or not parts.hostname:
            return None
        port = "" if parts.port in (None, usual) else f":{parts.port}"
    except ValueError:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{port}", path_of((parts.path or "/") + query)


def path_of(text: str) -> str:
    """A path with its query as it can be sent, without a fragment.

    Braces are encoded: two of them would begin a field. Bytes that are not text stay unchanged.
    """
    visible = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`|~"
    path, _, _ = text.partition("#")
    try:
        return quote(path, safe=visible, errors="surrogateescape")
    except UnicodeEncodeError:
        # JSON can have half of a surrogate pair, which has no bytes.
        return quote(path, safe=visible, errors="replace")


def is_asset(path: str) -> bool:
    """Whether a path, without its query, names a picture, a font, a style or a script."""
    return _ASSETS.search(path.lower()) is not None


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadFile(path, None, f"can't be read: {reason}") from None


def parsed_json(text: str | bytes, where: Path | str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise BadFile(where, None, "is nested too deeply") from None
    except UnicodeDecodeError as error:
        why = f"is not JSON: byte {error.start} is not UTF-8 text"
        raise BadFile(where, None, why) from None
    except ValueError as error:
        raise BadFile(where, None, f"is not JSON: {error}") from None


_ENGINES = {
    *("host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "te"),
    *("trailer", "expect", "proxy-connection", "http2-settings"),
}
"""The engine's own headers: they frame a message, or are about one connection."""
_OTHER = {"referer", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since"}
"""The previous page, and the browser's cached copies."""
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t -~]*")


def kept(request: Request) -> Headers:
    """Headers that can be sent again, each name once.

    Those of the engine, of a browser's cache and of the previous page are left out. The only
    compression is gzip, which the verify step can read.
    """
    found: dict[str, tuple[str, str]] = {}
    for name, given in request.headers:
        value, lower = given.strip(), name.lower()
        if lower in _ENGINES | _OTHER or not _NAME.fullmatch(name):
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
