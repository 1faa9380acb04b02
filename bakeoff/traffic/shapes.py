"""Requests that differ in their values alone are one request, with a column for each value."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from bakeoff.traffic.headers import kept
from bakeoff.traffic.recording import Asked

MANY_WORDS = 20
"""From so many different words on, a segment of a path is a value: requests would be too many."""
LONGEST_VALUE = 10_000
"""A body that is longer is a file of its own."""
_DEEPEST = 32
"""Segments beyond are never a value for being many words."""
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
    """Requests that are one, with how often each was asked."""

    asked: dict[Asked, int]

    @property
    def first(self) -> Asked:
        """The one that was asked first."""
        return next(iter(self.asked))

    @property
    def size(self) -> int:
        """How many requests it stands for."""
        return sum(self.asked.values())


def parts_of(path: str) -> Parts:
    """`path`, taken apart."""
    before, mark, query = path.partition("?")
    return Parts(tuple(before.split("/")), tuple(map(_item, query.split("&"))) if mark else None)


def path_with(parts: Parts) -> str:
    """What `parts_of` took apart."""
    query = "" if parts.query is None else "?" + "&".join(map("".join, parts.query))
    return "/".join(parts.segments) + query


def values_of(asked: Asked) -> tuple[str, ...]:
    """What may differ between requests of a shape: segments, values of the query, the body."""
    parts = parts_of(asked.path)
    query = (item.value for item in parts.query or ())
    return (*parts.segments, *query, text_of(asked.body) or "")


def text_of(body: bytes) -> str | None:
    """The body as text, if it is."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def is_id(segment: str) -> bool:
    """Whether a segment is a number, a UUID, or 8 hexadecimal digits and more."""
    return _ID.fullmatch(segment) is not None


def shapes(asked: Counter[Asked], apart: bool) -> list[Shape]:
    """The shapes, those that stand for most requests first.

    Requests are of one shape if method, status, types and names in the query are the same, and
    all segments of the path that aren't ids; bodies and values of the query may differ. Then, where
    a segment has `MANY_WORDS` different words, and all else is the same, it is a value, too.
    `apart`: only requests that are equal are one.
    """
    groups: dict[Hashable, dict[Asked, int]] = {}
    for each, count in asked.items():
        key = (_rest(each), each.path, each.body) if apart else _key(each)
        groups.setdefault(key, {})[each] = count
    found = list(groups.values()) if apart else _with_words(groups.values())
    return sorted(map(Shape, found), key=lambda shape: -shape.size)


def _item(text: str) -> Item:
    name, equals, value = text.partition("=")
    return Item("", "", name) if not equals and is_id(name) else Item(name, equals, value)


def _rest(asked: Asked) -> Hashable:
    """What is never a value."""
    headers = {name.lower(): value for name, value in kept(asked)}
    types = (headers.get("accept"), headers.get("content-type"), _media_type(asked.answer_type))
    is_value = len(asked.body) <= LONGEST_VALUE and text_of(asked.body) is not None
    body = bool(asked.body) if is_value else asked.body
    return (asked.method, asked.status, asked.label, types, body)


def _media_type(value: str | None) -> str:
    return (value or "").partition(";")[0].strip().lower()


def _key(asked: Asked, words: frozenset[int] = frozenset()) -> Hashable:
    """What is the same in all requests of a shape. Of the segments at `words`, how they end."""
    parts = parts_of(asked.path)
    segments = tuple(
        (PurePosixPath(segment).suffix,) if at in words else None if is_id(segment) else segment
        for at, segment in enumerate(parts.segments)
    )
    names = None if parts.query is None else tuple(item[:2] for item in parts.query)
    return (_rest(asked), segments, names)


class _Group(NamedTuple):
    """Requests of one shape, and which segments are values for being so many words."""

    asked: dict[Asked, int]
    words: frozenset[int]

    def key(self, at: int) -> Hashable:
        """What is the same in all of them but for the segment `at`."""
        return _key(next(iter(self.asked)), self.words | {at})

    def word(self, at: int) -> str:
        """The segment `at`, empty if there is none."""
        segments = _segments(next(iter(self.asked)))
        return segments[at] if at < len(segments) else ""


def _with_words(groups: Iterable[dict[Asked, int]]) -> list[dict[Asked, int]]:
    """Groups that differ in one segment alone made one, where it has many words."""
    found = [_Group(asked, frozenset()) for asked in groups]
    longest = max((max(map(len, map(_segments, group.asked))) for group in found), default=0)
    for at in reversed(range(1, min(longest, _DEEPEST))):
        similar: dict[Hashable, list[_Group]] = {}
        for group in found:
            similar.setdefault(group.key(at), []).append(group)
        found = []
        for alike in similar.values():
            if len({group.word(at) for group in alike} - {""}) >= MANY_WORDS:
                asked = {each: count for group in alike for each, count in group.asked.items()}
                found.append(_Group(asked, alike[0].words | {at}))
            else:
                found += alike
    return [group.asked for group in found]


def _segments(asked: Asked) -> tuple[str, ...]:
    return parts_of(asked.path).segments
