"""The text of a workload file, as people like to read it."""

import json
import re
from collections.abc import Iterator

from pydantic import JsonValue

from bakeoff.traffic.draft import Asks, Draft

_LINE = 96
"""A table of headers that is longer has a line for each."""
_LONGEST_SHAPE = 500
"""Of a JSON shape that is longer, only the upper levels are held."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_of(draft: Draft) -> str:
    """The workload file; files that it names are written beside it."""
    lines = [f"# {_comment(remark)}" for remark in draft.remarks]
    lines += [f"name = {text(draft.name)}", f"title = {text(draft.title)}"]
    if draft.data:
        lines.append(f"data = {text(draft.data)}  # a row is drawn for each request")
    names = _names(draft.asks)
    for asks, name in zip(draft.asks, names, strict=True):
        lines += ["", *_request(asks, name)]
    return "\n".join(lines) + "\n"


def _names(several: list[Asks]) -> list[str | None]:
    """What each request is called; None: by its method and path, as is usual."""
    names: list[str | None] = []
    taken: set[str] = set()
    for asks in several:
        usual = f"{asks.method} {asks.path}"
        name, count = asks.label or usual, 1
        while name in taken:
            count += 1
            name = f"{asks.label or usual} ({count})"
        taken.add(name)
        names.append(None if name == usual else name)
    return names


def _request(asks: Asks, name: str | None) -> Iterator[str]:
    yield from (f"# {_comment(note)}" for note in asks.notes)
    yield "[[request]]"
    if name:
        yield f"name = {text(name)}"
    yield f"weight = {min(asks.weight, 2**32 - 1)}"
    yield f"method = {text(asks.method)}"
    yield f"path = {text(asks.path)}"
    if asks.body:
        yield f"body = {text(asks.body)}"
    if asks.body_file:
        yield f"body_file = {text(asks.body_file)}"
    pairs = [f"{_key(name)} = {text(value)}" for name, value in asks.headers]
    inline = f"headers = {{ {', '.join(pairs)} }}"
    if pairs and len(inline) <= _LINE:
        yield inline
    elif pairs:
        yield from ("[request.headers]", *pairs)
    yield from _expect(asks)


def _expect(asks: Asks) -> Iterator[str]:
    kind = (asks.answer_type or "").strip()
    # What nobody could send is nobody's to expect.
    kind = kind if re.fullmatch(r"[ -~]+", kind) else ""
    if asks.status is None and not kind and asks.json is None:
        return
    yield "[request.expect]"
    yield f"status = {asks.status or 200}"
    if asks.json is not None:
        yield f"json = {_shape(asks.json)}"
    if kind:
        yield f"headers = {{ content-type = {text(kind)} }}"


def text(value: str) -> str:
    """A string of TOML: a literal one where that spares backslashes."""
    # JSON may have halves of characters, which no file has.
    value = value.encode(errors="replace").decode()
    if ('"' in value or "\\" in value) and "'" not in value and re.fullmatch(r"[ -~]+", value):
        return f"'{value}'"
    # A basic string has JSON's escapes, but doesn't take DEL as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else text(name)


def _shape(shape: JsonValue) -> str:
    """An inline table, which has one line: of a large shape the levels that fit."""
    for depth in (64, 4, 3, 2):
        written = _inline(shape, depth)
        if len(written) <= _LONGEST_SHAPE:
            return written
    return _inline(shape, 1)


def _inline(shape: JsonValue, depth: int) -> str:
    if isinstance(shape, list):
        if depth == 0:
            return "[]"
        return f"[{', '.join(_inline(each, depth - 1) for each in shape)}]"
    if not isinstance(shape, dict):
        return text(str(shape))
    if depth == 0:
        return text("any")
    items = (f"{_key(key)} = {_inline(inner, depth - 1)}" for key, inner in shape.items())
    return f"{{ {', '.join(items)} }}" if shape else "{}"


def _comment(line: str) -> str:
    return "".join(char if char.isprintable() else "·" for char in line)
