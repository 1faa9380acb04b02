"""What a recording tells of people's sessions, taken out."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any
from urllib.parse import unquote_plus

from bakeoff.traffic.recording import Asked, Recording

LEFT_OUT = "LEFT-OUT"
"""What stands for a secret in a path or a body, to be found and filled in."""
_WORDS = {
    *("token", "secret", "password", "passwd", "pwd", "passphrase", "session", "sessionid", "sid"),
    *("jwt", "auth", "authorization", "apikey", "signature", "sig", "csrf", "xsrf", "credential"),
    *("credentials", "otp", "cookie", "csrftoken", "xsrftoken", "phpsessid", "jsessionid"),
    *("accesskey", "privatekey", "accesstoken", "idtoken", "refreshtoken", "passcode"),
}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_JWT = re.compile(r"eyJ[\w-]{8,}\.[\w-]+\.[\w-]*")
_KEY_LENGTH = 16
"""A value called `key` is a secret from this length on."""
_PART = re.compile(r'(name="([^"]*)"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)(.*?)(?=\r?\n--)', re.S)


def without_secrets(recording: Recording) -> tuple[Recording, Counter[str]]:
    """The recording without them, and what was left out: what it is called, in how many requests.

    Headers are left out; in paths and bodies `LEFT_OUT` stands for them.
    """
    kept: Counter[Asked] = Counter()
    counts: Counter[str] = Counter()
    for asked, count in recording.asked.items():
        found: set[str] = set()
        kept[_cleaned(asked, found)] += count
        for name in found:
            counts[name] += count
    return replace(recording, asked=kept), counts


def is_secret(name: str, value: str = "") -> bool:
    """Whether a header, a field of a form, or a key of an object holds one."""
    words = [word.lower() for word in _WORD.findall(unquote_plus(name))]
    pairs = {first + second for first, second in pairwise(words)}
    if _WORDS & {*words, *pairs} or _JWT.search(value):
        return True
    return words == ["key"] and len(value) >= _KEY_LENGTH


def _cleaned(asked: Asked, found: set[str]) -> Asked:
    headers = []
    for name, value in asked.headers:
        if is_secret(name, value):
            found.add(name.title())
        else:
            headers.append((name, value))
    return replace(
        asked,
        path=_path(asked.path, found),
        headers=tuple(headers),
        body=_body(asked, found),
    )


def _path(path: str, found: set[str]) -> str:
    before, mark, query = path.partition("?")
    if _JWT.search(before):
        found.add("a token in the path")
        before = _JWT.sub(LEFT_OUT, before)
    return before + mark + _form(query, found)


def _form(text: str, found: set[str]) -> str:
    """`name=value&…` of a query or a form."""

    def items() -> Iterator[str]:
        for item in text.split("&"):
            name, equals, value = item.partition("=")
            if (equals and value and is_secret(name, value)) or (not equals and _JWT.search(name)):
                found.add(f"`{unquote_plus(name)[:40]}`" if equals else "a token in the query")
                yield f"{name}={LEFT_OUT}" if equals else LEFT_OUT
            else:
                yield item

    return "&".join(items())


def _body(asked: Asked, found: set[str]) -> bytes:
    kind = asked.header("content-type").lower()
    clean: Callable[[str, set[str]], str] | None = (
        _json
        if "json" in kind
        else _form
        if "x-www-form-urlencoded" in kind
        else _multipart
        if "multipart/" in kind
        else None
    )
    if clean is None:
        return asked.body
    try:
        # A part of a form may be no text.
        text = asked.body.decode(errors="surrogateescape")
        return clean(text, found).encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return asked.body


def _json(text: str, found: set[str]) -> str:
    try:
        names: set[str] = set()
        cleaned = _value(json.loads(text), names)
    except (ValueError, RecursionError):
        return text
    found |= names
    # Where nothing was found, it stays as it was written, to the byte.
    return json.dumps(cleaned, ensure_ascii=False) if names else text


def _value(value: Any, found: set[str]) -> Any:
    if isinstance(value, list):
        return [_value(each, found) for each in value]
    if not isinstance(value, dict):
        return value
    cleaned = {}
    for name, inner in value.items():
        if (
            inner is not None
            and not isinstance(inner, bool | dict | list)
            and is_secret(name, str(inner))
        ):
            found.add(f"`{name[:40]}`")
            cleaned[name] = LEFT_OUT
        else:
            cleaned[name] = _value(inner, found)
    return cleaned


def _multipart(text: str, found: set[str]) -> str:
    def part(match: re.Match[str]) -> str:
        if not is_secret(match[2], match[3]):
            return match[0]
        found.add(f"`{match[2][:40]}`")
        return match[1] + LEFT_OUT

    return _PART.sub(part, text)
