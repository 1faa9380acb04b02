"""One connection to a server in the protocol that it is asked over."""

import socket
import ssl
from typing import Literal, Self

from bakeoff.model.protocol import HTTP_2, OVER_TLS, Protocol, Tls
from bakeoff.model.receipt import Handle
from bakeoff.model.workload import RequestSection
from bakeoff.verify.exchange import READ_TIMEOUT_S, Answer, NoAnswer, connect, exchange
from bakeoff.verify.http2 import Http2Connection
from bakeoff.verify.secure import secured


class Http1Connection:
    """One connection, established, for one request after another."""

    def __init__(self, connection: socket.socket, host: str) -> None:
        self.socket, self._host = connection, host

    def ask(
        self,
        request: RequestSection,
        path: str,
        *,
        close: bool = False,
        version: Literal["1.1", "1.0"] = "1.1",
    ) -> Answer:
        """One request, one answer. Raises `NoAnswer`."""
        return exchange(self.socket, request, path, self._host, close=close, version=version)

    def close(self) -> None:
        """Close the socket."""
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
    return _speaking(handle.protocol, connection, handle.host)


def _speaking(
    protocol: Protocol, connection: socket.socket, host: str
) -> Http1Connection | Http2Connection:
    if protocol in HTTP_2:
        return Http2Connection(connection, "https" if protocol in OVER_TLS else "http", host)
    return Http1Connection(connection, host)


def answers(host: str, port: int, protocol: Protocol = "h1", tls: Tls | None = None) -> str | None:
    """None if the server gives any complete HTTP answer to GET /, else why it doesn't."""
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    request = RequestSection()
    try:
        with transport(address, protocol, tls, timeout_s=1.0) as connection:
            _speaking(protocol, connection, address).ask(request, "/", close=True)
    except NoAnswer as error:
        return str(error)
    except OSError as error:
        return f"can't be connected to: {error.strerror or error}"
    return None
