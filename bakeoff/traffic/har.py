"""HAR files, in which browsers' developer tools save a session."""

import base64
import binascii
import codecs
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from bakeoff.model.base import Contract
from bakeoff.model.errors import BadFile
from bakeoff.traffic.recording import (
    Recording,
    Request,
    method_of,
    parsed_json,
    read_bytes,
    target_of,
)

_BINARY = 2
"""The opcode of a binary message; that of text is 1."""
_EVENTS = "text/event-stream"
_JSON_LIMIT = 1_000_000
"""The shape of longer answers is not determined."""


class _Part(Contract):
    """A part of a HAR, with the keys that we need: browsers add keys of their own."""

    model_config = ConfigDict(extra="ignore")


class _Pair(_Part):
    name: str
    value: str = ""


class _PostData(_Part):
    text: str | None = None
    encoding: str | None = None
    params: tuple[Any, ...] = ()


class _Request(_Part):
    method: str
    url: str
    headers: tuple[_Pair, ...] = ()
    postData: _PostData | None = None
    bodySize: float | None = None


class _Content(_Part):
    mimeType: str | None = None
    text: str | None = None
    encoding: str | None = None


class _Response(_Part):
    status: int = 0
    headers: tuple[_Pair, ...] = ()
    content: _Content = _Content()


class _Message(_Part):
    type: str = ""
    opcode: float = 0
    data: str = ""


class _Entry(_Part):
    request: _Request
    response: _Response = _Response()
    messages: Annotated[tuple[_Message, ...], Field(alias="_webSocketMessages")] = ()
    from_cache: Annotated[Any, Field(alias="_fromCache")] = None
    resource: Annotated[str | None, Field(alias="_resourceType")] = None


class _Log(_Part):
    entries: tuple[dict[str, Any], ...]


class _Har(_Part):
    log: _Log


def read_har(path: Path, host: str | None = None) -> Recording:
    """The requests of a HAR file to one host: the first one in it, or `host`.

    Raises `BadFile`; `BadUsage` where `host` has no requests.
    """
    har = _Har.checked(parsed_json(read_bytes(path).removeprefix(codecs.BOM_UTF8), path), path)
    recording = Recording(path.name)
    of_hosts: dict[str, list[Request]] = {}
    faults: list[str] = []
    for number, value in enumerate(har.log.entries):
        try:
            entry = _Entry.model_validate(value)
        except ValidationError as error:
            faults.append(str(BadFile.from_validation(f"log.entries.{number}", _Entry, error)))
            continue
        url = entry.request.url
        target = target_of(re.sub("^ws", "http", url))
        method, echo = method_of(entry.request.method), _echo(entry)
        reason = None if echo else _reason(entry, target is not None, method is not None)
        if reason is None and target and target[0] and method:
            to = target[1]
            sent = replace(echo, path=to) if echo else _sent(entry, method, to)
            of_hosts.setdefault(target[0], []).append(sent)
        else:
            recording.left_out[reason or "that is not HTTP"] += 1
    if faults:
        recording.left_out[f"that can't be understood; the first: {faults[0]}"] += len(faults)
    recording.take_host(
        {name: Counter(requests) for name, requests in of_hosts.items()}, host, path
    )
    return recording


def _reason(entry: _Entry, is_http: bool, is_sent: bool) -> str | None:
    posted, status = entry.request.postData, entry.response.status
    socket = entry.resource == "websocket" or entry.request.url.startswith(("ws:", "wss:"))
    has_body = bool(posted and posted.text)
    checks = {
        "over a WebSocket without an echo; `bakeoff race URL --message TEXT` races servers that "
        "echo": socket or status == 101,
        "that is not HTTP": not is_http,
        "with the method OPTIONS, a browser's CORS preflight": entry.request.method == "OPTIONS",
        "with a method that can't be sent": not is_sent,
        "answered from the browser's cache": bool(entry.from_cache),
        "without an answer": not 200 <= status <= 599,
        "answered with 500 or more: the server failed": status >= 500,
        "whose body the HAR lacks": not has_body
        and ((entry.request.bodySize or 0) > 0 or bool(posted and posted.params)),
        "whose answer is a stream of events that the HAR lacks; `bakeoff race URL --events NUMBER` "
        "races servers": _is_stream(entry.response) and not entry.response.content.text,
        "whose body is binary, of which the HAR has a part only": has_body
        and _body(posted) is None,
    }
    return next((reason for reason, holds in checks.items() if holds), None)


def _echo(entry: _Entry) -> Request | None:
    """The first message of a WebSocket that came back; without its path."""
    for sent, answered in pairwise(entry.messages):
        same = (sent.opcode, sent.data) == (answered.opcode, answered.data)
        if same and (sent.type, answered.type) == ("send", "receive") and sent.data:
            binary = sent.opcode == _BINARY
            body = _decoded(sent.data) if binary else sent.data.encode(errors="replace")
            headers = tuple((pair.name, pair.value) for pair in entry.request.headers)
            kind: Literal["text", "binary"] = "binary" if binary else "text"
            return Request("GET", "/", headers, body, echoed=kind) if body else None
    return None


def _sent(entry: _Entry, method: str, path: str) -> Request:
    content = entry.response.content
    answered = {pair.name.lower(): pair.value for pair in entry.response.headers}
    status = entry.response.status
    return Request(
        method,
        path,
        tuple((pair.name, pair.value) for pair in entry.request.headers),
        _body(entry.request.postData) or b"",
        # The browser had a copy; without a copy the server sends it.
        200 if status == 304 else status,
        answered.get("content-type") or content.mimeType or None,
        _json_answer(content) if status < 300 else None,
        answered.get("content-encoding", "identity") != "identity",
        events=_is_stream(entry.response),
    )


def _is_stream(response: _Response) -> bool:
    return response.status == 200 and (response.content.mimeType or "").startswith(_EVENTS)


def _body(posted: _PostData | None) -> bytes | None:
    text = posted.text if posted else None
    if posted and text and posted.encoding == "base64":
        return _decoded(text)
    if text and "\ufffd" in text:
        return None
    try:
        return (text or "").encode()
    except UnicodeEncodeError:
        return None


def _json_answer(content: _Content) -> str | None:
    text = content.text
    if not text or len(text) > _JSON_LIMIT or "json" not in (content.mimeType or ""):
        return None
    if content.encoding == "base64":
        decoded = _decoded(text)
        return decoded.decode(errors="replace") if decoded else None
    return text


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
