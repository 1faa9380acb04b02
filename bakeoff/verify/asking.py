"""One connection to a server in the protocol of the requests."""

from __future__ import annotations

import re
import socket
import ssl
import struct
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, TypeAlias

from bakeoff.model.audit import TlsConduct
from bakeoff.model.errors import MissingPiece
from bakeoff.model.protocol import HTTP_2, OVER_TLS, OVER_UDP, Protocol, Tls
from bakeoff.model.receipt import Handle
from bakeoff.model.request import MessageSection, RequestSection
from bakeoff.verify.exchange import (
    READ_TIMEOUT_S,
    Answer,
    ClosedAtOnce,
    NoAnswer,
    NoHandshake,
    WrongAnswer,
    ahead,
    connect,
    exchange,
    written,
)
from bakeoff.verify.http2 import Http2Connection
from bakeoff.verify.secure import Session, handshake, offered_over_tcp, secured, speaks_tls

if TYPE_CHECKING:
    from aioquic.tls import SessionTicket

    from bakeoff.verify.http3 import Http3Connection
    from bakeoff.verify.websocket import Messages

GET = RequestSection()
NOT_YET = (502, 503, 504)
"""Status codes of gateways and servers that are starting."""


class Http1Connection(AbstractContextManager["Http1Connection"]):
    """An established connection for one request after another, or upgraded for messages."""

    def __init__(self, connection: socket.socket, host: str, *, close: bool = False) -> None:
        self.socket, self._host, self._close = connection, host, close
        self._messages: Messages | None = None

    def ask(
        self,
        request: RequestSection,
        path: str,
        *,
        close: bool = False,
        version: Literal["1.1", "1.0"] = "1.1",
    ) -> Answer:
        if isinstance(request, MessageSection):
            return self.upgraded(request, path).ask(request)
        close = close or self._close
        return exchange(self.socket, request, path, self._host, close=close, version=version)

    def ahead(self, request: RequestSection, path: str, depth: int) -> list[Answer]:
        """The answers to `depth` requests that are sent at once. Raises `NoAnswer`."""
        if isinstance(request, MessageSection):
            return self.upgraded(request, path).ahead(request, depth)
        return ahead(self.socket, request, path, self._host, depth)

    def upgraded(self, request: MessageSection, path: str) -> Messages:
        """It as a WebSocket, which it becomes the first time."""
        # Imported here, not above: a race of requests needs none of it.
        from bakeoff.verify.websocket import Messages

        self._messages = self._messages or Messages(self.socket, request, path, self._host)
        return self._messages

    def close(self) -> None:
        if self._messages:
            self._messages.close()
        self.socket.close()

    def __exit__(self, *_: object) -> None:
        self.close()


Connection: TypeAlias = "Http1Connection | Http2Connection | Http3Connection"
Former: TypeAlias = "Session | SessionTicket"
"""What resumes the session of an earlier connection."""


def opened(
    handle: Handle, timeout_s: float = READ_TIMEOUT_S, former: Former | None = None
) -> Connection:
    close = handle.connection == "close"
    return _open(handle.address, handle.protocol, handle.tls, handle.host, timeout_s, close, former)


def _open(
    address: str,
    protocol: Protocol,
    tls: Tls | None,
    host: str,
    timeout_s: float,
    close: bool,
    former: Former | None = None,
) -> Connection:
    assert tls or protocol not in OVER_TLS, "a server over TLS has somebody to believe it by"
    if protocol in OVER_UDP:
        try:
            # Imported here, not above: it is for HTTP/3 alone, and not in every installation.
            from bakeoff.verify.http3 import Http3Connection
        except ImportError as error:
            raise MissingPiece(
                f"answers over HTTP/3 can't be checked: {error}; pip install 'bakeoff[h3]', or "
                "use another --protocol"
            ) from None
        assert tls
        assert not isinstance(former, tuple)
        return Http3Connection(address, host, tls, timeout_s, former)
    connection = connect(address, timeout_s)
    if tls and protocol in OVER_TLS:
        assert former is None or isinstance(former, tuple)
        connection = secured(connection, tls, protocol, former)
    if protocol in HTTP_2:
        return Http2Connection(connection, "https" if protocol in OVER_TLS else "http", host)
    return Http1Connection(connection, host, close=close)


def shaken(connection: Connection) -> tuple[TlsConduct, Former | None]:
    if isinstance(connection, Http1Connection | Http2Connection):
        assert isinstance(connection.socket, ssl.SSLSocket)
        context, session = connection.socket.context, connection.socket.session
        return handshake(connection.socket), (context, session)
    return connection.tls(), connection.ticket


def rendered(handle: Handle, request: RequestSection) -> bytes:
    """The first bytes that a new connection sends for `request`."""
    if handle.protocol in HTTP_2:
        scheme = "https" if handle.protocol in OVER_TLS else "http"
        with Http2Connection(socket.socket(), scheme, handle.host) as unconnected:
            return unconnected.first_bytes(request)
    if isinstance(request, MessageSection):
        from bakeoff.verify import websocket

        return websocket.written(request, request.path, handle.host)
    return written(request, request.path, handle.host, close=handle.connection == "close")


def why(error: NoAnswer, address: str, protocol: Protocol) -> str:
    """The reason. Some TLS servers don't tell it to a client without TLS; for a server without
    HTTP/3, it is what it offers instead."""
    if isinstance(error, NoHandshake):
        elsewhere = _alternative(address)
        return f"{error}; {offered_over_tcp(address)}{elsewhere and f', and {elsewhere}'}"
    if isinstance(error, ClosedAtOnce) and protocol not in OVER_TLS and speaks_tls(address):
        return error.over_tls
    return str(error)


def _alternative(address: str) -> str:
    """Where a server says over TCP that it speaks HTTP/3 (Alt-Svc, RFC 7838); empty: it doesn't."""
    anybody = Tls(server_name=address.rpartition(":")[0].strip("[]"), insecure=True)
    protocols: tuple[Protocol, ...] = ("h2", "h1-tls")
    for protocol in protocols:
        try:
            with _open(address, protocol, anybody, address, READ_TIMEOUT_S, close=True) as opened:
                headers = opened.ask(GET, "/").headers
        except (NoAnswer, OSError):
            continue
        offered = ",".join(value for name, value in headers if name == "alt-svc")
        if found := re.search(r'(?:^|[\s,])h3="([^":]*):(\d{1,5})"', offered):
            host, port = found.groups()
            there = f"{host or address.rpartition(':')[0]}:{port}"
            return f"by Alt-Svc h3 at UDP {there}: give the URL https://{there}/"
    return ""


def answers(
    host: str,
    port: int,
    protocol: Protocol = "h1",
    tls: Tls | None = None,
    *,
    request: RequestSection = GET,
    close: bool = False,
) -> str | None:
    """None if the server gives a complete answer to `request`, else why it doesn't.

    A response that it can't serve yet (status 502, 503, 504) does not count as an answer.
    """
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        with _open(address, protocol, tls, address, READ_TIMEOUT_S, close) as connection:
            answer = connection.ask(request, request.path)
    except WrongAnswer as error:
        return str(error) if error.status in NOT_YET else None
    except NoAnswer as error:
        return why(error, address, protocol)
    except OSError as error:
        return error.strerror or str(error)
    right = request.expect.status if request.expect else 200
    waits = answer.status in NOT_YET and answer.status != right
    return f"it answers with status {answer.status}" if waits else None


_VERSION = 3 << 16
_STARTUP = b"user\0bench\0database\0postgres\0\0"
_PACKET = struct.pack("!II", 8 + len(_STARTUP), _VERSION) + _STARTUP
_REPLY_BYTES_MAX = 4096


def admits(host: str, port: int) -> str | None:
    """None if the database requests a new client's password, else why it doesn't."""
    reply = b""
    try:
        with socket.create_connection((host, port), READ_TIMEOUT_S) as connection:
            connection.settimeout(READ_TIMEOUT_S)
            connection.sendall(_PACKET)
            while piece := connection.recv(_REPLY_BYTES_MAX):
                reply += piece
                if reply[:1] == b"R" or len(reply) > _REPLY_BYTES_MAX:
                    break
    except OSError as error:
        if not reply:
            return error.strerror or str(error)
    if reply[:1] == b"R":
        return None
    return _fault(reply) if reply[:1] == b"E" else "it doesn't speak PostgreSQL's protocol"


def _fault(reply: bytes) -> str:
    """The message of an error: a letter, a length, and fields, each a letter and a text."""
    fields = reply[5:].split(b"\0")
    messages = (field[1:] for field in fields if field[:1] == b"M")
    return next(messages, b"it ended the connection").decode(errors="replace")
