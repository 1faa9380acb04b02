"""The engine's request file of a target: what it is asked, and what its answers are held to."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from bakeoff.model.held import Held
from bakeoff.model.workload import ExpectSection, OnceSection, RequestSection, Workload

REQUEST_FILE = "requests.toml"


def write_requests(
    folder: Path, workload: Workload, path: str, held: Mapping[str, Held] | None = None
) -> Path:
    """A request file in `folder`, which is made, and beside it all files that it names.

    `path` is that of a workload of one request. What is `held`, by request, stands where the
    workload leaves the right answer open.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in workload.files:
        # Wherever they were: a run keeps its own.
        (folder / _beside(workload, name)).write_bytes(workload.content(name))
    lines = []
    if workload.data:
        lines.append(f"data = {_value(_beside(workload, workload.data))}")
    if workload.order:
        lines.append(f"order = {_value(workload.order)}")
    for once in workload.once:
        lines += ["", "[[once]]", *_request(workload, once, once.path)]
    for name, request in workload.asked.items():
        own = request.path if workload.requests else path
        expect, given = request.expect or ExpectSection(), (held or {}).get(name)
        lines += ["", "[[request]]", f"name = {_value(name)}", f"weight = {request.weight}"]
        lines += _request(workload, request, own)
        lines += ["[request.expect]", *_expect(workload, given.expect if given else expect)]
        if given and given.expect.headers:
            lines.append(f"headers = {_value(dict(given.expect.headers))}")
    file = folder / REQUEST_FILE
    file.write_text("\n".join(lines) + "\n")
    return file


def _request(workload: Workload, request: RequestSection, path: str) -> Iterator[str]:
    yield f"method = {_value(request.method)}"
    yield f"path = {_value(path)}"
    if request.headers:
        yield f"headers = {_value(dict(request.headers))}"
    if request.body_file:
        yield f"body_file = {_value(_beside(workload, request.body_file))}"
    elif request.body:
        yield f"body = {_value(request.body)}"
    if isinstance(request, OnceSection) and request.take:
        yield f"take = {_value(dict(request.take))}"


def _expect(workload: Workload, expect: ExpectSection) -> Iterator[str]:
    """But for headers, whose values are equal there: a workload's begin so."""
    given = expect.model_dump(mode="json", exclude_defaults=True)
    yield f"status = {expect.status}"
    for key in ("length", "length_between", "body", "sha256", "body_contains", "body_matches"):
        if key in given:
            yield f"{key} = {_value(given[key])}"
    if expect.body_file:
        yield f"body_file = {_value(_beside(workload, expect.body_file))}"
    if expect.json_ is not None:
        yield f"json = {_value(expect.json_)}"


def _beside(workload: Workload, name: str) -> str:
    """Its name in the run's folder: of two files of one name, the second has a number."""
    number = list(workload.files).index(name)
    return f"{number}-{Path(name).name}"


def _value(value: JsonValue) -> str:
    """In TOML, on one line."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_value(key)} = {_value(each)}" for key, each in value.items()) + "}"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # A text of JSON is one of TOML, but for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
