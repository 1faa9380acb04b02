"""The text of a workload file, written for people.

tomli-w writes no comments and no literal strings, in which JSON bodies are readable.
"""

import base64
import json
import re
from collections.abc import Iterator

from pydantic import JsonValue

from bakeoff.model.websocket import EXTENSIONS, OF_UPGRADE
from bakeoff.traffic.draft import Draft, DraftRequest
from bakeoff.traffic.recording import Request, kept

_LINE = 96
"""A longer table of headers has a line for each."""
_LONGEST_SHAPE = 500
"""For a longer JSON shape, only the upper levels are expected."""
_DEEPEST = 64


def toml_of(draft: Draft) -> str:
    """The workload file; files that it names are written beside it."""
    lines = [_comment(remark) for remark in draft.remarks]
    lines += [f"name = {_value(draft.name)}", f"title = {_value(draft.title)}"]
    if draft.data:
        lines.append(f"data = {_value(draft.data)}  # a row is drawn for each request")
    if draft.message:
        lines += ["", *_message(draft.message)]
    taken: set[str] = set()
    for request in draft.requests:
        usual = f"{request.method} {request.path}"
        name, count = request.label or usual, 1
        while name in taken:
            count += 1
            name = f"{request.label or usual} ({count})"
        taken.add(name)
        lines += ["", *_request(request, "" if name == usual else name)]
    return "\n".join(lines) + "\n"


def _message(message: Request) -> Iterator[str]:
    own = OF_UPGRADE | {EXTENSIONS, "accept-encoding"}
    headers: dict[str, JsonValue] = dict(
        pair for pair in kept(message) if pair[0].lower() not in own
    )
    yield "[websocket]"
    yield f"path = {_value(message.path)}"
    if headers:
        yield f"headers = {_value(headers)}"
    if message.echoed == "text":
        yield f"message = {_value(message.body.decode())}"
    else:
        yield f"message_base64 = {_value(base64.b64encode(message.body).decode())}"
        yield "binary = true"


def _request(request: DraftRequest, name: str) -> Iterator[str]:
    """`name` is empty if it is the usual one."""
    yield from map(_comment, request.notes)
    yield "[[request]]"
    values: dict[str, JsonValue] = {
        "name": name,
        "weight": min(request.weight, 2**32 - 1),
        "method": request.method,
        "path": request.path,
        "body": request.body,
        "body_file": request.body_file,
    }
    yield from (f"{key} = {_value(value)}" for key, value in values.items() if value)
    if request.headers:
        inline = f"headers = {_value(dict(request.headers))}"
        pairs = (f"{_key(key)} = {_value(value)}" for key, value in request.headers)
        yield from [inline] if len(inline) <= _LINE else ["[request.headers]", *pairs]
    kind = (request.answer_type or "").strip()
    # A type that no server could send is not expected.
    kind = kind if re.fullmatch(r"[ -~]+", kind) else ""
    if request.status is not None or kind or request.json is not None:
        yield "[request.expect]"
        yield f"status = {request.status or 200}"
        if request.json is not None:
            written = (_value(request.json, depth) for depth in (_DEEPEST, 4, 3, 2))
            fitting = (shape for shape in written if len(shape) <= _LONGEST_SHAPE)
            yield f"json = {next(fitting, _value(request.json, 1))}"
        if request.events:
            yield "events = {}"
        if kind and not request.events:
            yield f"headers = {_value({'content-type': kind})}"


def _value(value: JsonValue, depth: int = _DEEPEST) -> str:
    """A value in one line, with `depth` levels of objects and arrays."""
    if isinstance(value, dict):
        if depth == 0:
            return '"any"'
        pairs = [f"{_key(key)} = {_value(inner, depth - 1)}" for key, inner in value.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(_value(item, depth - 1) for item in value if depth)}]"
    if not isinstance(value, str):
        return json.dumps(value)
    # JSON may have halves of characters, which no file has.
    value = value.encode(errors="replace").decode()
    if ('"' in value or "\\" in value) and "'" not in value and re.fullmatch(r"[ -~]+", value):
        return f"'{value}'"
    # A basic string has JSON's escapes, but doesn't accept DEL unescaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _comment(line: str) -> str:
    return "# " + "".join(char if char.isprintable() else "·" for char in line)
