"""Where the answers of two servers differ, in the parts that stay the same in each."""

import difflib
import json
from collections.abc import Iterator
from typing import Any

from bakeoff.model.shape import mismatch, shape_of
from bakeoff.verify.inference import columns, constant, parsed, texts_of
from bakeoff.verify.sampling import AnswerSample

DIFFERENCES_MAX = 6
LINES_MAX = 6
LINE_LENGTH_MAX = 80
VALUE_LENGTH_MAX = 40
LINES_COMPARED_MAX = 2000


def differences(own: AnswerSample, others: AnswerSample) -> tuple[str, ...]:
    """How `own` answers differ from `others`, the most important first; none: they are alike.

    Parts that vary in either are left out.
    """
    found = [*_heads(own, others), *_bodies(own, others)]
    more = len(found) - DIFFERENCES_MAX
    return (*found[:DIFFERENCES_MAX], *([f"and {more} more"] if more > 0 else []))


def _heads(own: AnswerSample, others: AnswerSample) -> Iterator[str]:
    both = own.answers[0], others.answers[0]
    if both[0].status != both[1].status:
        yield f"status {both[0].status}, not {both[1].status}"
    for name in ("content-type", "content-encoding"):
        # Some frameworks name a charset, others rely on the default of JSON and HTML.
        here, there = (answer.header(name).partition(";")[0].strip() for answer in both)
        if here.lower() != there.lower():
            yield f"{name}: {here or '(none)'}, not {there or '(none)'}"


def _bodies(own: AnswerSample, others: AnswerSample) -> Iterator[str]:
    if len({answer.body for answer in (*own.answers, *others.answers)}) == 1:
        return
    here, there = parsed(own.answers), parsed(others.answers)
    own_lines, other_lines = _lines(own), _lines(others)
    if here is not None and there is not None:
        yield from _of_json(here, there)
    elif (here is None) != (there is None):
        yield _sizes("not JSON" if here is None else "JSON", own, others)
    elif own_lines is not None and other_lines is not None:
        yield from _diff(other_lines, own_lines)
    elif not (own.inferred.varied and others.inferred.varied):
        yield _sizes("other bytes", own, others)


def _sizes(what: str, own: AnswerSample, others: AnswerSample) -> str:
    here, there = len(own.answers[0].body), len(others.answers[0].body)
    return f"{what}: {here} bytes, " + (f"not {there}" if here != there else "as the other's")


def _of_json(here: list[Any], there: list[Any]) -> Iterator[str]:
    """Keys that are missing or of another type, own ones, and constant values that differ."""
    shape, others = shape_of(here), shape_of(there)
    if not isinstance(shape, dict) or not isinstance(others, dict):
        if fault := mismatch(here[0], others):
            yield fault
            return
    else:
        for key, inner in others.items():
            if fault := mismatch(here[0], {key: inner}):
                yield fault.removeprefix("/")
        known = {key.removesuffix("?") for key in others}
        for key in shape:
            if key.removesuffix("?") not in known:
                yield f"{key.removesuffix('?')} is its own"
    their_columns = columns(there)
    for place, own in columns(here).items():
        theirs = their_columns.get(place, [])
        if not theirs or not constant(own) or not constant(theirs) or own[0] == theirs[0]:
            continue
        if type(own[0]) is type(theirs[0]):
            values = [json.dumps(value, ensure_ascii=False) for value in (own[0], theirs[0])]
            short = max(map(len, values)) <= VALUE_LENGTH_MAX
            yield f"{place} is {values[0]}, not {values[1]}" if short else f"{place} differs"


def _lines(sample: AnswerSample) -> list[str] | None:
    """Its first answer's lines without those that vary; None: it is not text."""
    texts = texts_of(sample.answers)
    if texts is None:
        return None
    first, *rest = (text.splitlines() for text in texts)
    kept = set(first).intersection(*rest)
    return [line for line in first if line in kept][:LINES_COMPARED_MAX]


def _diff(before: list[str], after: list[str]) -> Iterator[str]:
    """The lines that differ, `-` before those of the other."""
    lines = [
        line[:LINE_LENGTH_MAX] + ("…" if len(line) > LINE_LENGTH_MAX else "")
        for line in difflib.unified_diff(before, after, n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    yield from (json.dumps(line, ensure_ascii=False) for line in lines[:LINES_MAX])
    if len(lines) > LINES_MAX:
        yield f"and {len(lines) - LINES_MAX} more lines"
