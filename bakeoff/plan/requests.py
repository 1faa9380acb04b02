"""The workload of a run: of the catalogue, of a file, or given by options as for curl."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.workload import Workload
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.exchanges import OF_CALL, OF_MESSAGE, TYPED, called, messages
from bakeoff.plan.request_options import GIVEN, RequestOptions, pair
from bakeoff.plan.workloads import read_workload, with_files

EVENTS = "text/event-stream"


def beside(file: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Options from `file`, with the files that they name, which are relative to it."""

    def place(name: str, value: Any) -> Any:
        if name in ("body", "message", "expect_message") and value.startswith("@"):
            return f"@{file.parent / value[1:]}"
        named = name in ("body_file", "expect_body_file", "proto") or (
            name == "workload" and _is_file(value)
        )
        return str(file.parent / value) if named else value

    return {name: place(name, value) for name, value in given.items()}


def is_own(options: RequestOptions) -> bool:
    """Whether the user wrote the workload, not the catalogue."""
    if isinstance(options.workload, str):
        return _is_file(options.workload)
    return bool(options.request_given)


def workload_of(
    options: RequestOptions, default: str, catalogue: Catalogue, directory: Path
) -> Workload:
    """The workload of the options, with its files; by default the one named `default`.

    Files are relative to `directory`. Raises `BadUsage`, `BadFile`.
    """
    typed = [name for name in options.request_given if name != "workload"]
    if options.workload and typed:
        raise BadUsage(
            f"--workload and {options.flag(typed[0])}: a workload has requests of its own; write "
            "this in its file, or leave --workload out"
        )
    if options.grpc:
        return called(options, typed, directory)
    if of_call := [name for name in OF_CALL if name in typed]:
        raise BadUsage(f"{options.flag(of_call[0])}: is for a gRPC call; give --grpc")
    if any(name in typed for name in OF_MESSAGE):
        return messages(options, typed, directory)
    if typed:
        return _typed(options, directory)
    if isinstance(options.workload, dict):
        given = Workload.checked({"name": GIVEN, **options.workload}, GIVEN)
        try:
            return with_files(given, directory / GIVEN)
        except BadFile as error:
            where = GIVEN if error.where == directory / GIVEN else error.where
            raise BadFile(where, error.key, error.fault) from None
    if options.workload and _is_file(options.workload):
        return read_workload(directory / options.workload)
    return catalogue.workload(options.workload or default)


def _is_file(name: str) -> bool:
    return "/" in name or name.endswith(".toml")


def _typed(options: RequestOptions, directory: Path) -> Workload:
    method, path = _request(options)
    if options.body is not None and options.body_file is not None:
        raise BadUsage("--body and --body-file: a request has one body")
    body_file = options.body_file
    if options.body is not None and options.body.startswith("@"):
        body_file = options.body[1:]
    body = "" if body_file is not None else options.body or ""
    held = {"streams": options.held, "path": options.held_path}
    if None in held.values() and any(held.values()):
        missing = "--held-path: give --held" if options.held is None else "--held: give --held-path"
        raise BadUsage(
            f"{missing}, too: streams are held of a path, as in --held 100 --held-path /events"
        )
    if options.held and options.events:
        raise BadUsage("--held and --events: streams are held beside plain requests; leave one out")
    request: dict[str, Any] = {"path": path, "headers": _headers(options), "body": body}
    if body_file is not None:
        request["body_file"] = body_file
    if method:
        request["method"] = method
    verb = method or ("POST" if body or body_file is not None else "GET")
    name = f"{verb} {path}"
    try:
        workload = Workload.checked(
            {
                **({"held": held} if options.held else {}),
                "name": name,
                "title": name,
                "request": request,
                "expect": _expected(options),
            },
            TYPED,
        )
        return with_files(workload, directory / TYPED)
    except BadFile as error:
        if error.where not in (TYPED, directory / TYPED):
            raise
        raise BadUsage(f"{_flag_of(options, error.key)}: {error.fault}") from None


def _expected(options: RequestOptions) -> dict[str, Any]:
    shape = None
    if options.expect_json is not None:
        try:
            shape = json.loads(options.expect_json)
        except ValueError as error:
            raise BadUsage(f"--expect-json: is not JSON: {error}") from None
    accept = next(value for name, value in _headers(options).items() if name.lower() == "accept")
    expect = {
        "status": options.expect_status,
        "events": {"count": options.events} if options.events or EVENTS in accept else None,
        **_length(options.expect_length),
        "body": options.expect_body,
        "body_file": options.expect_body_file,
        "sha256": options.expect_sha256,
        "body_contains": options.expect_contains,
        "body_matches": options.expect_match,
        "json": shape,
        "headers": dict(pair("--expect-header", each) for each in options.expect_headers),
    }
    return {key: value for key, value in expect.items() if value is not None}


def _length(given: str | int | None) -> dict[str, Any]:
    """`12` or `10-2000`."""
    if given is None:
        return {}
    low, dash, high = str(given).partition("-")
    if not low.isdecimal() or (dash and not high.isdecimal()):
        raise BadUsage(f"--expect-length: is {given}; it takes bytes, as in 12 or 10-2000")
    return {"length_between": (int(low), int(high))} if dash else {"length": int(low)}


def _request(options: RequestOptions) -> tuple[str, str]:
    """Method (empty: it isn't given) and path."""
    words = (options.request or "/").split()
    form = 'it takes a method and a path, as in "POST /orders", or a path'
    if len(words) not in (1, 2) or not words[-1].startswith("/"):
        raise BadUsage(f"--request: is {json.dumps(options.request)}; {form}")
    method = words[0] if len(words) == 2 else ""
    if method and options.method and method != options.method:
        raise BadUsage(
            f"--request {options.request} and --method {options.method}: leave --method out"
        )
    return method or options.method or "", words[-1]


def _headers(options: RequestOptions) -> dict[str, str]:
    headers = {"Accept": EVENTS if options.events else "*/*"}
    for text in options.headers:
        name, value = pair("--header", text)
        if name.lower() in map(str.lower, headers.keys() - {"Accept"}):
            raise BadUsage(f"--header: {name} is given twice")
        headers = {key: old for key, old in headers.items() if key.lower() != name.lower()}
        headers[name] = value
    for cookie in options.cookies:
        if "=" not in cookie:
            raise BadUsage(f"--cookie: is `{cookie}`; it takes NAME=VALUE")
    if options.cookies:
        headers["Cookie"] = "; ".join(options.cookies)
    if options.user is not None:
        if ":" not in options.user:
            raise BadUsage(f"--user: is `{options.user}`; it takes NAME:PASSWORD")
        headers["Authorization"] = f"Basic {base64.b64encode(options.user.encode()).decode()}"
    return headers


def _flag_of(options: RequestOptions, key: str | None) -> str:
    """The flag by which a workload's key was given."""
    of_key = {
        "held.path": "--held-path",
        "request.method": "--method" if options.method else "--request",
        "request.path": "--request",
        "request.body": "--body",
        "request.body_file": "--body" if options.body_file is None else "--body-file",
        "expect.body_file": "--expect-body-file",
        "expect": "--expect-body",
        "expect.json": "--expect-json",
        "expect.body_contains.0": "--expect-contains",
        "expect.body_matches": "--expect-match",
        "expect.length_between": "--expect-length",
    }
    if key is None:
        return "--request"
    parts = key.split(".")
    if parts[:2] == ["request", "headers"]:
        return f"--header {parts[2]}" if len(parts) > 2 else "--header"
    if parts[:2] == ["expect", "headers"]:
        return "--expect-header"
    name = ".".join(parts)
    return of_key.get(name, f"--{name.replace('.', '-').replace('_', '-')}")
