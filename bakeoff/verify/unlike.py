"""Where the answers of two servers differ, as far as either's stay."""

import difflib
import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from bakeoff.model.shape import mismatch
from bakeoff.verify.exchange import Answer
from bakeoff.verify.hold import Looked
from bakeoff.verify.shape import shape_of, varying
from bakeoff.verify.stays import parsed, texts_of

DIFFERENCES_MAX = 6
LINES_MAX = 6
LINE_LENGTH_MAX = 80
VALUE_LENGTH_MAX = 40
LINES_COMPARED_MAX = 2000


def differences(own: Looked, others: Looked) -> tuple[str, ...]:
    """How `own` answers differ from `others`, the weightiest first; none: they are alike.

    What varies in either is left out, but for places that vary in one of them alone.
    """
    said = [*_heads(own.answers[0], others.answers[0]), *_bodies(own, others)]
    more = len(said) - DIFFERENCES_MAX
    return (*said[:DIFFERENCES_MAX], *([f"and {more} more"] if more > 0 else []))


def _heads(own: Answer, other: Answer) -> Iterator[str]:
    if own.status != other.status:
        yield f"status {own.status}, not {other.status}"
    for name in ("content-type", "content-encoding"):
        # Some frameworks name a charset, others leave it to what JSON and HTML have anyway.
        here, there = (each.header(name).partition(";")[0].strip() for each in (own, other))
        if here.lower() != there.lower():
            yield f"{name}: {here or '(none)'}, not {there or '(none)'}"


def _bodies(own: Looked, others: Looked) -> Iterator[str]:
    bodies = {answer.body for answer in (*own.answers, *others.answers)}
    if len(bodies) == 1:
        return
    here, there = parsed(own.answers), parsed(others.answers)
    if here is not None and there is not None:
        yield from _of_json(here, there)
        return
    own_lines, other_lines = _lines(own), _lines(others)
    if (here is None) != (there is None):
        yield _sizes("no JSON" if there is not None else "JSON", own, others)
    elif own_lines is not None and other_lines is not None:
        yield from _diff(other_lines, own_lines)
    elif not (own.held.varied and others.held.varied):
        yield _sizes("other bytes", own, others)


def _sizes(what: str, own: Looked, others: Looked) -> str:
    here, there = len(own.answers[0].body), len(others.answers[0].body)
    return f"{what}: {here} bytes, " + (f"not {there}" if here != there else "as the other's")


def _of_json(here: list[Any], there: list[Any]) -> Iterator[str]:
    """Places of unlike shape; that vary in one alone; that stay, each at its own value."""
    faults = list(_misfits(here, there))
    yield from faults
    said = {fault.split(" ", 1)[0] for fault in faults}
    if "it" in said:
        return
    varies, others_vary = list(varying(here)), list(varying(there))
    for place in dict.fromkeys([*varying([here[0], there[0]]), *varies, *others_vary]):
        own, theirs = _within(place, varies), _within(place, others_vary)
        if _within(place, said) or (own and theirs):
            continue
        if own or theirs:
            yield f"{place} {'varies' if own else 'never changes'}"
        else:
            yield _values(place, here[0], there[0])


def _values(place: str, here: Any, there: Any) -> str:
    """`total is 3, not 4`, or less where that is long or in an array."""
    for key in place.split("."):
        if not isinstance(here, dict) or not isinstance(there, dict) or key not in here:
            return f"{place} has another value"
        here, there = here[key], there.get(key)
    own, other = (json.dumps(each, ensure_ascii=False) for each in (here, there))
    if max(len(own), len(other)) > VALUE_LENGTH_MAX:
        return f"{place} has another value"
    return f"{place} is {own}, not {other}"


def _within(place: str, places: Collection[str]) -> bool:
    """Whether it is one of them, or a part of one, or has one for a part."""
    return any(
        place == each
        or place.startswith((f"{each}.", f"{each}["))
        or each.startswith((f"{place}.", f"{place}["))
        for each in places
    )


def _misfits(here: list[Any], there: list[Any]) -> Iterator[str]:
    """One for each key of an object, at the top: deeper ones name their place."""
    shape, others = shape_of(here), shape_of(there)
    if not isinstance(shape, dict) or not isinstance(others, dict):
        yield from filter(None, [_dotted(mismatch(here[0], others))])
        return
    value, other = here[0], there[0]
    for key, inner in others.items():
        if fault := mismatch(value, {key: inner}):
            yield _dotted(fault)
    for key in shape:
        if key not in others and f"{key}?" not in others and key.removesuffix("?") not in other:
            yield f"{key.removesuffix('?')} is its own"


def _dotted(fault: str) -> str:
    """`items[].id is missing`, of `/items/3/id is missing`."""
    place, space, rest = fault.partition(" ")
    dotted = re.sub(r"/\d+(?=/|$)", "[]", place).removeprefix("/").replace("/", ".")
    return f"{dotted}{space}{rest}"


def _lines(looked: Looked) -> list[str] | None:
    """Its first answer's lines without those that vary; None: it is not text."""
    texts = texts_of(looked.answers)
    if texts is None:
        return None
    first, *rest = ([*text.splitlines()] for text in texts)
    kept = set(first).intersection(*rest)
    return [line for line in first if line in kept][:LINES_COMPARED_MAX]


def _diff(before: list[str], after: list[str]) -> Iterator[str]:
    """The lines that differ, `-` before those that the other has."""
    lines = [
        line[:LINE_LENGTH_MAX] + ("…" if len(line) > LINE_LENGTH_MAX else "")
        for line in difflib.unified_diff(before, after, n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    yield from (json.dumps(line, ensure_ascii=False) for line in lines[:LINES_MAX])
    if len(lines) > LINES_MAX:
        yield f"and {len(lines) - LINES_MAX} more lines"
