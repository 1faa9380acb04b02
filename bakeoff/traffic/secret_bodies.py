"""Secrets in bodies, under any name: JSON, forms, parts, tables and text."""

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote_plus, unquote_plus

from bakeoff.traffic.secret_text import cleaned_text
from bakeoff.traffic.tokens import LEFT_OUT, TOKEN, called, is_hash, is_secret, is_token

_FORM = re.compile(r"[^\s=&<{]+=[^\s&]*(?:&[^\s=&]+=[^\s&]*)*")
_BOUNDARY = re.compile(r"boundary=\"?([^\";\s]+)", re.I)
_FIRST_BOUNDARY = re.compile(r"--(\S+)\r?\ncontent-", re.I)
_PART_NAME = re.compile(r"(?<!file)name=(?:\"([^\"\r\n]*)\"|([^;\s]*))", re.I)
_PART_KIND = re.compile(r"^content-type:(.*)", re.I | re.M)
_NAME_KEYS = ("name", "key", "field", "id")


def cleaned_body(body: bytes, kind: str, found: set[str]) -> bytes:
    """`body`, of the Content-Type `kind`, with `LEFT_OUT` for its secrets.

    Its content decides its type before its header does: curl calls everything a form, and many
    requests have no type.
    """
    # Bytes that are not text stay unchanged.
    text = body.decode(errors="surrogateescape")
    cleaned = _content(text, kind.lower(), found)
    return body if cleaned == text else cleaned.encode(errors="surrogateescape")


def form(text: str, found: set[str]) -> str:
    """`name=value&…` of a query or a form."""

    def items() -> Iterator[str]:
        for item in text.split("&"):
            name, equals, value = item.partition("=")
            plain = unquote_plus(name, errors="surrogateescape")
            if equals and is_secret(name, value) and value:
                found.add(called(plain))
                value = LEFT_OUT
            elif equals:
                value = _unescaped(value, plain, found)
            yield _unescaped(name, "", found) + equals + value

    return "&".join(items())


def _unescaped(text: str, name: str, found: set[str]) -> str:
    plain = unquote_plus(text, errors="surrogateescape")
    cleaned = _string(plain, name, found)
    return text if cleaned == plain else quote_plus(cleaned, errors="surrogateescape")


def _content(text: str, kind: str, found: set[str]) -> str:
    if (cleaned := _json(text, found)) is not None:
        return cleaned
    boundary = _BOUNDARY.search(kind) if "multipart/" in kind else None
    if first := _FIRST_BOUNDARY.match(text):
        return _multipart(text, first[1], found)
    if boundary:
        return _multipart(text, boundary[1], found)
    encloses = text.lstrip("\ufeff \t\r\n")[:1] in ("<", "{", "[")
    if ("x-www-form-urlencoded" in kind and not encloses) or _FORM.fullmatch(text):
        # A text of several lines that curl called a form.
        return form(cleaned_text(text, found) if "\n" in text else text, found)
    if "csv" in kind or "tab-separated" in kind:
        text = _table(text, "\t" if "tab" in kind else ",", found)
    return cleaned_text(text, found)


def _string(text: str, name: str, found: set[str]) -> str:
    if is_hash(name, text):
        return text
    if is_token(text):
        found.add(TOKEN)
        return LEFT_OUT
    cleaned = _json(text, found)
    return cleaned_text(text, found) if cleaned is None else cleaned


def _json(text: str, found: set[str]) -> str | None:
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return None
    names: set[str] = set()
    try:
        # A name may come twice, and the last one would be seen alone.
        parsed = json.loads(text.lstrip("\ufeff"), object_pairs_hook=tuple)
        cleaned = _value(parsed, "", names)
    except (ValueError, RecursionError):
        return None
    found |= names
    # If nothing was found, it stays as written, to the byte.
    if not names:
        return text
    written = json.dumps(cleaned, ensure_ascii=False)
    # Half of a pair, as `\ud800`, is not text.
    return written if _is_text(written) else json.dumps(cleaned)


def _is_text(text: str) -> bool:
    try:
        text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _value(value: Any, name: str, found: set[str]) -> Any:
    if isinstance(value, tuple):
        return _object(value, found)
    if isinstance(value, list):
        # `"tokens": ["a", "b"]`, but not the numbers that a language model calls tokens.
        one = name if is_secret(name) else name.removesuffix("s")
        return [_value(item, one if isinstance(item, str) else name, found) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if is_secret(name, str(value)):
        found.add(called(name))
        return LEFT_OUT
    return _string(value, name, found) if isinstance(value, str) else value


def _object(pairs: tuple[tuple[str, Any], ...], found: set[str]) -> dict[str, Any]:
    # `{"name": "password", "value": …}` has it in two pairs.
    named = [value for key, value in pairs if key.lower() in _NAME_KEYS and isinstance(value, str)]
    held = next(filter(is_secret, named), "")
    cleaned = {}
    for key, value in pairs:
        by = held if held and key.lower() in ("value", "content") else key
        if is_token(key):
            found.add(TOKEN)
            key = LEFT_OUT
        cleaned[key] = _value(value, by, found)
    return cleaned


def _multipart(text: str, boundary: str, found: set[str]) -> str:
    lines = rf"((?:^|\r?\n)--{re.escape(boundary)}(?:--)?[ \t]*(?:\r?\n|$))"
    pieces = re.split(lines, text)
    # Every second piece is a line between the parts.
    pieces[::2] = [_part(piece, found) for piece in pieces[::2]]
    return "".join(pieces)


def _part(part: str, found: set[str]) -> str:
    split = re.match(r"(.*?\r?\n\r?\n)(.*)", part, re.S)
    if split is None:
        return cleaned_text(part, found)
    head, content = split.groups()
    named, kind = _PART_NAME.search(head), _PART_KIND.search(head)
    name = (named[1] or named[2] or "") if named else ""
    if content and is_secret(name, content):
        found.add(called(name))
        content = LEFT_OUT
    else:
        content = _content(content, kind[1].strip().lower() if kind else "", found)
    return cleaned_text(head, found) + content


def _table(text: str, between: str, found: set[str]) -> str:
    """A table with names in its first row."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=between))
    except csv.Error:
        return text
    secret = {at: name for at, name in enumerate(rows[0] if rows else ()) if is_secret(name)}
    if not secret:
        return text
    found |= set(map(called, secret.values()))
    for row in rows[1:]:
        row[:] = [LEFT_OUT if at in secret and cell else cell for at, cell in enumerate(row)]
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=between, lineterminator="\n").writerows(rows)
    return written.getvalue()
