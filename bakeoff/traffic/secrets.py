"""Takes secrets of people's sessions out of a recording."""

import re
from collections import Counter
from dataclasses import replace
from urllib.parse import unquote

from bakeoff.traffic.recording import Recording, Request, is_asset
from bakeoff.traffic.secret_bodies import cleaned_body, form
from bakeoff.traffic.secret_text import cleaned_line
from bakeoff.traffic.tokens import (
    LEFT_OUT,
    TOKEN,
    called,
    is_hash,
    is_known,
    is_link,
    is_secret,
    is_token,
    without_tokens,
)

_PARAMETER = re.compile(r"([^;=]+)=([^;=]+)")
_KEY = re.compile(r'"((?:[^"\\]|\\.){16,})"\s*:')


def without_secrets(recording: Recording) -> tuple[Recording, Counter[str]]:
    """The recording without them, and the secrets that were left out: their names, and the number
    of requests.

    Headers are left out; in paths and bodies `LEFT_OUT` replaces them.
    """
    kept: Counter[Request] = Counter()
    counts: Counter[str] = Counter()
    unread = 0
    for request, count in recording.requests.items():
        found: set[str] = set()
        kept[_cleaned(request, found)] += count
        unread += count * (not _is_text(request.body))
        for name in found:
            counts[name] += count
    notes = [*recording.notes]
    if unread:
        requests = "1 request has a body" if unread == 1 else f"{unread:,} requests have bodies"
        notes.append(f"{requests} of bytes that are not text: look for secrets there yourself")
    return replace(recording, requests=kept, notes=notes), counts


def _is_text(body: bytes) -> bool:
    try:
        return "\0" not in body.decode()
    except UnicodeDecodeError:
        return False


def _cleaned(request: Request, found: set[str]) -> Request:
    headers = []
    for name, value in request.headers:
        if _is_secret_header(name, value):
            found.add(name.title())
        else:
            headers.append((name, value))
    before, mark, query = request.path.partition("?")
    places: dict[str, set[str]] = {place: set() for place in ("path", "query", "body")}
    cleaned = replace(
        request,
        path=_path(before, places["path"]) + mark + form(query, places["query"]),
        headers=tuple(headers),
        body=cleaned_body(request.body, request.header("content-type"), places["body"]),
        answer=None if _names_tokens(request.answer) else request.answer,
    )
    for place, names in places.items():
        found |= {f"{TOKEN} in the {place}" if name == TOKEN else name for name in names}
    return cleaned


def _is_secret_header(name: str, value: str) -> bool:
    if is_secret(name, value):
        return True
    # The boundary of a form looks like a token.
    by_looks = name.lower() != "content-type" and not is_hash(name, value)
    return by_looks and cleaned_line(value, set()) != value


def _path(path: str, found: set[str]) -> str:
    segments = path.split("/")
    cleaned = [
        _segment(segment, unquote(before), found)
        for before, segment in zip(["", *segments], segments, strict=False)
    ]
    return "/".join(cleaned)


def _segment(segment: str, before: str, found: set[str]) -> str:
    plain = unquote(segment)
    # The name of a script or a picture has the hash of its content.
    is_public = is_asset(segment) or is_hash(before, plain)
    if is_known(plain) or (not is_public and (is_token(plain) or is_link(plain, before))):
        found.add(TOKEN)
        return LEFT_OUT

    def parameter(match: re.Match[str]) -> str:
        name, value = unquote(match[1]), unquote(match[2])
        if not is_secret(name, value) and without_tokens(value) == value:
            return match[0]
        found.add(called(name))
        return f"{match[1]}={LEFT_OUT}"

    return _PARAMETER.sub(parameter, segment)


def _names_tokens(answer: str | None) -> bool:
    """Whether keys of an answer are tokens, which its shape would contain."""
    return answer is not None and any(is_token(match[1]) for match in _KEY.finditer(answer))
