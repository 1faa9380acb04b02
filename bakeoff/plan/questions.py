"""What is asked: a workload of the catalogue, of a file, or as curl's users type it."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.workload import Workload
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.options import Flag, Options
from bakeoff.plan.values import flag
from bakeoff.plan.workloads import read_workload, with_files

GIVEN = "workload"
"""A workload of Python, which has the keys of a file: its name, and where its faults are."""
TYPED = "typed.toml"
"""In place of a file's name, where the keys of what was typed are at fault."""


class QuestionOptions(Options):
    """The options that say what is asked, of all that load servers."""

    workload: Annotated[
        str | dict[str, Any] | None,
        Flag(
            "Send the requests of this workload and check the responses: hello, empty, get "
            "(GET /, any response) and others, or a file such as ./shop.toml with several "
            "requests. (default: hello; get if all contenders are commands or URLs)",
            metavar="NAME|FILE",
        ),
    ] = None
    request: Annotated[
        str | None,
        Flag(
            'Send this request instead of a workload: method and path, as in "POST /orders".',
            metavar="REQUEST",
        ),
    ] = None
    method: Annotated[
        str | None,
        Flag("Use this method. (default: GET, or POST with a body)", metavar="METHOD", letter="-m"),
    ] = None
    headers: Annotated[
        tuple[str, ...],
        Flag("Send this header; may be repeated.", list[str], metavar="NAME: VALUE", letter="-H"),
    ] = ()
    body: Annotated[
        str | None, Flag("Send this body: a text, or @FILE.", metavar="TEXT|@FILE", letter="-b")
    ] = None
    body_file: Annotated[
        str | None, Flag("Send this file as the body, as -b @FILE does.", metavar="FILE")
    ] = None
    cookies: Annotated[
        tuple[str, ...],
        Flag("Send this cookie; may be repeated.", list[str], metavar="NAME=VALUE"),
    ] = ()
    user: Annotated[
        str | None,
        Flag(
            "Authenticate with this name and password (Basic).",
            metavar="NAME:PASSWORD",
            letter="-u",
        ),
    ] = None
    expect_status: Annotated[
        int | None, Flag("Require this status of the response. (default: 200)", int, metavar="N")
    ] = None
    expect_length: Annotated[
        str | int | None,
        Flag("Require a body of this many bytes, or of a range of them.", metavar="N|N-N"),
    ] = None
    expect_body: Annotated[str | None, Flag("Require this body.", metavar="TEXT")] = None
    expect_body_file: Annotated[
        str | None, Flag("Require the body to be this file's content.", metavar="FILE")
    ] = None
    expect_sha256: Annotated[
        str | None, Flag("Require a body with this SHA-256.", metavar="HEX")
    ] = None
    expect_contains: Annotated[
        tuple[str, ...],
        Flag("Require this text in the body; may be repeated.", list[str], metavar="TEXT"),
    ] = ()
    expect_match: Annotated[
        str | None,
        Flag("Require a match of this regular expression somewhere in the body.", metavar="REGEX"),
    ] = None
    expect_json: Annotated[
        str | None,
        Flag(
            'Require JSON of this shape, as in {"id": "number", "name?": "string|null"}.',
            metavar="SHAPE",
        ),
    ] = None
    expect_headers: Annotated[
        tuple[str, ...],
        Flag(
            "Require this header with a value that begins so; may be repeated.",
            list[str],
            metavar="NAME: VALUE",
        ),
    ] = ()

    @property
    def question(self) -> dict[str, Any]:
        """Those of these options that were given."""
        return {
            name: getattr(self, name) for name in _NAMES if getattr(self, name) not in (None, ())
        }

    def arguments(self) -> list[str]:
        """As of all options; a workload that is no file has no flag, and is named."""
        if not isinstance(self.workload, dict):
            return super().arguments()
        named = f"<{self.workload.get('name', GIVEN)}, given in Python: see plan.json>"
        return self.model_copy(update={"workload": named}).arguments()


_NAMES = tuple(QuestionOptions.model_fields.keys() - Options.model_fields.keys())


def beside(file: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Options that `file` gives, with the files that they name, which are relative to it."""

    def place(name: str, value: Any) -> Any:
        if name == "body" and value.startswith("@"):
            return f"@{file.parent / value[1:]}"
        named = name in ("body_file", "expect_body_file") or (
            name == "workload" and _is_file(value)
        )
        return str(file.parent / value) if named else value

    return {name: place(name, value) for name, value in given.items()}


def is_own(options: QuestionOptions) -> bool:
    """Whether the user says what is asked, and not the catalogue."""
    if isinstance(options.workload, str):
        return _is_file(options.workload)
    return bool(options.question)


def asked(
    options: QuestionOptions, default: str, catalogue: Catalogue, directory: Path
) -> Workload:
    """The workload that the options stand for, with all that it needs; none given: `default`.

    Files are relative to `directory`. Raises `BadUsage`, `BadFile`.
    """
    typed = [name for name in options.question if name != "workload"]
    if options.workload and typed:
        raise BadUsage(
            f"--workload and {flag(typed[0])}: a workload has requests of its own; write this in "
            "its file, or leave --workload out"
        )
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


def _typed(options: QuestionOptions, directory: Path) -> Workload:
    """The request of the command line."""
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


def _expected(options: QuestionOptions) -> dict[str, Any]:
    """The right answer of the command line."""
    shape = None
    if options.expect_json is not None:
        try:
            shape = json.loads(options.expect_json)
        except ValueError as error:
            raise BadUsage(f"--expect-json: is not JSON: {error}") from None
    expect = {
        "status": options.expect_status,
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


def _request(options: QuestionOptions) -> tuple[str, str]:
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


def _headers(options: QuestionOptions) -> dict[str, str]:
    headers = {"Accept": "*/*"}
    for text in options.headers:
        name, value = _pair("--header", text)
        if name.lower() in map(str.lower, headers.keys() - {"Accept"}):
            raise BadUsage(f"--header: {name} is given twice")
        headers = {key: each for key, each in headers.items() if key.lower() != name.lower()}
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


def _flag_of(options: QuestionOptions, key: str | None) -> str:
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
