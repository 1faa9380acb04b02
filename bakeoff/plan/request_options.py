"""The options of requests."""

from typing import Annotated, Any

from bakeoff.model.errors import BadUsage
from bakeoff.plan.options import TRAFFIC, Flag, Options
from bakeoff.plan.values import Count

GIVEN = "workload"
"""The name of a workload given in Python, which has the keys of a file, for messages on faults."""


def _traffic(help_: str, metavar: str) -> Flag:
    return Flag(TRAFFIC, help_, metavar=metavar)


class RequestOptions(Options):
    """The options of requests, for all commands that load servers."""

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
            "Send calls of this gRPC method instead, over HTTP/2 (--protocol h2c or h2): unary, or "
            "with as many responses as --events says.",
            "PACKAGE.SERVICE/METHOD",
        ),
    ] = None
    message: Annotated[
        str | None,
        _traffic(
            "Send this message again and again over WebSocket, and require its echo: a text, or "
            "@FILE; with --grpc, JSON.",
            "TEXT|@FILE",
        ),
    ] = None
    message_size: Annotated[
        Count | None, _traffic("Send a message of this many bytes over WebSocket.", "NUMBER")
    ] = None
    binary: Annotated[
        bool, Flag(TRAFFIC, "Send the message over WebSocket as binary data, not as text.")
    ] = False
    compression: Annotated[
        bool,
        Flag(
            TRAFFIC,
            "Compress messages over WebSocket (permessage-deflate), and require that of echoes.",
        ),
    ] = False
    room: Annotated[
        Count | None,
        _traffic(
            "Send each message over WebSocket to a room of this many connections, which all have "
            "to hear it, in place of an echo.",
            "NUMBER",
        ),
    ] = None
    held: Annotated[
        Count | None,
        _traffic(
            "Hold this many streams of server-sent events open beside the requests, each on a "
            "connection of its own; --held-path says which.",
            "NUMBER",
        ),
    ] = None
    held_path: Annotated[
        str | None, _traffic("Hold streams of this path, as in /events.", "PATH")
    ] = None
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
        given = ((name, getattr(self, name)) for name in _NAMES)
        return {
            name: value for name, value in given if value not in (None, ()) and value is not False
        }

    def arguments(self) -> list[str]:
        """As for all options; a workload given in Python, which has no flag, is named."""
        if not isinstance(self.workload, dict):
            return super().arguments()
        named = f"<{self.workload.get('name', GIVEN)}, given in Python: see plan.json>"
        return self.model_copy(update={"workload": named}).arguments()


_NAMES = tuple(RequestOptions.model_fields.keys() - Options.model_fields.keys())


def pair(option: str, text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise BadUsage(f'{option}: is `{text}`; it takes "Name: value"')
    return name.strip(), value.strip()
