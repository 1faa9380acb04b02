"""The engine's request file for one server of a run: its requests, and their expected answers."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Verification
from bakeoff.model.request import ExpectSection, OnceSection, RequestSection
from bakeoff.model.workload import Workload

FOLDER = "requests"


def write_request_file(
    folder: Path, entry: Entry, workload: Workload, verification: Verification
) -> Path:
    """The file for `entry`, in the folder of a run, with the files that it names. Raises OSError.

    A body that must be the same in every answer is the one that the server gave before: it may be
    compressed, while the workload's is not.
    """
    place = folder.resolve() / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    names = {}
    for number, (name, content) in enumerate(sorted(workload.files.items())):
        names[name] = f"{number}-{Path(name).name}"
        _keep(place / names[name], base64.b64decode(content))
    held = {name: each.expect for name, each in verification.held.items()}
    bodies = {}
    for name, seen in verification.bodies_base64.items():
        body = base64.b64decode(seen)
        bodies[name] = f"{hashlib.sha256(body).hexdigest()[:16]}.body"
        _keep(place / bodies[name], body)
    safe = "".join(each if each.isalnum() or each in "._-" else "-" for each in entry.name)
    mark = hashlib.sha256(entry.name.encode()).hexdigest()[:6]
    file = place / f"{safe[:60]}-{mark}.toml"
    _keep(file, request_file(entry, workload, names, bodies, held).encode())
    return file


def request_file(
    entry: Entry,
    workload: Workload,
    names: Mapping[str, str],
    bodies: Mapping[str, str],
    held: Mapping[str, ExpectSection],
) -> str:
    """The file's text. `names` has the names of the workload's files beside it, `bodies` those of
    the bodies, by request, and `held` what is expected where the workload leaves it open."""
    lines: list[str] = []
    if workload.data is not None:
        lines += _pairs({"data": names[workload.data], "order": workload.order})
    for once in workload.once:
        lines += ["", "[[once]]", *_pairs(_request(once, names)), *_pairs({"take": once.take})]
        lines += ["[once.expect]", *_pairs(_expected(once.expect, names, None))]
    for name, each in workload.by_name.items():
        request = _request(each, names)
        if not workload.is_mix:
            request["path"] = entry.path
        lines += ["", "[[request]]", *_pairs(request)]
        expect = held.get(name, each.expect)
        lines += ["[request.expect]", *_pairs(_expected(expect, names, bodies.get(name)))]
        if name in held:
            # Whole values, as they were seen; a workload's headers are only the beginnings of
            # values.
            lines += _pairs({"headers": held[name].headers})
    return "\n".join(lines).lstrip("\n") + "\n"


def _request(section: RequestSection, names: Mapping[str, str]) -> dict[str, Any]:
    chained = isinstance(section, OnceSection)
    return {
        "name": None if chained else section.name,
        "weight": None if chained else section.weight,
        "method": section.method,
        "path": section.path,
        "headers": section.headers,
        "body": section.content.decode() or None,
        "body_file": names[section.body_file] if section.body_file else None,
    }


def _expected(
    given: ExpectSection | None, names: Mapping[str, str], seen: str | None
) -> dict[str, Any]:
    """What the engine expects of each answer; headers were checked before the load."""
    expect = given or ExpectSection()
    own = names[expect.body_file] if expect.body_file is not None else None
    return {
        "status": expect.status,
        "length": expect.length,
        "length_between": expect.length_between,
        "body": expect.content.decode() if seen is None and expect.content is not None else None,
        "body_file": seen or own,
        "sha256": expect.sha256 if seen is None else None,
        "body_contains": expect.body_contains,
        "body_matches": expect.body_matches,
        "json": expect.json_,
    }


def _pairs(values: Mapping[str, Any]) -> Iterator[str]:
    """Lines of TOML; None and empty values are left out, except an empty expected body."""
    for key, value in values.items():
        if value is None or (not value and key not in ("body", "json", "length")):
            continue
        yield f"{key} = {toml(value)}"


def toml(value: Any) -> str:
    """A value as TOML, in one line."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml(key)} = {toml(each)}' for key, each in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    # JSON's strings are TOML's, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _keep(file: Path, content: bytes) -> None:
    """Write the file if it is missing: each draw of a run needs it."""
    if not file.exists() or file.read_bytes() != content:
        file.write_bytes(content)
