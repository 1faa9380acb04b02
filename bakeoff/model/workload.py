"""A workload file: what is sent, and which answer is right; its keys are the engine's."""

import base64
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    model_validator,
)

from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.errors import BadFile
from bakeoff.model.exchange import Exchange
from bakeoff.model.fields import filled, has_fields, numbers, rows_of
from bakeoff.model.grpc import GrpcSection
from bakeoff.model.shape import Shape
from bakeoff.model.websocket import WebSocketSection

BODY_BYTES_MAX = 16 * 2**20
"""The longest answer that is taken for one while it is verified; a race's requests are as long."""
BodyBytes = Annotated[int, Field(ge=1, le=BODY_BYTES_MAX)]
_BODIES = ("body", "body_bytes", "body_file")
_FILE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
_TOKEN = r"^(json (/.*)?|cookie [^\s=;]+|header [!#-'*+.^_`|~0-9A-Za-z-]+)$"


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _known_to_both(pattern: str) -> str:
    """A regular expression that both we and the engine know. Raises ValueError for another one."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    if found := re.search(r"\(\?(<?[=!])|\\[1-9]", pattern):
        raise ValueError(
            f"has {found[0]}: the load engine has no look-around and no back-references"
        )
    return pattern


def _in_order(limits: tuple[int, int]) -> tuple[int, int]:
    if limits[0] > limits[1]:
        raise ValueError("has the higher limit first")
    return limits


def _lower(headers: Any) -> Any:
    if not isinstance(headers, dict):
        return headers
    return {name.lower(): value for name, value in headers.items()}


class EventsSection(Contract):
    """A stream of server-sent events. Each server is held to it before the load."""

    count: PositiveInt | None = None
    """How many events there are."""
    last: str | None = None
    """The text of the last one, such as `[DONE]`."""
    ids: Literal["consecutive"] | None = None
    """What their ids are: numbers, each one more than the one before."""
    gap_ms: PositiveFloat | None = None
    """How far apart their source sends them: a server that holds them back is named."""


def _events(value: Any) -> Any:
    return {"count": value} if isinstance(value, int) and not isinstance(value, bool) else value


class ExpectSection(Contract):
    """The right answer. Without a body, a contender's answers must be like its first.

    Of `body`, `body_bytes`, `body_file` and `sha256` there is one at most. Bodies are compared
    after decompression.
    """

    status: Annotated[int, Field(ge=200, le=599)] = 200
    """The status."""
    length: NonNegativeInt | None = None
    """The body's length in bytes."""
    length_between: (
        Annotated[tuple[NonNegativeInt, NonNegativeInt], AfterValidator(_in_order)] | None
    ) = None
    """The least and the greatest length of the body in bytes."""
    body: str | None = None
    """The body. Where there is a data file, it may have the fields `{{COLUMN}}` of the row whose
    values were sent."""
    body_bytes: BodyBytes | None = None
    """The length of a body of numbers, as the catalogue's servers send it."""
    body_file: str | None = None
    """The file that has the body, relative to the workload's."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$")] | None = None
    """The SHA-256 of the body."""
    events: IfGiven[Annotated[EventsSection, BeforeValidator(_events)]] = None
    """The events of a stream: how many, or a table that says more."""
    body_contains: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Texts that must all be in the body."""
    body_matches: Annotated[str, AfterValidator(_known_to_both)] | None = None
    """A regular expression that is found somewhere in the body."""
    json_: Annotated[Shape | None, Field(alias="json")] = None
    """The shape of the body's JSON."""
    headers: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z0-9-]+$")], str], BeforeValidator(_lower)
    ] = {}
    """Headers that must be there, each with what its value begins with."""

    @model_validator(mode="after")
    def _has_one_body(self) -> Self:
        bodies = ("body", "body_bytes", "body_file", "sha256")
        given = [key for key in bodies if getattr(self, key) is not None]
        if len(given) > 1:
            raise ValueError(f"has `{'` and `'.join(given)}`; keep one of them")
        return self

    @property
    def content(self) -> bytes | None:
        """The body, where `body` or `body_bytes` gives it."""
        if self.body_bytes:
            return numbers(self.body_bytes)
        return None if self.body is None else self.body.encode()

    @property
    def is_plain(self) -> bool:
        """Whether it says no more than a status, a body that is given whole, and headers."""
        more = (self.length, self.length_between, self.sha256)
        return not self.looks_inside and all(each is None for each in more)

    @property
    def looks_inside(self) -> bool:
        """Whether it says what the body contains, which must not be compressed then."""
        return bool(self.body_contains or self.body_matches or self.json_ is not None)


class RequestSection(Contract):
    """A request.

    Its path, headers' values and body may have the fields `{{COLUMN}}` of the data file, `{{random
    LOW HIGH}}` and `{{hex N}}`. Of `body`, `body_bytes` and `body_file` there is one at most.
    """

    name: str = ""
    """What reports call it. Without it, method and path."""
    weight: PositiveInt = 1
    """How often it is drawn among the requests of a mix."""
    method: Annotated[str, Field(pattern=r"^[A-Z]+$")] = "GET"
    """The method; POST where there is a body."""
    path: Annotated[str, Field(pattern=r"^/")] = "/"
    """The path, for a server whose contender.toml doesn't give one."""
    headers: dict[str, str] = {}
    """Headers to send."""
    body: str = ""
    """The body."""
    body_bytes: BodyBytes | None = None
    """The length of a body of numbers."""
    body_file: str | None = None
    """The file that has the body, relative to the workload's."""
    expect: ExpectSection | None = None
    """The right answer, in a mix."""

    @model_validator(mode="before")
    @classmethod
    def _posts_a_body(cls, value: Any) -> Any:
        given = value if isinstance(value, dict) else {"method": ""}
        if "method" not in given and any(map(given.get, _BODIES)):
            return {**given, "method": "POST"}
        return value

    @model_validator(mode="after")
    def _has_one_body(self) -> Self:
        given = [key for key in _BODIES if getattr(self, key)]
        if len(given) > 1:
            raise ValueError(f"has `{'` and `'.join(given)}`; keep one of them")
        return self

    @property
    def content(self) -> bytes:
        """The body, but for one of a file."""
        if self.body_bytes:
            return numbers(self.body_bytes)
        return self.body.encode(errors="surrogateescape")

    @property
    def posts(self) -> bool:
        """Whether its length is told even where it has no body: servers may answer 411 else."""
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def usual_name(self) -> str:
        """What it is called where nobody named it."""
        return f"{self.method} {self.path}"

    @property
    def texts(self) -> Iterator[tuple[str, str]]:
        """Key and text of all that fields can be filled into, but for a file's."""
        yield "path", self.path
        yield from ((f"headers.{name}", value) for name, value in self.headers.items())
        yield "body", self.body


def _accepting(request: RequestSection, expect: ExpectSection) -> dict[str, str]:
    """Its headers; who expects events says so, as a browser does."""
    if not expect.events or any(name.lower() == "accept" for name in request.headers):
        return request.headers
    return {**request.headers, "Accept": "text/event-stream"}


def _mixes_calls(calls: Any, requests: Any) -> bool:
    several = requests if isinstance(requests, list) else []
    in_one = any(isinstance(request, dict) and "grpc" in request for request in several)
    return isinstance(calls, list) or bool(calls and several) or in_one


class OnceSection(RequestSection):
    """A request that each connection sends once, before its others, in the file's order."""

    take: dict[str, Annotated[str, Field(pattern=_TOKEN)]] = {}
    """Values of its answer that later requests have as fields, by name: `json /pointer`, `cookie
    NAME` or `header NAME`."""


class MessageSection(RequestSection):
    """A message over WebSocket, behind an upgrade with this path and these headers."""

    binary: bool = False
    """Whether it is sent as binary data, not as text."""


class DefaultsSection(Contract):
    """Defaults of the command line's options."""

    connections: PositiveInt = 64
    """How many connections load a server."""


_EXCHANGES: Mapping[str, type[GrpcSection] | type[WebSocketSection]] = {
    "grpc": GrpcSection,
    "websocket": WebSocketSection,
}


class Workload(Contract):
    """What is sent to every contender of a race, and which answers are right.

    One request is written as `[request]` and `[expect]`; a mix as `[[request]]`, each with its
    `[request.expect]`.
    """

    name: Annotated[str, Field(min_length=1)]
    """The name by which it is raced."""
    title: str = ""
    """What it is, for readers of a result."""
    data: str | None = None
    """A file of comma-separated values, whose first line names the columns."""
    order: Literal["random", "sequential"] | None = None
    """How rows of the data are taken; at random where nothing is said."""
    request: RequestSection = RequestSection()
    """The request, or the first of a mix."""
    expect: ExpectSection = ExpectSection()
    """Its right answer."""
    grpc: IfGiven[GrpcSection] = None
    """A unary gRPC call, in place of both."""
    websocket: IfGiven[WebSocketSection] = None
    """Messages over WebSocket that the server echoes, in place of both."""
    requests: tuple[RequestSection, ...] = ()
    """The requests of a mix, as plans have them: a file has `[[request]]`."""
    once: tuple[OnceSection, ...] = ()
    """Requests at the beginning of each connection."""
    defaults: DefaultsSection = DefaultsSection()
    """Defaults of options."""
    static_files: dict[Annotated[str, Field(pattern=_FILE_NAME)], BodyBytes] = {}
    """Files that the server finds in its folder STATIC_DIR, each with its length in bytes."""
    upstream_delay_ms: Annotated[int, Field(ge=0, le=1000)] | None = None
    """The delay with which the upstream answers that the server finds at UPSTREAM."""
    database_rows: IfGiven[Annotated[int, Field(ge=20, le=1_000_000, multiple_of=20)]] = None
    """How many rows the table `item` has of the database that the server finds at DATABASE_URL."""
    files: dict[str, str] = {}
    """The contents of all files that are named here, base64, as plans have them."""

    @classmethod
    def checked(cls, value: Any, where: Path | str) -> Self:
        """As of every contract; a fault of a mix has the key that the file has."""
        try:
            return super().checked(value, where)
        except BadFile as error:
            if error.key is None or not error.key.startswith("requests."):
                raise
            key = error.key.replace("requests.", "request.", 1)
            raise BadFile(error.where, key, error.fault) from None

    @model_validator(mode="before")
    @classmethod
    def _reads_a_mix(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("request"), list | tuple):
            return value
        rest = {key: each for key, each in value.items() if key != "request"}
        if not value["request"]:
            raise ValueError("has no [[request]]")
        if "expect" in rest:
            raise ValueError("has [expect] beside [[request]]; write [request.expect] in each")
        return {**rest, "requests": value["request"]}

    @model_validator(mode="before")
    @classmethod
    def _exchanges(cls, value: Any) -> Any:
        """A call or a message is carried by a request, which plans have, too."""
        if isinstance(value, dict) and _mixes_calls(value.get("grpc"), value.get("request")):
            raise ValueError("has a gRPC call in a mix; a workload has one [grpc] alone")
        if not isinstance(value, dict):
            return value
        if value.get("grpc") and value.get("websocket"):
            raise ValueError("has [grpc] and [websocket]; keep one of them")
        for key, kind in _EXCHANGES.items():
            if not isinstance(value.get(key), dict | kind):
                continue
            try:
                exchange = kind.model_validate(value[key])
            except ValidationError:
                return value  # Its own field says what is wrong.
            carrier = exchange.request
            given = value.get("request", carrier)
            if not isinstance(given, Mapping) or given.get("path") != carrier["path"]:
                raise ValueError(f"has [request] beside [{key}], which says what is sent")
            request = (
                MessageSection(**carrier, binary=exchange.binary)
                if isinstance(exchange, WebSocketSection)
                else RequestSection(**carrier)
            )
            value = {**value, key: exchange, "request": request}
        return value

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.exchange and (self.expect != ExpectSection() or self.once or self.data):
            key = "grpc" if self.grpc else "websocket"
            raise ValueError(f"has [expect], [[once]] or `data` beside [{key}], which needs none")
        if self.order and not self.data:
            raise ValueError("has `order`, but no `data` whose rows it could order")
        if self.upstream_delay_ms is not None and self.database_rows is not None:
            raise ValueError("has `upstream_delay_ms` and `database_rows`; keep one of them")
        names = [request.name for request in self.requests if request.name]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"has two requests with the name {name}")
        return self

    @property
    def has_upstream(self) -> bool:
        """Whether the server requests another one, or a database."""
        return self.upstream_delay_ms is not None or self.database_rows is not None

    @property
    def exchange(self) -> Exchange | None:
        """What is sent in place of requests whose answers are HTTP's."""
        return self.grpc or self.websocket

    @property
    def events(self) -> EventsSection | None:
        """What its answers are streams of: server-sent events, or a call's messages."""
        if self.is_mix:
            return None
        if self.grpc:
            return EventsSection(count=self.grpc.responses) if self.grpc.responses else None
        return self.first.expect.events if self.first.expect else None

    @property
    def is_mix(self) -> bool:
        return len(self.requests) > 1

    @property
    def is_fixed(self) -> bool:
        """Whether it is one request that is always the same, whose right answer is given whole or
        is the first one: what the engine is told in its job, without a request file."""
        expect = self.first.expect or ExpectSection()
        return not (self.is_mix or self.once or self.fills_in) and expect.is_plain

    @property
    def by_name(self) -> Mapping[str, RequestSection]:
        """Every request with its right answer, by its name; of equal ones the second has `#2`."""
        named: dict[str, RequestSection] = {}
        taken = {request.name for request in self.requests}
        for each in self.requests or (self.request,):
            name, count = each.name or each.usual_name, 1
            while name in named or (not each.name and name in taken):
                count += 1
                name = f"{each.usual_name} #{count}"
            expect = each.expect or (ExpectSection() if self.requests else self.expect)
            named[name] = each.model_copy(
                update={"name": name, "expect": expect, "headers": _accepting(each, expect)}
            )
        return named

    @property
    def first(self) -> RequestSection:
        return next(iter(self.by_name.values()))

    @property
    def summary(self) -> str:
        """In a few words what is requested: `POST /orders, for status 201`."""
        if self.is_mix:
            return f"{len(self.by_name)} requests"
        expect = self.first.expect or ExpectSection()
        if self.exchange:
            return self.exchange.sends
        held = f", for status {expect.status}" if expect.status != 200 else ""
        return f"{self.first.usual_name}{held}"

    @property
    def sends_bodies(self) -> bool:
        return any(self.body(each) for each in self.by_name.values())

    @property
    def fills_in(self) -> bool:
        """Whether requests differ from one time to the next."""
        if self.exchange:
            return False
        sections = (*self.by_name.values(), *self.once)
        bodies = (self.content(section.body_file) for section in sections if section.body_file)
        return any(has_fields(text) for section in sections for _, text in section.texts) or any(
            b"{{" in body and _is_text(body) for body in bodies
        )

    def content(self, name: str) -> bytes:
        """What the file called `name` has in it."""
        return base64.b64decode(self.files[name])

    def body(self, section: RequestSection) -> bytes:
        """The body of a request as it stands, with its fields."""
        if self.exchange:
            return self.exchange.body
        return self.content(section.body_file) if section.body_file else section.content

    def expected_body(self, expect: ExpectSection) -> bytes | None:
        """The whole right body, where it is given: of the first row, where it differs by row."""
        if expect.body_file is not None:
            return self.content(expect.body_file)
        if self.differs_by_row(expect):
            return filled(expect.body or "", self.row()).encode()
        return expect.content

    def differs_by_row(self, expect: ExpectSection) -> bool:
        """Whether values of the data are in the right body."""
        return bool(self.data and expect.body and has_fields(expect.body))

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The data file's columns and rows; none of either without one. Raises ValueError."""
        if self.data is None:
            return [], []
        columns, *rows = rows_of(self.content(self.data))
        return columns, rows

    def row(self) -> dict[str, str]:
        columns, rows = self.table()
        return dict(zip(columns, rows[0], strict=True)) if rows else {}

    @property
    def names_files(self) -> tuple[tuple[str, str], ...]:
        """Key and name of every file that is named here."""
        found = [("data", self.data)]
        array = "request" if self.requests else ""
        for place, each in enumerate(self.requests or (self.request,)):
            at = f"{array}.{place}" if array else "request"
            expect = each.expect or self.expect
            found += [(f"{at}.body_file", each.body_file)]
            found += [(f"{at}.expect.body_file" if array else "expect.body_file", expect.body_file)]
        found += [
            (f"once.{place}.body_file", each.body_file) for place, each in enumerate(self.once)
        ]
        return tuple((key, name) for key, name in found if name is not None)
