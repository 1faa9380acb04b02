"""A workload file: the requests, and the right answers; its keys are the engine's."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PositiveInt, ValidationError, model_validator

from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.errors import BadFile
from bakeoff.model.exchange import Exchange
from bakeoff.model.fields import filled, has_fields, rows_of
from bakeoff.model.grpc import GrpcSection
from bakeoff.model.request import (
    BodyBytes,
    EventsSection,
    ExpectSection,
    HeldSection,
    MessageSection,
    OnceSection,
    RequestSection,
    accepting,
)
from bakeoff.model.websocket import WebSocketSection

_FILE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _mixes_calls(calls: Any, requests: Any) -> bool:
    several = requests if isinstance(requests, list) else []
    in_one = any(isinstance(request, dict) and "grpc" in request for request in several)
    return isinstance(calls, list) or bool(calls and several) or in_one


class DefaultsSection(Contract):
    """Defaults of the command line's options."""

    connections: PositiveInt = 64
    """How many connections load a server."""


_EXCHANGES: Mapping[str, type[GrpcSection] | type[WebSocketSection]] = {
    "grpc": GrpcSection,
    "websocket": WebSocketSection,
}


Unit = Literal["request", "message"]
"""What is counted: a request or, over WebSocket, a message, whose echo is its answer."""
GivenUnit = Annotated[Unit, Field(exclude_if=lambda unit: unit == "request")]


class Workload(Contract):
    """The requests to every contender of a race, and the right answers.

    One request is written as `[request]` and `[expect]`; a mix as `[[request]]`, each with its
    `[request.expect]`.
    """

    name: Annotated[str, Field(min_length=1)]
    """The name by which it is raced."""
    title: str = ""
    """A description for readers of a result."""
    data: str | None = None
    """A file of comma-separated values, whose first line names the columns."""
    order: Literal["random", "sequential"] | None = None
    """The order of the data's rows; by default random."""
    request: RequestSection = RequestSection()
    """The request, or the first of a mix."""
    expect: ExpectSection = ExpectSection()
    """Its right answer."""
    grpc: IfGiven[GrpcSection] = None
    """A unary gRPC call, in place of both."""
    websocket: IfGiven[WebSocketSection] = None
    """Messages over WebSocket that the server echoes, in place of both."""
    held: IfGiven[HeldSection] = None
    """Streams that are held open beside the requests."""
    requests: tuple[RequestSection, ...] = ()
    """The requests of a mix, as plans have them: a file has `[[request]]`."""
    once: tuple[OnceSection, ...] = ()
    """Requests at the beginning of each connection."""
    defaults: DefaultsSection = DefaultsSection()
    """Defaults of options."""
    static_files: dict[Annotated[str, Field(pattern=_FILE_NAME)], BodyBytes] = {}
    """Files that the server finds in its folder STATIC_DIR, each with its length in bytes."""
    upstream_delay_ms: Annotated[int, Field(ge=0, le=1000)] | None = None
    """The delay of the answers of the upstream that the server finds at UPSTREAM."""
    database_rows: IfGiven[Annotated[int, Field(ge=20, le=1_000_000, multiple_of=20)]] = None
    """The number of rows of the table `item` in the database that the server finds at
    DATABASE_URL."""
    files: dict[str, str] = {}
    """The contents of all files that are named here, base64, as plans have them."""

    @classmethod
    def checked(cls, value: Any, where: Path | str) -> Self:
        """As for every contract; a fault of a mix has the key of the file."""
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
                MessageSection(**carrier, binary=exchange.binary, compression=exchange.compression)
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
        if self.held and (self.exchange or self.events):
            beside = self.exchange.kind if self.exchange else "a stream of events"
            raise ValueError(f"has [held] beside {beside}; held streams are beside plain requests")
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
        """Whether the server requests another server, or a database."""
        return self.upstream_delay_ms is not None or self.database_rows is not None

    @property
    def exchange(self) -> Exchange | None:
        """What is sent in place of requests with HTTP answers."""
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
    def room(self) -> int | None:
        """How many connections have to hear each message, if it isn't an echo."""
        return self.websocket.room if self.websocket else None

    @property
    def listeners(self) -> int:
        """How many connections hear a message: a rate counts it once, throughput for each."""
        return self.room or 1

    @property
    def unit(self) -> Unit:
        return "message" if self.websocket else "request"

    @property
    def is_mix(self) -> bool:
        return len(self.requests) > 1

    @property
    def is_fixed(self) -> bool:
        """Whether it is one constant request, whose right answer is given whole or is the first
        one. The engine gets it in its job, without a request file."""
        expect = self.first.expect or ExpectSection()
        return not (self.is_mix or self.once or self.fills_in) and expect.is_plain

    @property
    def by_name(self) -> Mapping[str, RequestSection]:
        """Every request with its right answer, by its name; the second of two equal names has
        `#2`."""
        named: dict[str, RequestSection] = {}
        taken = {request.name for request in self.requests}
        for each in self.requests or (self.request,):
            name, count = each.name or each.usual_name, 1
            while name in named or (not each.name and name in taken):
                count += 1
                name = f"{each.usual_name} #{count}"
            expect = each.expect or (ExpectSection() if self.requests else self.expect)
            named[name] = each.model_copy(
                update={"name": name, "expect": expect, "headers": accepting(each, expect)}
            )
        return named

    @property
    def first(self) -> RequestSection:
        return next(iter(self.by_name.values()))

    @property
    def summary(self) -> str:
        """A description of the requests in a few words: `POST /orders, for status 201`."""
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
        return base64.b64decode(self.files[name])

    def body(self, section: RequestSection) -> bytes:
        if self.exchange:
            return self.exchange.body
        return self.content(section.body_file) if section.body_file else section.content

    def expected_body(self, expect: ExpectSection) -> bytes | None:
        """The whole right body, if it is given; if it differs by row, that of the first row."""
        if expect.body_file is not None:
            return self.content(expect.body_file)
        if self.differs_by_row(expect):
            return filled(expect.body or "", self.row()).encode()
        return expect.content

    def differs_by_row(self, expect: ExpectSection) -> bool:
        """Whether values of the data are in the right body."""
        return bool(self.data and expect.body and has_fields(expect.body))

    def table(self) -> tuple[list[str], list[list[str]]]:
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
