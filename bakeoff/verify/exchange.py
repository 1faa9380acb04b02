"""HTTP exchanges over a plain socket, byte for byte, read with h11."""

import gzip
import socket
import time
import zlib
from dataclasses import dataclass, field
from typing import Literal

import h11

from bakeoff.model.errors import BakeoffError
from bakeoff.model.request import RequestSection

READ_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 10.0
"""The limit for a whole answer, however steadily it comes."""
RESPONSE_BYTES_MAX = 16 * 1024 * 1024
SPEAKS_TLS = "its port speaks TLS; give its https:// URL, or --protocol h1-tls or h2 to a command"
WEBSOCKET_OVER_TLS = "its port speaks TLS; give its wss:// URL, or --protocol h1-tls to a command"
TLS_RECORDS = (b"\x15\x03", b"\x16\x03")
"""The first bytes of what a server sends over TLS."""


class NoAnswer(BakeoffError):
    """No valid HTTP answer came; the message says what came instead. `came` is the received part of
    the answer, once its head was complete."""

    came: "Answer | None" = None


class NoHandshake(NoAnswer):
    """QUIC made no connection; over TCP the server may offer another protocol."""


class WrongAnswer(NoAnswer):
    """Another answer came, with this status if it has one: waiting doesn't help."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ClosedAtOnce(NoAnswer):
    """The connection was closed before the first byte of an answer. `over_tls` is the reason if its
    port speaks TLS."""

    over_tls = SPEAKS_TLS


class UpgradeClosedAtOnce(ClosedAtOnce):
    """The same, for an answer to an upgrade to WebSocket."""

    over_tls = WEBSOCKET_OVER_TLS


@dataclass(frozen=True)
class Answer:
    """One response: `raw` is all of it as received, names in `headers` are in lower case.

    `head_bytes` counts everything before the body: the heads of interim answers (100, 103), too.
    `asked_ns` is when its request was sent, `received_ns` when each piece of it was received.
    `body_came` has each time at which a part of the body had come, and its bytes until then.
    """

    raw: bytes
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    head_bytes: int
    keeps_alive: bool
    asked_ns: int
    received_ns: tuple[int, ...]
    body_came: tuple[tuple[int, int], ...] = ()
    trailers: tuple[tuple[str, str], ...] = ()

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")

    @property
    def content(self) -> bytes:
        """The body, decompressed if it is compressed. Raises `NoAnswer`."""
        if self.header("content-encoding").lower() != "gzip":
            return self.body
        try:
            return gzip.decompress(self.body)
        except (OSError, EOFError, zlib.error) as error:
            raise NoAnswer(f"its body is not gzip, as its head says ({error})") from None


def connect(address: str, timeout_s: float = READ_TIMEOUT_S) -> socket.socket:
    """A connection to `host:port`, a numeric address. Raises OSError."""
    host, _, port = address.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=timeout_s)


def exchange(
    connection: socket.socket,
    request: RequestSection,
    path: str,
    host: str,
    *,
    close: bool,
    version: Literal["1.1", "1.0"] = "1.1",
) -> Answer:
    """Send one request on an open connection. Raises `NoAnswer`."""
    client = h11.Connection(our_role=h11.CLIENT)
    message = _written(client, request, path, host, close=close, version=version)
    asked_ns = time.monotonic_ns()
    sent(connection, message)
    answer = _read(client, connection, asked_ns)
    _check_no_more(client.trailing_data[0])
    return answer


def _check_no_more(rest: bytes) -> None:
    if rest:
        raise NoAnswer(f"it answers twice: {len(rest)} bytes came that belong to no request")


def written(request: RequestSection, path: str, host: str, *, close: bool) -> bytes:
    client = h11.Connection(our_role=h11.CLIENT)
    return _written(client, request, path, host, close=close, version="1.1")


def ahead(
    connection: socket.socket, request: RequestSection, path: str, host: str, depth: int
) -> list[Answer]:
    """Send `depth` requests at once on an open connection, and read the answers in order.

    Raises `NoAnswer`, which says how many came.
    """
    clients = [h11.Connection(our_role=h11.CLIENT) for _ in range(depth)]
    messages = [_written(each, request, path, host, close=False, version="1.1") for each in clients]
    asked_ns = time.monotonic_ns()
    sent(connection, b"".join(messages))
    answers: list[Answer] = []
    rest = b""
    for client in clients:
        try:
            answers.append(_read(client, connection, asked_ns, rest))
        except NoAnswer as error:
            came = f"{len(answers)} of {depth} requests that were sent ahead were answered"
            raise NoAnswer(f"{came}: {error}") from None
        rest = client.trailing_data[0]
    _check_no_more(rest)
    return answers


def _written(
    client: h11.Connection,
    request: RequestSection,
    path: str,
    host: str,
    *,
    close: bool,
    version: Literal["1.1", "1.0"],
) -> bytes:
    """The request's bytes; `client` then counts it as sent.

    An HTTP/1.0 client must request that the connection is kept, which is the default of HTTP/1.1.
    """
    body = request.content
    headers = [("Host", host), *request.headers.items()]
    if body or request.posts:
        headers.append(("Content-Length", str(len(body))))
    if close:
        headers.append(("Connection", "close"))
    elif version == "1.0":
        headers.append(("Connection", "keep-alive"))
    encoded = [(name.encode(), value.encode()) for name, value in headers]
    message = client.send(h11.Request(method=request.method, target=path, headers=encoded)) or b""
    message += (client.send(h11.Data(data=body)) or b"") if body else b""
    message += client.send(h11.EndOfMessage()) or b""
    # h11 writes only 1.1, and reads answers of either version.
    return message.replace(b" HTTP/1.1\r\n", f" HTTP/{version}\r\n".encode(), 1)


def sent(connection: socket.socket, message: bytes) -> None:
    """Send all of it. Raises `NoAnswer`."""
    try:
        connection.sendall(message)
    except OSError as error:
        raise NoAnswer(f"the request could not be written: {error.strerror or error}") from None


@dataclass
class Coming:
    """The received part of an answer; without a head its status is None."""

    asked_ns: int
    raw: bytearray = field(default_factory=bytearray)
    received_ns: list[int] = field(default_factory=list)
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    trailers: tuple[tuple[str, str], ...] = ()
    head_bytes: int = 0
    body: bytearray = field(default_factory=bytearray)
    body_came: list[tuple[int, int]] = field(default_factory=list)

    def take(self, piece: bytes) -> None:
        """The next piece of the body. Raises `NoAnswer` if it is longer than the limit."""
        self.body += piece
        at_ns = self.received_ns[-1] if self.received_ns else self.asked_ns
        self.body_came.append((at_ns, len(self.body)))
        if len(self.body) > RESPONSE_BYTES_MAX:
            raise NoAnswer(f"its body is over {RESPONSE_BYTES_MAX} bytes")

    def answer(self, *, keeps_alive: bool = False) -> Answer | None:
        if self.status is None:
            return None
        return Answer(
            raw=bytes(self.raw),
            status=self.status,
            headers=self.headers,
            body=bytes(self.body),
            head_bytes=self.head_bytes,
            keeps_alive=keeps_alive,
            asked_ns=self.asked_ns,
            received_ns=tuple(self.received_ns),
            body_came=tuple(self.body_came),
            trailers=self.trailers,
        )


def _read(
    client: h11.Connection, connection: socket.socket, asked_ns: int, came: bytes = b""
) -> Answer:
    """The next answer, of which `came` was received before."""
    coming = Coming(asked_ns, bytearray(came))
    if came:
        client.receive_data(came)
    try:
        ended = _read_on(client, connection, coming)
    except NoAnswer as error:
        error.came = coming.answer()
        raise
    answer = coming.answer(keeps_alive=client.their_state is h11.DONE and not ended)
    assert answer
    return answer


def _read_on(client: h11.Connection, connection: socket.socket, coming: Coming) -> bool:
    """Reads to the answer's end; returns whether the connection ended, too."""
    raw, ended = coming.raw, False
    while True:
        try:
            event = client.next_event()
        except h11.RemoteProtocolError as error:
            if ended and coming.status is not None:
                raise NoAnswer("the connection was closed in the middle of its answer") from None
            raise NoAnswer(_no_http(bytes(raw[:80]), error)) from None
        if event is h11.NEED_DATA:
            data = received(connection, bool(raw), coming.asked_ns)
            if not raw and not data:
                raise ClosedAtOnce("the connection was closed before an answer came")
            raw += data
            coming.received_ns += [time.monotonic_ns()] if data else []
            ended = not data
            client.receive_data(data)
        elif isinstance(event, h11.Response):
            coming.status = event.status_code
            coming.headers = tuple(
                (name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers
            )
            coming.head_bytes = len(raw) - len(client.trailing_data[0])
        elif isinstance(event, h11.Data):
            coming.take(event.data)
        elif isinstance(event, h11.EndOfMessage):
            return ended


def _no_http(begins: bytes, error: Exception) -> str:
    if begins.startswith(TLS_RECORDS):
        return SPEAKS_TLS
    # An HTTP/2 server begins with SETTINGS, a frame that is shorter than 256 bytes.
    if begins.startswith(b"\x00\x00"):
        return "it answers HTTP/1.1 with HTTP/2: use --protocol h2c or h2"
    # h11 quotes the received bytes as Python writes them.
    why = str(error).partition(": bytearray(")[0]
    return f"its answer is not HTTP ({why}); it begins {begins!r}"


def received(connection: socket.socket, began: bool, asked_ns: int) -> bytes:
    if time.monotonic_ns() - asked_ns > ANSWER_TIMEOUT_S * 1e9:
        raise NoAnswer(f"its answer had not ended after {ANSWER_TIMEOUT_S:g} s")
    try:
        return connection.recv(65536)
    except TimeoutError:
        what = "its answer stopped in the middle" if began else "it did not answer the request"
        raise NoAnswer(f"{what}: no bytes within {connection.gettimeout():g} s") from None
    except OSError as error:
        raise NoAnswer(f"the connection broke: {error.strerror or error}") from None
