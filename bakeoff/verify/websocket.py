"""Messages over WebSocket and their echoes, on a connection that begins as HTTP/1.1; wsproto reads
them."""

import socket
import time
from contextlib import suppress

from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Message,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.extensions import PerMessageDeflate
from wsproto.frame_protocol import CloseReason, FrameDecoder, FrameProtocol, Opcode, RsvBits
from wsproto.utilities import ProtocolError, RemoteProtocolError

from bakeoff.model.request import MessageSection
from bakeoff.model.websocket import MESSAGE_BYTES_MAX
from bakeoff.verify.exchange import (
    TLS_RECORDS,
    WEBSOCKET_OVER_TLS,
    Answer,
    NoAnswer,
    UpgradeClosedAtOnce,
    WrongAnswer,
    received,
    sent,
)

AHEAD_BYTES_MAX = 2**20
"""Sockets hold this much: with more, both sides would wait for the other one to read."""
_SUBPROTOCOL = "sec-websocket-protocol"
_AWAITED = {False: "its answer to the upgrade", True: "its echo"}


class _Deflate(PerMessageDeflate):
    """Compression of each message by itself, which the engine offers and each server has to use."""

    def __init__(self) -> None:
        super().__init__(client_no_context_takeover=True)
        self.compressed, self.payload_bytes = False, 0

    def offer(self) -> str:
        return "client_no_context_takeover; server_no_context_takeover"

    def finalize(self, offer: str) -> None:
        try:
            super().finalize(offer)
            was_offered = self.server_no_context_takeover and "client_max_window" not in offer
        except (IndexError, ValueError):
            was_offered = False
        if not was_offered:
            raise RemoteProtocolError(f"it agrees to `{offer}`, which differs from the offer")

    def frame_inbound_header(
        self, proto: FrameDecoder | FrameProtocol, opcode: Opcode, rsv: RsvBits, payload_length: int
    ) -> CloseReason | RsvBits:
        if opcode in (Opcode.TEXT, Opcode.BINARY):
            self.compressed, self.payload_bytes = rsv.rsv1, 0
        return super().frame_inbound_header(proto, opcode, rsv, payload_length)

    def frame_inbound_payload_data(
        self, proto: FrameDecoder | FrameProtocol, data: bytes
    ) -> bytes | CloseReason:
        self.payload_bytes += len(data)
        return super().frame_inbound_payload_data(proto, data)


class Messages:
    """An upgraded connection. Raises `NoAnswer` if the server doesn't agree to the upgrade."""

    def __init__(
        self, connection: socket.socket, request: MessageSection, path: str, host: str
    ) -> None:
        self._socket = connection
        self._ws = WSConnection(ConnectionType.CLIENT)
        self._raw = bytearray()
        self._asked_ns = time.monotonic_ns()
        self._received_ns: list[int] = []
        self._agreed = False
        self._deflate = _Deflate() if request.compression else None
        sent(connection, self._ws.send(_upgrade(request, path, host, self._deflate)))
        event = self._next()
        if isinstance(event, RejectConnection):
            status = event.status_code
            if status == 400 and b"HTTPS" in self._raw:
                raise NoAnswer(WEBSOCKET_OVER_TLS)  # TLS servers say so in plain HTTP.
            raise WrongAnswer(f"answered the upgrade with status {status}, not 101", status)
        self._agreed = isinstance(event, AcceptConnection)
        if self._deflate and not self._deflate.enabled():
            raise WrongAnswer("it does not agree to compression (permessage-deflate)")
        self._unshown = bytes(self._raw)

    def ask(self, request: MessageSection) -> Answer:
        (answer,) = self.ahead(request, 1)
        return answer

    def ahead(self, request: MessageSection, depth: int) -> list[Answer]:
        """Send `depth` messages at once, at most `AHEAD_BYTES_MAX`, and read the echoes in order.

        Raises `NoAnswer`.
        """
        content = request.content
        depth = max(1, min(depth, AHEAD_BYTES_MAX // max(1, len(content))))
        message: BytesMessage | TextMessage
        message = BytesMessage(content) if request.binary else TextMessage(content.decode())
        self._asked_ns = time.monotonic_ns()
        sent(self._socket, b"".join(self._ws.send(message) for _ in range(depth)))
        answers = [self._echo(request) for _ in range(depth)]
        if any(isinstance(event, Message) for event in self._ws.events()):
            raise WrongAnswer("it sent a message that is not an echo")
        return answers

    def hear(self, request: MessageSection) -> Answer:
        """The message that another listener of the room has sent."""
        return self._echo(request)

    def close(self) -> None:
        with suppress(ProtocolError, NoAnswer):
            sent(self._socket, self._ws.send(CloseConnection(code=CloseReason.NORMAL_CLOSURE)))

    def _echo(self, request: MessageSection) -> Answer:
        """The next echo; the answer to the upgrade is part of the first one."""
        self._raw.clear()
        self._received_ns.clear()
        body = bytearray()
        most = max(MESSAGE_BYTES_MAX, len(request.content))
        while True:
            event = self._next()
            if isinstance(event, Ping):
                sent(self._socket, self._ws.send(event.response()))
            elif isinstance(event, CloseConnection):
                raise WrongAnswer(self._closed(event, len(body)))
            elif isinstance(event, TextMessage | BytesMessage):
                if isinstance(event, BytesMessage) != request.binary:
                    kinds = ("text", "binary") if request.binary else ("binary", "text")
                    raise WrongAnswer("its echo is {}, not {}".format(*kinds))
                body += event.data.encode() if isinstance(event, TextMessage) else event.data
                if len(body) > most:
                    raise WrongAnswer(f"its echo has more than {most} bytes")
                if event.message_finished:
                    break
        if self._deflate and not self._deflate.compressed:
            raise WrongAnswer(
                "its echo is not compressed, though it agreed to that; some servers leave short "
                "messages as they are"
            )
        payload_bytes = self._deflate.payload_bytes if self._deflate else len(body)
        raw, self._unshown = self._unshown + bytes(self._raw), b""
        return Answer(
            raw=raw,
            status=101,
            headers=(),
            body=bytes(body),
            head_bytes=max(0, len(raw) - payload_bytes),
            keeps_alive=True,
            asked_ns=self._asked_ns,
            received_ns=tuple(self._received_ns) or (time.monotonic_ns(),),
        )

    def _next(self) -> Event:
        """The server's next event. Raises `NoAnswer` if it breaks the protocol."""
        while True:
            for event in self._ws.events():
                return event
            data = received(self._socket, bool(self._raw), self._asked_ns)
            if not data:
                when = "in the middle of" if self._raw else "before"
                kind = NoAnswer if self._agreed or self._raw else UpgradeClosedAtOnce
                raise kind(f"the connection was closed {when} {_AWAITED[self._agreed]}")
            self._raw += data
            self._received_ns.append(time.monotonic_ns())
            try:
                self._ws.receive_data(data)
            except RemoteProtocolError as error:
                if self._raw.startswith(TLS_RECORDS):
                    raise NoAnswer(WEBSOCKET_OVER_TLS) from None
                raise WrongAnswer(f"its answer to the upgrade is wrong: {error}") from None

    def _closed(self, event: CloseConnection, came: int) -> str:
        if self._ws.state is ConnectionState.OPEN:
            # wsproto reports a frame that breaks the protocol as if the server had closed.
            return f"it breaks WebSocket's protocol: {event.reason}"
        reason = f": {event.reason}" if event.reason else ""
        when = f"after {came} bytes of the echo" if came else "before the echo"
        code = "no code" if event.code == CloseReason.NO_STATUS_RCVD else f"the code {event.code:d}"
        return f"it closed {when}, with {code}{reason}"


def written(request: MessageSection, path: str, host: str) -> bytes:
    deflate = _Deflate() if request.compression else None
    return WSConnection(ConnectionType.CLIENT).send(_upgrade(request, path, host, deflate))


def _upgrade(request: MessageSection, path: str, host: str, deflate: _Deflate | None) -> Request:
    offered = [
        each.strip()
        for name, value in request.headers.items()
        if name.lower() == _SUBPROTOCOL
        for each in value.split(",")
    ]
    own = [
        (name.encode(), value.encode())
        for name, value in request.headers.items()
        if name.lower() != _SUBPROTOCOL
    ]
    return Request(
        host=host,
        target=path,
        extensions=[deflate] if deflate else [],
        subprotocols=offered,
        extra_headers=own,
    )
