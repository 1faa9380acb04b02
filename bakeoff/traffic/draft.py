"""A workload as it is written: its requests, and the files beside it."""

import csv
import io
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from pydantic import JsonValue

from bakeoff.model.shape import shape_of
from bakeoff.traffic.recording import Headers, Recording, Request, common, is_asset, kept
from bakeoff.traffic.secrets import without_secrets
from bakeoff.traffic.shapes import (
    Item,
    Parts,
    Shape,
    is_id,
    parts_of,
    path_with,
    shapes,
    text_of,
    values_of,
)

MOST_REQUESTS = 20
MOST_ROWS = 10_000
_LONGEST_LINE = 1_000
"""A longer body has a file of its own."""
_LONGEST_PATH = 8_000
_LONGEST_WITH_BRACES = 100_000
"""Two braces in a body make it a value of the data file, of which Python reads 128 KiB."""
_ASSET_TYPES = re.compile(r"(?:image|font|audio|video)/|text/css|\w+/(?:x-)?javascript")


@dataclass(frozen=True)
class Choices:
    """The options of `bakeoff workload from`."""

    name: str
    with_secrets: bool = False
    assets: bool = True
    apart: bool = False
    most: int = MOST_REQUESTS


@dataclass(frozen=True)
class DraftRequest:
    """One request of the workload, with its fields."""

    weight: int
    method: str
    path: str
    headers: Headers = ()
    body: str = ""
    body_file: str | None = None
    label: str | None = None
    status: int | None = None
    answer_type: str | None = None
    json: JsonValue = None
    """The shape of the answer, if it is known."""
    events: bool = False
    """Whether the answer is a stream of server-sent events."""
    notes: tuple[str, ...] = ()


@dataclass
class Draft:
    """A workload, and remarks about it."""

    name: str
    title: str
    source: str
    requests: list[DraftRequest] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    """Rows of the data by column, all of one length."""
    message: Request | None = None
    """The message of a WebSocket, in place of requests."""
    bodies: dict[str, bytes] = field(default_factory=dict)
    """Contents of files beside it, by name."""
    remarks: list[str] = field(default_factory=list)

    @property
    def data(self) -> str | None:
        return f"{self.name}.csv" if self.columns else None

    def files(self) -> dict[str, bytes]:
        if self.data is None:
            return self.bodies
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*self.columns.values(), strict=True))
        return {self.data: text.getvalue().encode(), **self.bodies}


def draft(recording: Recording, choices: Choices) -> Draft:
    """The workload of the recorded requests, weighted by their counts. It may have no request."""
    secrets: Counter[str] = Counter()
    if not choices.with_secrets:
        recording, secrets = without_secrets(recording)
    chosen, message = _apart(recording, _chosen(recording, choices))
    found = shapes(chosen, choices.apart)
    taken, rest = found[: choices.most], found[choices.most :]
    of = f" to {recording.host}" if recording.host else ""
    total = sum(shape.size for shape in taken)
    title = f"{total:,} request{'s' * (total != 1)}{of}, from {recording.source}"
    if message:
        title = f"a message{of}, from {recording.source}"
    made = Draft(choices.name, title, recording.source, message=message)
    varying = [shape for shape in taken if len(shape.requests) > 1]
    rows = min(MOST_ROWS, max((shape.size for shape in varying), default=1))
    for shape in taken:
        made.requests.append(_request_of(made, shape, rows))
    made.remarks = list(_remarks(recording, secrets, choices))
    if rest:
        rarer = f"{len(rest):,} rarer request{'s' * (len(rest) != 1)}"
        share = sum(shape.size for shape in rest) / chosen.total()
        made.remarks.append(f"left out: {rarer}, {share:.1%} of all; --max NUMBER takes more")
    most = max((shape.size for shape in varying), default=0)
    if most > rows:
        made.remarks.append(f"the data file has {rows:,} rows, taken evenly from {most:,} requests")
    if any(request.json is not None for request in made.requests):
        made.remarks.append(
            "json is the shape of recorded answers, which were not compressed: widen it where "
            "others are right"
        )
    return made


def _chosen(recording: Recording, choices: Choices) -> Counter[Request]:
    chosen: Counter[Request] = Counter()
    for request, count in recording.requests.items():
        if len(request.path) > _LONGEST_PATH:
            recording.left_out[f"whose path has more than {_LONGEST_PATH:,} characters"] += count
        elif b"{{" in request.body and len(request.body) > _LONGEST_WITH_BRACES:
            recording.left_out["whose body is long and has {{ in it"] += count
        elif not choices.assets and (
            is_asset(request.path.partition("?")[0])
            or _ASSET_TYPES.match((request.answer_type or "").lower())
        ):
            recording.left_out["for static assets (--no-assets)"] += count
        else:
            chosen[request] += count
    return chosen


def _apart(
    recording: Recording, chosen: Counter[Request]
) -> tuple[Counter[Request], Request | None]:
    """The requests or, without any, the most frequent message: a workload has one or the other."""
    requests = Counter({one: count for one, count in chosen.items() if not one.echoed})
    messages = chosen - requests
    message = max(messages, key=messages.__getitem__, default=None) if not requests else None
    if left := messages.total() - (messages[message] if message else 0):
        recording.left_out[
            "over other WebSockets; `bakeoff race URL --message TEXT` races servers that echo"
        ] += left
    return requests, message


def _request_of(made: Draft, shape: Shape, rows: int) -> DraftRequest:
    """The request of a shape; its columns and files are added to `made`."""
    first, several = shape.first, list(shape.requests)
    values = list(zip(*map(values_of, several), strict=True))
    fixed = [len(set(column)) == 1 for column in values]
    # Two braces would begin a field, unless they come from a column.
    fixed[-1] = fixed[-1] and ("{{" not in values[-1][0] or text_of(first.body) is None)
    picked = _picked(list(shape.requests.values()), rows)
    slots = []
    parts = parts_of(first.path)
    for at, (column, is_fixed) in enumerate(zip(values, fixed, strict=True)):
        if is_fixed:
            slots.append(column[0])
            continue
        name = _free(_column(parts, at, fixed, column), made.columns)
        made.columns[name] = [column[index] for index in picked]
        slots.append(f"{{{{{name}}}}}")
    end = len(parts.segments)
    query = parts.query and tuple(
        Item(item.name, item.equals, value)
        for item, value in zip(parts.query, slots[end:-1], strict=True)
    )
    headers, differing = common([kept(request) for request in several])
    json_shape, events = _shape_of(several), all(request.events for request in several)
    if json_shape is not None or events:
        # The engine reads bodies as they come.
        headers = tuple(pair for pair in headers if pair[0].lower() != "accept-encoding")
    body, body_file = slots[-1], None
    if fixed[-1] and (text_of(first.body) is None or len(first.body) > _LONGEST_LINE):
        body, body_file = "", _body_file(made, first)
    notes = (f"left out, as they differ: {', '.join(differing)}",) if differing else ()
    types = {request.answer_type for request in several}
    return DraftRequest(
        shape.size,
        first.method,
        path_with(Parts(tuple(slots[:end]), query)),
        headers,
        body,
        body_file,
        first.label,
        first.status,
        next(iter(types)) if len(types) == 1 else (first.answer_type or "").partition(";")[0],
        json_shape,
        events,
        notes,
    )


def _picked(counts: list[int], rows: int) -> list[int]:
    """For each row the index of its request: in proportion to `counts`."""
    ends = list(accumulate(counts))
    return [bisect_right(ends, (2 * row + 1) * ends[-1] // (2 * rows)) for row in range(rows)]


def _column(parts: Parts, at: int, fixed: list[bool], values: tuple[str, ...]) -> str:
    """The name of the value `at`: after the segment before it, or its name in the query."""
    end = len(parts.segments)
    if end <= at < len(fixed) - 1:
        assert parts.query
        return _word(parts.query[at - end].name) or "query"
    before = [parts.segments[place] for place in range(min(at, end)) if fixed[place]]
    word = next((_word(segment) for segment in reversed(before) if _word(segment)), "")
    kind = "body" if at >= end else "id" if all(map(is_id, values)) else "name"
    return f"{word}_{kind}" if word else kind


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:30]


def _free(name: str, taken: dict[str, list[str]]) -> str:
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}_{count}"
    return free


def _body_file(made: Draft, request: Request) -> str:
    """Keep a body in a file beside the workload. Returns its name."""
    kind = request.header("content-type")
    suffix = "bin" if text_of(request.body) is None else "json" if "json" in kind else "txt"
    name = f"{made.name}-{len(made.bodies) + 1}.{suffix}"
    made.bodies[name] = request.body
    return name


def _shape_of(several: list[Request]) -> JsonValue:
    answers: list[Any] = []
    for request in several:
        if request.compressed:
            return None
        if request.answer is not None:
            try:
                answers.append(json.loads(request.answer))
            except (ValueError, RecursionError):
                return None
    return shape_of(answers) if answers else None


def _remarks(recording: Recording, secrets: Counter[str], choices: Choices) -> Iterator[str]:
    for reason, count in recording.left_out.items():
        yield f"left out: {count:,} request{'s' * (count != 1)} {reason}"
    if secrets:
        named = ", ".join(f"{name} in {count:,}" for name, count in secrets.most_common())
        yield f"left out: secrets ({named}); answers may differ without; --with-secrets keeps them"
    elif choices.with_secrets:
        yield "secrets, if there are any, are in it (--with-secrets)"
    yield from recording.notes
