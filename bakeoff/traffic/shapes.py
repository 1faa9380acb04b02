"""Requests that differ only in their values are one request, with a column for each value."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

from bakeoff.traffic.recording import Request, kept

MANY_WORDS = 20
"""A segment of a path with this many different words is a value; otherwise there would be too many
requests."""
LONGEST_VALUE = 10_000
"""A longer body has a file of its own."""
_DEEPEST = 32
"""Segments beyond it are values only if they are ids."""
_ID = re.compile(
    r"\d+|[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|(?=[a-f]*\d)[0-9a-f]{8,}"
    r"|(?=[A-F]*\d)[0-9A-F]{8,}"
)


class Item(NamedTuple):
    """A part of a query: `name=value`, or a name or a value alone."""

    name: str
    equals: str
    value: str


class Parts(NamedTuple):
    """A path and its query, taken apart."""

    segments: tuple[str, ...]
    query: tuple[Item, ...] | None


@dataclass(frozen=True)
class Shape:
    """Recorded requests that become one request, with their counts."""

    requests: dict[Request, int]

    @property
    def first(self) -> Request:
        return next(iter(self.requests))

    @property
    def size(self) -> int:
        return sum(self.requests.values())


def parts_of(path: str) -> Parts:
    before, mark, query = path.partition("?")
    return Parts(tuple(before.split("/")), tuple(map(_item, query.split("&"))) if mark else None)


def path_with(parts: Parts) -> str:
    query = "" if parts.query is None else "?" + "&".join(map("".join, parts.query))
    return "/".join(parts.segments) + query


def values_of(request: Request) -> tuple[str, ...]:
    """The values that may differ within a shape: segments, values of the query, the body."""
    parts = parts_of(request.path)
    query = (item.value for item in parts.query or ())
    return (*parts.segments, *query, text_of(request.body) or "")


def text_of(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def is_id(segment: str) -> bool:
    """Whether a segment is a number, a UUID, or at least 8 hexadecimal digits."""
    return _ID.fullmatch(segment) is not None


def shapes(requests: Counter[Request], apart: bool) -> list[Shape]:
    """The shapes, by decreasing number of requests.

    Requests are of one shape if method, status, types and names in the query are the same, and all
    segments of the path that aren't ids; bodies and values of the query may differ. Then a segment
    with `MANY_WORDS` different words, everything else being equal, is a value, too. `apart`: only
    equal requests share a shape.
    """
    groups: dict[Hashable, dict[Request, int]] = {}
    for request, count in requests.items():
        key = (_rest(request), request.path, request.body) if apart else _key(request)
        groups.setdefault(key, {})[request] = count
    found = list(groups.values()) if apart else _with_words(groups.values())
    return sorted(map(Shape, found), key=lambda shape: -shape.size)


def _item(text: str) -> Item:
    name, equals, value = text.partition("=")
    return Item("", "", name) if not equals and is_id(name) else Item(name, equals, value)


def _rest(request: Request) -> Hashable:
    """The parts of a request that are never a value, besides its path."""
    headers = {name.lower(): value for name, value in kept(request)}
    types = (headers.get("accept"), headers.get("content-type"), _media_type(request.answer_type))
    is_value = len(request.body) <= LONGEST_VALUE and text_of(request.body) is not None
    body = bool(request.body) if is_value else request.body
    return (request.method, request.status, request.label, types, body)


def _media_type(value: str | None) -> str:
    return (value or "").partition(";")[0].strip().lower()


def _key(request: Request, words: frozenset[int] = frozenset()) -> Hashable:
    """The parts that all requests of a shape share; from the segments at `words`, their
    suffixes."""
    parts = parts_of(request.path)
    segments = tuple(
        (PurePosixPath(segment).suffix,) if at in words else None if is_id(segment) else segment
        for at, segment in enumerate(parts.segments)
    )
    names = None if parts.query is None else tuple(item[:2] for item in parts.query)
    return (_rest(request), segments, names)


class _Group(NamedTuple):
    """Requests of one shape, and the places of segments that are values for their many words."""

    requests: dict[Request, int]
    words: frozenset[int]

    def key(self, at: int) -> Hashable:
        return _key(next(iter(self.requests)), self.words | {at})

    def word(self, at: int) -> str:
        segments = _segments(next(iter(self.requests)))
        return segments[at] if at < len(segments) else ""


def _with_words(groups: Iterable[dict[Request, int]]) -> list[dict[Request, int]]:
    """Merge groups that differ in one segment with many words."""
    found = [_Group(requests, frozenset()) for requests in groups]
    longest = max((max(map(len, map(_segments, group.requests))) for group in found), default=0)
    for at in reversed(range(1, min(longest, _DEEPEST))):
        similar: dict[Hashable, list[_Group]] = {}
        for group in found:
            similar.setdefault(group.key(at), []).append(group)
        found = []
        for alike in similar.values():
            if len({group.word(at) for group in alike} - {""}) >= MANY_WORDS:
                merged = dict(chain.from_iterable(group.requests.items() for group in alike))
                found.append(_Group(merged, alike[0].words | {at}))
            else:
                found += alike
    return [group.requests for group in found]


def _segments(request: Request) -> tuple[str, ...]:
    return parts_of(request.path).segments
