"""What the command line has in place of requests: a gRPC call, or messages over WebSocket."""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.workload import Workload
from bakeoff.plan.request_options import RequestOptions, pair
from bakeoff.plan.workloads import with_files

TYPED = "typed.toml"
"""In place of a file's name, for faults in keys from the command line."""
OF_CALL = ("proto", "expect_message")
OF_MESSAGE = ("message", "message_size", "binary", "compression", "room")


def called(options: RequestOptions, typed: Sequence[str], directory: Path) -> Workload:
    if others := [
        name for name in typed if name not in ("grpc", "headers", "message", "events", *OF_CALL)
    ]:
        raise BadUsage(f"--grpc and {options.flag(others[0])}: a call has none; leave one out")
    grpc: dict[str, Any] = {
        "method": options.grpc,
        "message": _json("--message", options.message, directory) or {},
        "response": _json("--expect-message", options.expect_message, directory),
        "responses": options.events,
        "proto": options.proto,
        "metadata": {name.lower(): value for name, value in _headers(options).items()},
    }
    if options.message is None and options.proto is None:
        grpc |= {"message": None, "message_base64": ""}
    flags = {
        "message": "--message",
        "response": "--expect-message",
        "proto": "--proto",
        "metadata": "--header",
    }
    name = f"gRPC {options.grpc}"
    given = {key: value for key, value in grpc.items() if value is not None}
    return _checked({"name": name, "title": name, "grpc": given}, directory, flags, "--grpc")


def messages(options: RequestOptions, typed: Sequence[str], directory: Path) -> Workload:
    """A message over WebSocket, at the path of --request or of the servers' URLs."""
    if others := [name for name in typed if name not in ("request", "headers", *OF_MESSAGE)]:
        flag = options.flag(others[0])
        raise BadUsage(f"{flag}: is for requests, not for messages over WebSocket; leave it out")
    path = options.request or "/"
    if not path.startswith("/") or " " in path:
        raise BadUsage(f"--request: is {json.dumps(path)}; an upgrade takes a path, as in /chat")
    given = {
        "path": path,
        "headers": _headers(options),
        "binary": options.binary,
        "compression": options.compression,
        "room": options.room,
        **_message(options, directory),
    }
    flags = {"headers": "--header", "message_bytes": "--message-size", "path": "--request"}
    title = f"Messages over WebSocket to {path}"
    workload = {"name": f"WebSocket {path}", "title": title, "websocket": given}
    return _checked(workload, directory, flags, "--message")


def _checked(
    keys: Mapping[str, Any], directory: Path, flags: Mapping[str, str], other: str
) -> Workload:
    """The workload of the command line. Raises `BadUsage` with the flag of the table's wrong key,
    by `flags`, or the `other` flag; and `BadFile` of a named file."""
    try:
        return with_files(Workload.checked(keys, TYPED), directory / TYPED)
    except BadFile as error:
        if error.where not in (TYPED, directory / TYPED):
            raise
        key = ".".join((error.key or "").split(".")[1:2])
        raise BadUsage(f"{flags.get(key, other)}: {error.fault}") from None


def _headers(options: RequestOptions) -> dict[str, str]:
    return dict(pair("--header", each) for each in options.headers)


def _message(options: RequestOptions, directory: Path) -> dict[str, Any]:
    if options.message is not None and options.message_size is not None:
        raise BadUsage("--message and --message-size: give one of them")
    if options.message is None and options.message_size is None:
        flag = (
            "--binary" if options.binary else "--compression" if options.compression else "--room"
        )
        raise BadUsage(f"{flag}: says how a message is sent; give --message or --message-size")
    if options.message is None:
        return {"message_bytes": options.message_size}
    if not options.message.startswith("@"):
        return {"message": options.message}
    content = _file("--message", options.message, directory)
    return {"message_base64": base64.b64encode(content).decode()}


def _file(flag: str, text: str, directory: Path) -> bytes:
    """The content of the file of `@FILE`. Raises `BadUsage`."""
    try:
        return (directory / text[1:]).read_bytes()
    except OSError as error:
        raise BadUsage(f"{flag} {text}: can't be read: {error.strerror}") from None


def _json(flag: str, text: str | None, directory: Path) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(_file(flag, text, directory) if text.startswith("@") else text)
    except ValueError as error:
        raise BadUsage(f"{flag}: is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadUsage(f'{flag}: is not an object of JSON, as in {{"name": "World"}}')
    return value
