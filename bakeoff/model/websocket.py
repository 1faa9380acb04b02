"""Messages over WebSocket (RFC 6455), echoed or passed on to a room: a workload's table."""

import base64
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from bakeoff.model.base import IfAny, IfGiven
from bakeoff.model.exchange import Base64, Exchange
from bakeoff.model.fields import numbers
from bakeoff.model.protocol import Protocol

MESSAGE_BYTES_MAX = 2**20
OF_UPGRADE = frozenset({"connection", "upgrade", "sec-websocket-version", "sec-websocket-key"})
"""Headers that every upgrade has, and a workload can't set."""
EXTENSIONS = "sec-websocket-extensions"
_MESSAGES = ("message", "message_base64", "message_bytes")


class WebSocketSection(Exchange):
    """Messages that the server echoes, or passes on to a room, in place of `[request]` and
    `[expect]`.

    It has one of `message`, `message_base64` and `message_bytes`.
    """

    kind: ClassVar[str] = "WebSocket"
    carriers: ClassVar[tuple[Protocol, Protocol]] = ("h1", "h1-tls")

    path: Annotated[str, Field(pattern=r"^/")] = "/"
    """The path of the upgrade, for a server whose contender.toml doesn't give one."""
    headers: dict[str, str] = {}
    """Headers of the upgrade, such as `Sec-WebSocket-Protocol`."""
    message: IfGiven[str] = None
    """The message."""
    message_base64: IfGiven[Base64] = None
    """The message, if it is not text."""
    message_bytes: IfGiven[Annotated[int, Field(ge=1, le=MESSAGE_BYTES_MAX)]] = None
    """The length of a message of numbers."""
    binary: IfAny[bool] = False
    """Whether it is sent as binary data, not as text."""
    compression: IfAny[bool] = False
    """Whether messages are compressed (permessage-deflate, each by itself), and the echoes must
    be."""
    room: IfGiven[Annotated[int, Field(ge=1)]] = None
    """How many connections are a room, in which all have to hear what one of them sends; by default
    each message comes back as an echo."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        given = [key for key in _MESSAGES if getattr(self, key) is not None]
        if not given:
            raise ValueError("has no message: give `message`, or `message_bytes` with its length")
        if len(given) > 1:
            raise ValueError(f"has `{'` and `'.join(given)}`; keep one of them")
        if len(self.body) > MESSAGE_BYTES_MAX:
            raise ValueError("has a message of more than 1 MiB")
        for name in self.headers:
            if name.lower() in OF_UPGRADE:
                raise ValueError(f"has the header {name}, which every upgrade sends itself")
            if name.lower() == EXTENSIONS:
                raise ValueError(
                    f"has the header {name}, but it is `compression = true` that offers one"
                )
        try:
            self.body.decode("utf-8" if not self.binary else "latin-1")
        except UnicodeDecodeError:
            raise ValueError("has a message that is not UTF-8: give `binary = true`") from None
        return self

    @property
    def request(self) -> Mapping[str, Any]:
        return {"method": "GET", "path": self.path, "headers": self.headers}

    @property
    def body(self) -> bytes:
        if self.message_bytes:
            return numbers(self.message_bytes)
        if self.message_base64 is not None:
            return base64.b64decode(self.message_base64)
        return (self.message or "").encode()

    @property
    def sends(self) -> str:
        kind, size = "binary" if self.binary else "text", len(self.body)
        compressed = ", compressed" if self.compression else ""
        room = f", to rooms of {self.room}" if self.room else ""
        return (
            f"WebSocket {self.path}, {kind} of {size:,} byte{'s' * (size != 1)}{compressed}{room}"
        )

    @property
    def returns(self) -> str:
        return "the same message, to each of the room" if self.room else "the same message"
