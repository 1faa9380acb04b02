"""The constant part of a server's answers to one request, and what depends on earlier requests."""

import json
import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from bakeoff.model.finding import Finding
from bakeoff.model.receipt import Expectation
from bakeoff.model.request import ExpectSection
from bakeoff.model.shape import shape_of
from bakeoff.verify.exchange import Answer

LENGTH_SLACK_BYTES = 64
"""A body that varies may be shorter or longer than the seen ones by this much, or by half and
twice."""
COUNTS_MIN = 4
"""This many numbers at equal steps, requested at unequal distances, are not a clock."""

_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):([0-5]\d)(?!\d)")


def minutes(seconds: Iterable[float]) -> frozenset[tuple[int, int]]:
    """The hours and minutes of a clock at these times, here and in UTC; hours up to 11."""
    times = [clock(second) for second in seconds for clock in (time.gmtime, time.localtime)]
    return frozenset((shown.tm_hour % 12, shown.tm_min) for shown in times)


def inferred(
    answers: Sequence[Answer], *, fixed: bool = True, clock: Collection[tuple[int, int]] = ()
) -> Expectation:
    """What all of `answers` have in common; there are at least two, of one status.

    `fixed`: they answer one request, and not several with different fields, whose bodies may have
    any length. A body that shows the `minutes` at which it came will change, though it has not so
    far.
    """
    types = {answer.header("content-type") for answer in answers}
    kept = {"content-type": types.pop()} if len(types) == 1 and "" not in types else {}
    expect = ExpectSection(status=answers[0].status, headers=kept)
    bodies = [answer.body for answer in answers]
    text = (texts_of(answers) or [""])[0]
    times = {(int(time[1]) % 12, int(time[2])) for time in _CLOCK.finditer(text)}
    if len(set(bodies)) == 1 and times.isdisjoint(clock):
        return Expectation(answers=len(answers), expect=expect)
    update: dict[str, object] = {}
    if fixed and not _grow(bodies):
        least, most = min(map(len, bodies)), max(map(len, bodies))
        below, above = max(LENGTH_SLACK_BYTES, least // 2), max(LENGTH_SLACK_BYTES, most)
        # If all had a body, an empty one is wrong.
        update["length_between"] = (max(min(1, least), least - below), most + above)
    varied: tuple[str, ...] = ("the body",)
    if (values := parsed(answers)) is not None:
        update["json_"] = shape_of(values)
        places = [place for place, column in columns(values).items() if not constant(column)]
        varied = tuple(places) or ("the spelling" if len(set(bodies)) > 1 else "the time",)
    expect = expect.model_copy(update=update)
    return Expectation(answers=len(answers), expect=expect, varied=varied)


def parsed(answers: Sequence[Answer]) -> list[Any] | None:
    """The bodies' JSON; None where one is not JSON.

    A bare number or text counts if the server calls it JSON.
    """
    texts = texts_of(answers)
    if texts is None:
        return None
    try:
        # NaN and Infinity are not JSON: int refuses them.
        values = [json.loads(text, parse_constant=int) for text in texts]
    except (ValueError, RecursionError):
        return None
    called = all("json" in answer.header("content-type").lower() for answer in answers)
    return values if called or all(isinstance(value, dict | list) for value in values) else None


def texts_of(answers: Sequence[Answer]) -> list[str] | None:
    """The bodies as text; None where one is compressed, or not UTF-8."""
    if any(answer.header("content-encoding") for answer in answers):
        return None
    try:
        return [answer.body.decode() for answer in answers]
    except UnicodeDecodeError:
        return None


def columns(values: Sequence[Any]) -> dict[str, list[Any]]:
    """The values at each place that is not an object, as `user.id`; None: it is missing."""
    found = [dict(_places(value)) for value in values]
    return {
        place: [own.get(place) for own in found]
        for place in dict.fromkeys(place for own in found for place in own)
    }


def constant(column: Sequence[Any]) -> bool:
    return all(value == column[0] for value in column)


def order_matters(one_by_one: Sequence[Answer]) -> Iterator[Finding]:
    """What in answers to one request, one after another, depends on the requests before."""
    bodies = [answer.body for answer in one_by_one]
    if len(bodies) < COUNTS_MIN:
        return
    for place, seen in _numbers(one_by_one):
        steps = {after - before for before, after in pairwise(seen)}
        if len(steps) == 1 and steps != {0}:
            yield Finding.of("answers_count", place=place, seen=seen)
            return
    if _grow(bodies):
        yield Finding.of("answers_grow", seen=[len(body) for body in bodies])


def _places(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, f"{where}.{key}" if where else key)
    else:
        yield where or "the body", value


def _numbers(answers: Sequence[Answer]) -> Iterator[tuple[str, list[int]]]:
    """Whole numbers that all have in one place."""
    if (values := parsed(answers)) is not None:
        for place, column in columns(values).items():
            if all(type(value) is int for value in column):
                yield f"`{place}`", column
        return
    texts = texts_of(answers) or []
    if len({_NUMBER.sub("", text) for text in texts}) == 1:
        for digits in zip(*(_NUMBER.findall(text) for text in texts), strict=False):
            yield "a number", list(map(int, digits))


def _grow(bodies: Sequence[bytes]) -> bool:
    """Whether each is longer than the one before. The digits of a number don't grow that often."""
    return len(bodies) >= COUNTS_MIN and all(len(a) < len(b) for a, b in pairwise(bodies))
