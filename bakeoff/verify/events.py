"""An answer that is a stream of server-sent events, compared with what a workload expects.

What a browser passes over in silence
(https://html.spec.whatwg.org/multipage/server-sent-events.html) is a fault here: text that isn't
UTF-8, and an event that is cut off at the end.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bakeoff.model.request import EventsSection
from bakeoff.verify.exchange import Answer

TYPE = "text/event-stream"
TOGETHER = 0.1
"""Events came together if they are within this share of the source's gap of each other."""
HELD_BACK = 0.5
"""More closed gaps than this share of all are more than chance."""
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r)")
_SHOWN = 40


@dataclass(frozen=True)
class Event:
    """`id` is its own, or empty; `at_ns` is when the line that ended it had arrived."""

    data: str
    id: str
    at_ns: int


@dataclass(frozen=True)
class Stream:
    """The events of a body, the number of comments, and the beginning of an event without an
    end."""

    events: tuple[Event, ...]
    comments: int
    rest: bytes


def stream_of(answer: Answer) -> Stream:
    """Raises ValueError, which says which event isn't UTF-8."""
    body = answer.body.removeprefix(b"\xef\xbb\xbf")
    bom = len(answer.body) - len(body)
    ends = [end for _, end in answer.body_came]
    events: list[Event] = []
    comments = begun = 0
    data: list[str] = []
    own_id = ""
    for line in _LINE.finditer(body):
        try:
            name, _, value = line[1].decode().partition(":")
        except UnicodeDecodeError:
            raise ValueError(f"event {len(events) + 1} is not UTF-8: {_shown(line[1])}") from None
        value = value.removeprefix(" ")
        if line[1].startswith(b":"):
            comments += 1
        elif name == "data":
            data.append(value)
        elif name == "id":
            own_id = value
        if not line[1]:
            if data:
                came = answer.body_came[min(bisect_left(ends, line.end() + bom), len(ends) - 1)]
                events.append(Event("\n".join(data), own_id, came[0]))
            data, own_id, begun = [], "", line.end()
    rest = body[begun:]
    return Stream(tuple(events), comments, b"" if rest.startswith(b":") else rest.strip())


def fault(answer: Answer, expect: EventsSection, cut: str = "") -> str:
    """What is wrong with a stream; empty: nothing. `cut` is the reason why it was cut off, if it
    was."""
    kind = answer.header("content-type")
    if kind.partition(";")[0].strip().lower() != TYPE:
        return f"answered with content-type: {kind or '(none)'}, not {TYPE}"
    if encoding := answer.header("content-encoding"):
        return f"its events are compressed ({encoding}): leave Accept-Encoding out of the request"
    try:
        stream = stream_of(answer)
    except ValueError as error:
        return str(error)
    n = len(stream.events)
    if not n:
        comments = f", but {stream.comments} comments" if stream.comments else ""
        return f"sent no event{comments}{f': {cut}' if cut else ''}"
    if cut:
        return f"stopped after {n}{f' of {expect.count}' if expect.count else ''} events: {cut}"
    if stream.rest:
        return f"ended within event {n + 1}: {_shown(stream.rest)}"
    if expect.ids and (wrong := _wrong_id([event.id for event in stream.events])):
        return wrong
    if expect.count and n != expect.count:
        return f"sent {n} events, not {expect.count}"
    last = stream.events[-1].data
    if expect.last is not None and last != expect.last:
        return f"its last event is {_shown(last.encode())}, not {_shown(expect.last.encode())}"
    return ""


def held_back(answer: Answer, expect: EventsSection) -> str:
    """Whether a right stream came in clumps that its source doesn't make; empty: it did not."""
    if not expect.gap_ms:
        return ""
    gaps_ms = [(b.at_ns - a.at_ns) / 1e6 for a, b in pairwise(stream_of(answer).events)]
    together = sum(gap_ms < TOGETHER * expect.gap_ms for gap_ms in gaps_ms)
    if together <= HELD_BACK * len(gaps_ms):
        return ""
    return (
        f"it holds events back: {together} of {len(gaps_ms)} came together with the one before, "
        f"and their source sends them {expect.gap_ms:g} ms apart"
    )


def _wrong_id(ids: Sequence[str]) -> str:
    """Where an id is not one more than the one before."""
    for place, own in enumerate(ids, start=1):
        if not own.isdecimal():
            return f"event {place} has {f'the id {_shown(own.encode())}' if own else 'no id'}"
    numbers = [int(own) for own in ids]
    known = set(numbers)
    for before, number in pairwise(numbers):
        if number == before:
            return f"event {number} came twice"
        if number < before:
            return f"event {number} came after {before}: out of order"
        if before + 1 not in known:
            return f"event {before + 1} was lost: {number} came after {before}"
    return ""


def _shown(text: bytes) -> str:
    more = "…" if len(text) > _SHOWN else ""
    return f'"{text[:_SHOWN].decode(errors="replace")}{more}"'
