"""A request of a workload, and its right answer; their keys are the engine's."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.fields import numbers
from bakeoff.model.shape import Shape

BODY_BYTES_MAX = 16 * 2**20
"""The longest answer that is accepted in verification; a race's requests are as long."""
BodyBytes = Annotated[int, Field(ge=1, le=BODY_BYTES_MAX)]
_BODIES = ("body", "body_bytes", "body_file")
_TOKEN = r"^(json (/.*)?|cookie [^\s=;]+|header [!#-'*+.^_`|~0-9A-Za-z-]+)$"


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
    """A stream of server-sent events, which is checked for each server before the load."""

    count: PositiveInt | None = None
    """The number of events."""
    last: str | None = None
    """The text of the last event, such as `[DONE]`."""
    ids: Literal["consecutive"] | None = None
    """The form of their ids: numbers, each one more than the one before."""
    gap_ms: PositiveFloat | None = None
    """The gap between the source's events: a server that holds events back is named."""


def _events(value: Any) -> Any:
    return {"count": value} if isinstance(value, int) and not isinstance(value, bool) else value


class HeldSection(Contract):
    """Streams of server-sent events that are held open beside the requests."""

    streams: PositiveInt
    """How many, each on a connection of its own."""
    path: Annotated[str, Field(pattern=r"^/")]
    """The path of the stream."""
    headers: dict[str, str] = {}
    """Headers of its request."""
    gap_ms: IfGiven[PositiveFloat] = None
    """The gap between events: a server that sends fewer doesn't keep the pace."""

    @property
    def request(self) -> "RequestSection":
        asked = RequestSection(path=self.path, headers=self.headers)
        expect = ExpectSection(events=EventsSection(gap_ms=self.gap_ms))
        return asked.model_copy(update={"headers": accepting(asked, expect), "expect": expect})


class ExpectSection(Contract):
    """The right answer. Without a body, a contender's answers must be like its first.

    At most one of `body`, `body_bytes`, `body_file` and `sha256` is given. Bodies are compared
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
    """The body. With a data file, it may have the fields `{{COLUMN}}` of the row whose values were
    sent."""
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
    """A regular expression that matches somewhere in the body."""
    json_: Annotated[Shape | None, Field(alias="json")] = None
    """The shape of the body's JSON."""
    headers: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z0-9-]+$")], str], BeforeValidator(_lower)
    ] = {}
    """Required headers, each with the beginning of its value."""

    @model_validator(mode="after")
    def _has_one_body(self) -> Self:
        bodies = ("body", "body_bytes", "body_file", "sha256")
        given = [key for key in bodies if getattr(self, key) is not None]
        if len(given) > 1:
            raise ValueError(f"has `{'` and `'.join(given)}`; keep one of them")
        return self

    @property
    def content(self) -> bytes | None:
        """The body, if `body` or `body_bytes` gives it."""
        if self.body_bytes:
            return numbers(self.body_bytes)
        return None if self.body is None else self.body.encode()

    @property
    def is_plain(self) -> bool:
        """Whether it has only a status, a body that is given whole, and headers."""
        more = (self.length, self.length_between, self.sha256)
        return not self.looks_inside and all(each is None for each in more)

    @property
    def looks_inside(self) -> bool:
        """Whether it checks the body's content, which must then not be compressed."""
        return bool(self.body_contains or self.body_matches or self.json_ is not None)


class RequestSection(Contract):
    """A request.

    Its path, headers' values and body may have the fields `{{COLUMN}}` of the data file, `{{random
    LOW HIGH}}` and `{{hex N}}`. At most one of `body`, `body_bytes` and `body_file` is given.
    """

    name: str = ""
    """Its name in reports. By default method and path."""
    weight: PositiveInt = 1
    """How often it is drawn among the requests of a mix."""
    method: Annotated[str, Field(pattern=r"^[A-Z]+$")] = "GET"
    """The method; POST if it has a body."""
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
        if self.body_bytes:
            return numbers(self.body_bytes)
        return self.body.encode(errors="surrogateescape")

    @property
    def posts(self) -> bool:
        """Whether its length is sent even without a body: otherwise servers may answer 411."""
        return self.method in ("POST", "PUT", "PATCH")

    @property
    def usual_name(self) -> str:
        """Its name if none is given."""
        return f"{self.method} {self.path}"

    @property
    def texts(self) -> Iterator[tuple[str, str]]:
        """Key and text of all parts that may have fields, except a file's."""
        yield "path", self.path
        yield from ((f"headers.{name}", value) for name, value in self.headers.items())
        yield "body", self.body


def accepting(request: RequestSection, expect: ExpectSection) -> dict[str, str]:
    """Its headers; a request that expects events says so, as a browser does."""
    if not expect.events or any(name.lower() == "accept" for name in request.headers):
        return request.headers
    return {**request.headers, "Accept": "text/event-stream"}


class OnceSection(RequestSection):
    """A request that each connection sends once, before its others, in the file's order."""

    take: dict[str, Annotated[str, Field(pattern=_TOKEN)]] = {}
    """Values of its answer that later requests have as fields, by name: `json /pointer`, `cookie
    NAME` or `header NAME`."""


class MessageSection(RequestSection):
    """A message over WebSocket, behind an upgrade with this path and these headers."""

    binary: bool = False
    """Whether it is sent as binary data, not as text."""
    compression: bool = False
    """Whether it is compressed on its way, and its echo must be."""
