"""Access logs: common and combined, as Apache and nginx write them, and JSON lines."""

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bakeoff.model.errors import BadFile
from bakeoff.traffic.recording import Recording, Request, method_of, target_of
from bakeoff.traffic.secret_text import cleaned_line

_LINE = re.compile(
    r'(?P<before>[^\["]+)\[[^\]"]*\] '
    r'"(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3})(?: |$)'
)
"""`[host ]address identity user [time] "request" status …`; the rest is not needed."""
_REQUEST = re.compile(r"(?P<method>[A-Za-z]+) (?P<target>\S.*?)(?: HTTP/\d(?:\.\d)?)?")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))")
_KEYS = {
    "method": ("request_method", "method", "RequestMethod"),
    "target": ("request_uri", "uri", "RequestPath", "path", "url"),
    "status": ("status", "response_status", "DownstreamStatus", "status_code"),
    "host": ("http_host", "host", "vhost", "RequestHost", "server_name"),
}
"""The names of our fields in JSON logs: of several keys the first one that exists."""
_LONGEST_LINE = 100_000
_BODILESS = ("GET", "HEAD")


class _Unreadable(Exception):
    """A line in none of the formats, with its fault."""


def read_access_log(path: Path, host: str | None = None) -> Recording:
    """The GET and HEAD requests of a log, plain or gzipped: the bodies of other methods are missing
    in it.

    If the log names hosts, they are those to `host`, or to the host with the most requests. Raises
    `BadFile` where no line can be read; `BadUsage` where `host` has no requests.
    """
    recording = Recording(path.name)
    of_hosts: dict[str | None, Counter[Request]] = {}
    faults: list[str] = []
    unreadable = 0
    for number, line in _lines(path):
        try:
            host_of, request, reason = _entry(line)
        except _Unreadable as fault:
            unreadable += 1
            if not faults:
                faults.append(f"line {number} {fault}")
            continue
        if request is None:
            recording.left_out[reason] += 1
        else:
            of_hosts.setdefault(host_of, Counter())[request] += 1
    if faults and not of_hosts and not recording.left_out:
        raise BadFile(path, None, f"is not an access log: {faults[0]}")
    if faults:
        lines = f"line{'s' * (unreadable != 1)} that can't be read"
        recording.notes.append(f"{unreadable:,} {lines}; the first: {faults[0]}")
    # Lines without a host, as HTTP/1.0 writes them, count as that host's.
    without = of_hosts.pop(None, Counter())
    named = ((name, requests) for name, requests in of_hosts.items() if name)
    by_size = sorted(named, key=lambda item: -item[1].total())
    recording.take_host(dict(by_size), host, path)
    recording.requests.update(without)
    return recording


def _entry(line: str) -> tuple[str | None, Request | None, str]:
    """Host, request, and why it is missing. Raises `_Unreadable`."""
    host, method_text, target_text, status_text = (
        _of_json(line) if line.lstrip().startswith("{") else _of_text(line)
    )
    method, target = method_of(method_text), target_of(target_text)
    if not method or not target or not (target[0] or host or "").isascii():
        return None, None, "that is not HTTP"
    if method not in _BODILESS:
        return None, None, f"with the method {method}: a log has no bodies"
    status = int(status_text)
    # Without a copy and without a range, the answer is 200.
    status = 200 if status in (206, 304) else status
    if status >= 500:
        return None, None, "answered with 500 or more: the server failed"
    if status in (400, 408, 499) or status < 200:
        return None, None, f"with the status {status}"
    return target[0] or host, Request(method, target[1], status=status), ""


def _of_text(line: str) -> tuple[str | None, str, str, str]:
    found = _LINE.match(line)
    before = found["before"].split() if found else []
    if found is None or len(before) < 3:
        raise _Unreadable(f"has none of the known formats (common, combined, JSON): {_shown(line)}")
    # The identity is always `-`; a user's name may have spaces.
    host = before[0] if len(before) > 3 and before[1] != "-" else None
    method, target = _split(_ESCAPE.sub(_unescaped, found["request"]))
    return host and host.removesuffix(":80").removesuffix(":443"), method, target, found["status"]


def _split(request: str) -> tuple[str, str]:
    found = _REQUEST.fullmatch(request)
    return (found["method"], found["target"]) if found else ("", "")


def _unescaped(found: re.Match[str]) -> str:
    return bytes.fromhex(found[1]).decode(errors="surrogateescape") if found[1] else found[2]


def _of_json(line: str) -> tuple[str | None, str, str, str]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _Unreadable(f"is not JSON: {_shown(line)}") from None
    if not isinstance(value, dict):
        raise _Unreadable(f"is not an object: {_shown(line)}")
    # Caddy has the request as an object, others as its first line.
    request = value.get("request")
    inner = value | request if isinstance(request, dict) else value
    method, target = _key(inner, "method"), _key(inner, "target")
    if isinstance(request, str) and not (method and target):
        method, target = _split(request)
        if not method:
            return None, "", "", "0"
    status = _key(value, "status")
    if not (method and target and re.fullmatch(r"\d{3}|0", status)):
        keys = ", ".join(list(value)[:8])
        raise _Unreadable(
            "lacks a request (`request`, or `method` and `uri`) or its `status`; "
            f"it has {_shown(keys) or 'nothing'}"
        )
    return _key(inner, "host") or None, method, target, status


def _key(value: dict[str, Any], meaning: str) -> str:
    values = (value.get(key) for key in _KEYS[meaning])
    return next((str(one) for one in values if isinstance(one, str | int) and one != ""), "")


def _shown(line: str) -> str:
    # Before the cut: half of a token does not look like a token.
    plain = cleaned_line(line.strip(), set())
    text = "".join(char if char.isprintable() else "·" for char in plain)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that aren't empty, with their numbers from 1. Raises `BadFile`."""
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            file = gzip.GzipFile(fileobj=raw) if packed else raw
            number = 0
            while line := file.readline(_LONGEST_LINE):
                number += 1
                rest = line
                while len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
                    rest = file.readline(_LONGEST_LINE)
                if text := line.decode(errors="surrogateescape").strip():
                    yield number, text
    except (OSError, EOFError, zlib.error, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadFile(path, None, f"can't be read: {reason}") from None
