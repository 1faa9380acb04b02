"""What stays in a server's answers to one request, and what in them depends on earlier requests."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

from bakeoff.model.finding import Finding
from bakeoff.model.held import Held
from bakeoff.model.workload import ExpectSection
from bakeoff.verify.exchange import Answer
from bakeoff.verify.shape import numbers, shape_of, varying

LENGTH_SLACK_BYTES = 64
"""A body that varies may be shorter and longer than those seen by so much, or by half and twice."""
PIECE_BYTES_MIN = 16
"""Shorter pieces of a page are in any page."""
PIECES_MAX = 8
NEAR_CHARACTERS = 40
"""Digits so near to what varies may be a part of it: a date before a time."""
COUNTS_MIN = 4
"""So many numbers at equal steps, asked at unequal distances, are no clock."""

_PIECE = re.compile(r"[^\n>]*[\n>]|[^\n>]+")
_NUMBER = re.compile(r"\d+")


def stays(answers: Sequence[Answer], *, fixed: bool = True) -> Held:
    """What all of `answers` have in common, of which there are two at least, of one status.

    `fixed`: they answer one request, and not some with other fields, whose bodies may have any
    length.
    """
    types = {answer.header("content-type") for answer in answers}
    kept = {"content-type": types.pop()} if len(types) == 1 and "" not in types else {}
    expect = ExpectSection(status=answers[0].status, headers=kept)
    bodies = [answer.body for answer in answers]
    if len(set(bodies)) == 1:
        return Held(answers=len(answers), expect=expect)
    update: dict[str, object] = {}
    if fixed and not _grow(bodies):
        update["length_between"] = _lengths(bodies)
    varied: tuple[str, ...] = ("the body",)
    if (values := parsed(answers)) is not None:
        update["json_"] = shape_of(values)
        varied = tuple(varying(values)) or ("the spelling",)
    elif (texts := texts_of(answers)) is not None:
        update["body_contains"] = _pieces(texts)
    return Held(answers=len(answers), expect=expect.model_copy(update=update), varied=varied)


def parsed(answers: Sequence[Answer]) -> list[Any] | None:
    """The bodies' JSON; None where one is none.

    A bare number or text counts where the server calls it JSON.
    """
    texts = texts_of(answers)
    if texts is None:
        return None
    try:
        values = [json.loads(text, parse_constant=_refuse) for text in texts]
    except (ValueError, RecursionError):
        return None
    called = all("json" in answer.header("content-type").lower() for answer in answers)
    return values if called or all(isinstance(value, dict | list) for value in values) else None


def texts_of(answers: Sequence[Answer]) -> list[str] | None:
    """The bodies as text; None where one is compressed, or no UTF-8."""
    if any(answer.header("content-encoding") for answer in answers):
        return None
    try:
        return [answer.body.decode() for answer in answers]
    except UnicodeDecodeError:
        return None


def order_matters(one_by_one: Sequence[Answer]) -> Iterator[Finding]:
    """What in answers to one request, one after another, comes from the requests before."""
    bodies = [answer.body for answer in one_by_one]
    if len(bodies) < COUNTS_MIN:
        return
    for place, seen in _counted(one_by_one):
        steps = {after - before for before, after in pairwise(seen)}
        if len(steps) == 1 and steps != {0}:
            yield Finding.of("answers_count", place=place, seen=seen)
            return
    if _grow(bodies):
        yield Finding.of("answers_grow", seen=[len(body) for body in bodies])


def _counted(answers: Sequence[Answer]) -> Iterator[tuple[str, list[int]]]:
    """Whole numbers that all have in one place."""
    if (values := parsed(answers)) is not None:
        found = [dict(numbers(value)) for value in values]
        for place in found[0]:
            if all(place in each for each in found):
                yield f"`{place}`", [each[place] for each in found]
        return
    texts = texts_of(answers) or []
    if len({_NUMBER.sub("", text) for text in texts}) == 1:
        for column in zip(*(_NUMBER.findall(text) for text in texts), strict=False):
            yield "a number", [int(digits) for digits in column]


def _grow(bodies: Sequence[bytes]) -> bool:
    """Whether each is longer than the one before. A number's digits don't grow so often."""
    return len(bodies) >= COUNTS_MIN and all(len(a) < len(b) for a, b in pairwise(bodies))


def _lengths(bodies: Sequence[bytes]) -> tuple[int, int]:
    least, most = min(map(len, bodies)), max(map(len, bodies))
    below, above = max(LENGTH_SLACK_BYTES, least // 2), max(LENGTH_SLACK_BYTES, most)
    # Where all had a body, none is wrong.
    return max(min(1, least), least - below), most + above


def _pieces(texts: Sequence[str]) -> tuple[str, ...]:
    """The longest pieces that all have, as long as lines and tags; in the order of the page.

    A piece ends well before digits that come next to what varies: they may be of the same date.
    """
    first, *others = (_PIECE.findall(text) for text in texts)
    common = set(first).intersection(*others)
    runs = []
    for stays, group in groupby(enumerate(first), lambda each: each[1] in common):
        places = [at for at, _ in group]
        runs += [_away_from_numbers(first, range(places[0], places[-1] + 1))] if stays else []
    held: dict[int, str] = {}
    for run in sorted(runs, key=lambda each: len(_text(first, each)), reverse=True):
        text = _text(first, run)
        if len(held) == PIECES_MAX or len(text.encode()) < PIECE_BYTES_MIN:
            break
        if all(text in other for other in texts):
            held[run.start] = text
    return tuple(dict.fromkeys(held[at] for at in sorted(held)))


def _text(pieces: Sequence[str], run: range) -> str:
    return "".join(pieces[run.start : run.stop])


def _away_from_numbers(pieces: Sequence[str], run: range) -> range:
    """The run without its ends as far as digits are near them, but for the page's own ends."""
    while run and run.stop < len(pieces) and _near(pieces[at] for at in reversed(run)):
        run = run[:-1]
    while run and run.start > 0 and _near(pieces[at] for at in run):
        run = run[1:]
    return run


def _near(pieces: Iterable[str]) -> bool:
    """Whether there are digits in the pieces that the first `NEAR_CHARACTERS` are in."""
    characters = 0
    for piece in pieces:
        if characters >= NEAR_CHARACTERS:
            break
        if _NUMBER.search(piece):
            return True
        characters += len(piece)
    return False


def _refuse(constant: str) -> None:
    """NaN and Infinity are no JSON."""
    raise ValueError(constant)
