"""The workload of a run: of the catalogue, of a file, or typed as for curl."""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.workload import Workload
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.options import TRAFFIC, Flag, Options
from bakeoff.plan.values import Count
from bakeoff.plan.workloads import read_workload, with_files

GIVEN = "workload"
"""A workload of Python, which has the keys of a file: its name, and where its faults are."""
EVENTS = "text/event-stream"
TYPED = "typed.toml"
"""In place of a file's name, where the keys of what was typed are at fault."""


def _traffic(help_: str, metavar: str) -> Flag:
    return Flag(TRAFFIC, help_, metavar=metavar)


class RequestOptions(Options):
    """The options that say what is requested, of all commands that load servers."""

    workload: Annotated[
        str | dict[str, Any] | None,
        Flag(
            TRAFFIC,
            "Send the requests of this workload and check the responses: hello, empty, get "
            "(GET /, any response) and others, or a file such as ./shop.toml with several "
            "requests.",
            "hello; get if all contenders are commands or URLs",
            "NAME|FILE",
        ),
    ] = None
    request: Annotated[
        str | None,
        _traffic(
            'Send this request instead of a workload: method and path, as in "POST /orders".',
            "REQUEST",
        ),
    ] = None
    method: Annotated[
        str | None,
        Flag(
            TRAFFIC,
            "Use this method.",
            "GET, or POST with a body",
            "METHOD",
            letter="-X",
            also=("-m",),
        ),
    ] = None
    headers: Annotated[
        tuple[str, ...],
        _traffic("Send this header; may be repeated.", "NAME: VALUE").but(
            letter="-H", name="--header", repeated=True
        ),
    ] = ()
    body: Annotated[
        str | None,
        _traffic("Send this body: a text, or @FILE.", "TEXT|@FILE").but(
            letter="-b", also=("--data",)
        ),
    ] = None
    body_file: Annotated[
        str | None, _traffic("Send this file as the body, as -b @FILE does.", "FILE")
    ] = None
    cookies: Annotated[
        tuple[str, ...],
        _traffic("Send this cookie; may be repeated.", "NAME=VALUE").but(
            name="--cookie", repeated=True
        ),
    ] = ()
    user: Annotated[
        str | None,
        _traffic("Authenticate with this name and password (Basic).", "NAME:PASSWORD").but(
            letter="-u"
        ),
    ] = None
    grpc: Annotated[
        str | None,
        _traffic(
            "Send calls of this unary gRPC method instead, over HTTP/2 (--protocol h2c or h2).",
            "PACKAGE.SERVICE/METHOD",
        ),
    ] = None
    message: Annotated[str | None, _traffic("Send this message: JSON, or @FILE.", "JSON|@FILE")] = (
        None
    )
    proto: Annotated[
        str | None,
        _traffic("Use this file to encode messages: a .proto, or a descriptor set.", "FILE"),
    ] = None
    expect_message: Annotated[
        str | None, _traffic("Require this response of a gRPC call: JSON, or @FILE.", "JSON|@FILE")
    ] = None
    events: Annotated[
        Count | None,
        _traffic(
            "Require a stream of this many server-sent events, and measure each; with -H "
            '"Accept: text/event-stream" instead, of any number.',
            "NUMBER",
        ),
    ] = None
    expect_status: Annotated[
        int | None, Flag(TRAFFIC, "Require this status of the response.", "200", "NUMBER")
    ] = None
    expect_length: Annotated[
        str | int | None,
        _traffic("Require a body of this many bytes, or of a range of them.", "N|N-N"),
    ] = None
    expect_body: Annotated[str | None, _traffic("Require this body.", "TEXT")] = None
    expect_body_file: Annotated[
        str | None, _traffic("Require the body to be this file's content.", "FILE")
    ] = None
    expect_sha256: Annotated[str | None, _traffic("Require a body with this SHA-256.", "HEX")] = (
        None
    )
    expect_contains: Annotated[
        tuple[str, ...],
        _traffic("Require this text in the body; may be repeated.", "TEXT").but(repeated=True),
    ] = ()
    expect_match: Annotated[
        str | None,
        _traffic("Require a match of this regular expression somewhere in the body.", "REGEX"),
    ] = None
    expect_json: Annotated[
        str | None,
        _traffic(
            'Require JSON of this shape, as in {"id": "number", "name?": "string|null"}.', "SHAPE"
        ),
    ] = None
    expect_headers: Annotated[
        tuple[str, ...],
        _traffic(
            "Require this header with a value that begins so; may be repeated.", "NAME: VALUE"
        ).but(name="--expect-header", repeated=True),
    ] = ()

    @property
    def request_given(self) -> dict[str, Any]:
        return {
            name: getattr(self, name) for name in _NAMES if getattr(self, name) not in (None, ())
        }

    def arguments(self) -> list[str]:
        """As for all options; a workload of Python, which no flag takes, is named."""
        if not isinstance(self.workload, dict):
            return super().arguments()
        named = f"<{self.workload.get('name', GIVEN)}, given in Python: see plan.json>"
        return self.model_copy(update={"workload": named}).arguments()


_NAMES = tuple(RequestOptions.model_fields.keys() - Options.model_fields.keys())


def beside(file: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Options that `file` gives, with the files that they name, which are relative to it."""

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
    """The workload that the options stand for, with its files; by default the one named `default`.

    Files are relative to `directory`. Raises `BadUsage`, `BadFile`.
    """
    typed = [name for name in options.request_given if name != "workload"]
    if options.workload and typed:
        raise BadUsage(
            f"--workload and {options.flag(typed[0])}: a workload has requests of its own; write "
            "this in its file, or leave --workload out"
        )
    if options.grpc:
        return _called(options, typed, directory)
    if typed and (of_call := [name for name in _OF_CALL if name in typed]):
        raise BadUsage(f"{options.flag(of_call[0])}: is for a gRPC call; give --grpc")
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
    request: dict[str, Any] = {"path": path, "headers": _headers(options), "body": body}
    if body_file is not None:
        request["body_file"] = body_file
    if method:
        request["method"] = method
    verb = method or ("POST" if body or body_file is not None else "GET")
    name = f"{verb} {path}"
    try:
        workload = Workload.checked(
            {"name": name, "title": name, "request": request, "expect": _expected(options)}, TYPED
        )
        return with_files(workload, directory / TYPED)
    except BadFile as error:
        if error.where not in (TYPED, directory / TYPED):
            raise
        raise BadUsage(f"{_flag_of(options, error.key)}: {error.fault}") from None


_OF_CALL = ("message", "proto", "expect_message")


def _called(options: RequestOptions, typed: Sequence[str], directory: Path) -> Workload:
    if others := [name for name in typed if name not in ("grpc", "headers", *_OF_CALL)]:
        raise BadUsage(f"--grpc and {options.flag(others[0])}: a call has no such; leave one out")
    grpc: dict[str, Any] = {
        "method": options.grpc,
        "message": _json("--message", options.message, directory) or {},
        "response": _json("--expect-message", options.expect_message, directory),
        "proto": options.proto,
        "metadata": {
            name.lower(): value
            for name, value in (_pair("--header", each) for each in options.headers)
        },
    }
    if options.message is None and options.proto is None:
        grpc |= {"message": None, "message_base64": ""}
    name = f"gRPC {options.grpc}"
    try:
        given = {key: value for key, value in grpc.items() if value is not None}
        workload = Workload.checked({"name": name, "title": name, "grpc": given}, TYPED)
        return with_files(workload, directory / TYPED)
    except BadFile as error:
        if error.where not in (TYPED, directory / TYPED):
            raise
        key = (error.key or "").removeprefix("grpc").removeprefix(".").partition(".")[0]
        flags = {
            "message": "--message",
            "response": "--expect-message",
            "proto": "--proto",
            "metadata": "--header",
        }
        raise BadUsage(f"{flags.get(key, '--grpc')}: {error.fault}") from None


def _json(flag: str, text: str | None, directory: Path) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads((directory / text[1:]).read_bytes() if text.startswith("@") else text)
    except OSError as error:
        raise BadUsage(f"{flag} {text}: can't be read: {error.strerror}") from None
    except ValueError as error:
        raise BadUsage(f"{flag}: is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadUsage(f'{flag}: is not an object of JSON, as in {{"name": "World"}}')
    return value


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
        "headers": dict(_pair("--expect-header", each) for each in options.expect_headers),
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
    """Method, empty where nothing says it, and path."""
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
        name, value = _pair("--header", text)
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


def _pair(option: str, text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise BadUsage(f'{option}: is `{text}`; it takes "Name: value"')
    return name.strip(), value.strip()


def _flag_of(options: RequestOptions, key: str | None) -> str:
    """The flag that a workload's key was typed by."""
    of_key = {
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
    parts = (key or "--request").split(".")
    if parts[:2] == ["request", "headers"]:
        return f"--header {parts[2]}" if len(parts) > 2 else "--header"
    if parts[:2] == ["expect", "headers"]:
        return "--expect-header"
    name = ".".join(parts)
    return of_key.get(name, f"--{name.replace('.', '-').replace('_', '-')}")
