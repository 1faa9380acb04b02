"""One connection to a server in the protocol that it is asked over."""

import socket
import ssl
from typing import Literal, Self

from bakeoff.model.protocol import HTTP_2, OVER_TLS, Protocol, Tls
from bakeoff.model.receipt import Handle
from bakeoff.model.workload import RequestSection
from bakeoff.verify.exchange import (
    READ_TIMEOUT_S,
    SPEAKS_TLS,
    Answer,
    ClosedAtOnce,
    NoAnswer,
    connect,
    exchange,
    written,
)
from bakeoff.verify.http2 import Http2Connection
from bakeoff.verify.secure import secured, speaks_tls

GET = RequestSection()
NOT_YET = (502, 503, 504)
"""What gateways and servers answer while they are coming up."""


class Http1Connection:
    """One connection, established, for one request after another."""

    def __init__(self, connection: socket.socket, host: str, *, close: bool = False) -> None:
        self.socket, self._host, self._close = connection, host, close

    def ask(
        self,
        request: RequestSection,
        path: str,
        *,
        close: bool = False,
        version: Literal["1.1", "1.0"] = "1.1",
    ) -> Answer:
        close = close or self._close
        return exchange(self.socket, request, path, self._host, close=close, version=version)

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def transport(
    address: str,
    protocol: Protocol,
    tls: Tls | None,
    timeout_s: float,
    *,
    client: ssl.SSLContext | None = None,
    session: ssl.SSLSession | None = None,
) -> socket.socket:
    """A connection that bytes of HTTP can be sent on. Raises `NoAnswer`, OSError."""
    connection = connect(address, timeout_s)
    if protocol not in OVER_TLS:
        return connection
    assert tls, "a server over TLS has somebody to believe it by"
    return secured(connection, tls, protocol, client=client, session=session)


def opened(
    handle: Handle,
    timeout_s: float = READ_TIMEOUT_S,
    *,
    client: ssl.SSLContext | None = None,
    session: ssl.SSLSession | None = None,
) -> Http1Connection | Http2Connection:
    """A connection to a server, with its TLS where it has one. Raises `NoAnswer`, OSError.

    The `session` of an earlier connection is resumed by the `client` that this one had.
    """
    connection = transport(
        handle.address, handle.protocol, handle.tls, timeout_s, client=client, session=session
    )
    return _speaking(handle.protocol, connection, handle.host, handle.connection == "close")


def _speaking(
    protocol: Protocol, connection: socket.socket, host: str, close: bool
) -> Http1Connection | Http2Connection:
    if protocol in HTTP_2:
        return Http2Connection(connection, "https" if protocol in OVER_TLS else "http", host)
    return Http1Connection(connection, host, close=close)


def rendered(handle: Handle, request: RequestSection) -> bytes:
    """The first bytes that a new connection sends for `request`."""
    if handle.protocol in HTTP_2:
        scheme = "https" if handle.protocol in OVER_TLS else "http"
        with Http2Connection(socket.socket(), scheme, handle.host) as unconnected:
            return unconnected.first_bytes(request)
    return written(request, request.path, handle.host, close=handle.connection == "close")


def why(error: NoAnswer, address: str, protocol: Protocol) -> str:
    """The reason, which some servers of TLS don't tell to a client without it."""
    closed = isinstance(error, ClosedAtOnce) and protocol not in OVER_TLS
    return SPEAKS_TLS if closed and speaks_tls(address) else str(error)


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

    What says that it can't serve yet (status 502, 503, 504) is not taken for an answer.
    """
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        with transport(address, protocol, tls, READ_TIMEOUT_S) as connection:
            answer = _speaking(protocol, connection, address, close).ask(request, request.path)
    except NoAnswer as error:
        return why(error, address, protocol)
    except OSError as error:
        return error.strerror or str(error)
    right = request.expect.status if request.expect else 200
    waits = answer.status in NOT_YET and answer.status != right
    return f"it answers with status {answer.status}" if waits else None
