"""Servers that don't answer as they should: what verification says of them."""

import gzip
import socket
import struct
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat

from bakeoff.start.certificate import make_certificate
from bakeoff.verify import exchange
from tests.messages.case import Case, Scene, Section, Situation, case
from tests.messages.worlds import real
from tests.verify.protocols import Http2Server, secure, serve_http_1
from tests.verify.serving import Serve, serving
from tests.verify.websockets import echoing, frame

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello"
TIMEOUT_S = 0.2


def server(serve: Serve) -> Situation:
    """Port PORT has a server that does so with each connection."""

    def situation(scene: Scene) -> None:
        real(scene)
        scene.stands_for["PORT"] = str(scene.until_end.enter_context(serving(serve)))

    return situation


def answers(*each: bytes, then: str = "") -> Situation:
    """It answers its requests so, all others as the last one; `then` it closes or resets."""

    def serve(connection: socket.socket) -> None:
        with connection, suppress(ConnectionResetError):
            for answer in chain(each, repeat(each[-1])):
                if not connection.recv(65536):
                    return
                connection.sendall(answer)
                if then:
                    _drained(connection)
                if then == "resets":
                    linger = struct.pack("ii", 1, 0)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                if then:
                    return

    return server(serve)


def _drained(connection: socket.socket) -> None:
    """All that is sent is read, so that the client finds out when it reads, not when it writes."""
    connection.settimeout(0.05)
    with suppress(TimeoutError):
        while connection.recv(65536):
            pass


def tls(alpn: tuple[str, ...], serve: Serve = serve_http_1) -> Situation:
    """The same behind TLS, with a certificate that `root.pem` signed."""

    def situation(scene: Scene) -> None:
        certificate = make_certificate(scene.folder.parent / "tls")
        scene.write("root.pem", certificate.ca_pem)
        server(secure(serve, certificate, alpn))(scene)

    return situation


def tls_alone(scene: Scene) -> None:
    """It closes what doesn't begin as TLS does, without a word, as Node's."""
    secured = secure(serve_http_1, make_certificate(scene.folder.parent / "tls"), ())

    def serve(connection: socket.socket) -> None:
        if connection.recv(1, socket.MSG_PEEK) == b"\x16":
            secured(connection)
        else:
            with connection:
                _drained(connection)

    server(serve)(scene)


def other_root(scene: Scene) -> None:
    scene.write("root.pem", make_certificate(scene.folder.parent / "other").ca_pem)


def impatient(scene: Scene) -> None:
    """An answer is waited for a fifth of a second."""
    connect = socket.create_connection

    def hasty(address: tuple[str, int], timeout: float = TIMEOUT_S) -> socket.socket:
        return connect(address, min(timeout, TIMEOUT_S))

    scene.patch.setattr(socket, "create_connection", hasty)


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


def body(text: bytes, *lines: str) -> bytes:
    return head(f"Content-Length: {len(text)}", *lines) + text


def _short(scene: Scene) -> None:
    scene.patch.setattr(exchange, "RESPONSE_BYTES_MAX", 4)


def _hasty(scene: Scene) -> None:
    scene.patch.setattr(exchange, "ANSWER_TIMEOUT_S", 0.0)


def events(*ids: int | str, more: bytes = b"", kind: str = "text/event-stream") -> bytes:
    """An answer of events with these ids, and what comes behind them."""
    numbered = b"".join(f"id: {own}\ndata: {own}\n\n".encode() for own in ids)
    return body(numbered + more, f"Content-Type: {kind}")


def later(right: int, wrong: bytes) -> Situation:
    """It answers rightly so many times."""
    count = iter([OK] * right)

    def serve(connection: socket.socket) -> None:
        with connection:
            while connection.recv(65536):
                connection.sendall(next(count, wrong))

    return server(serve)


def _bad_frame(connection: socket.socket) -> None:
    settings, ping = b"\0\0\0\4\0\0\0\0\0", b"\0\0\1\6\0\0\0\0\0x"
    with connection:
        connection.recv(65536)
        connection.sendall(settings + ping)
        connection.recv(65536)


def _half(connection: socket.socket) -> None:
    settings, headers = b"\0\0\0\4\0\0\0\0\0", b"\0\0\1\1\4\0\0\0\1\x88"
    with connection:
        connection.recv(65536)
        connection.sendall(settings + headers)
        _drained(connection)


TAKES_TLS = head("Content-Length: 26", status="400 Bad Request") + b"this port is one of HTTPS."
NOT_FOUND = head("Content-Length: 0", status="404 Not Found")
URL = "race http://127.0.0.1:PORT/"
H2C = f"{URL} --protocol h2c"
H2 = "race https://127.0.0.1:PORT/ --ca root.pem --protocol h2"
DEFLATE = "Sec-WebSocket-Extensions: permessage-deflate\r\n"
WS = "race ws://127.0.0.1:PORT/ --message Hello"
OTHER_KEY = head(
    *("Upgrade: websocket", "Connection: Upgrade"),
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    status="101 Switching Protocols",
)
LONG = b"\x81\x7f" + (2**20 + 1).to_bytes(8) + bytes(2**20 + 1)
CUT = frame(0x01, b"Hel") + frame(0x88, b"\x03\xe8")
JSON = '{"id": "number"}'
CHAIN = """\
name = "chain"
[[once]]
path = "/login"
take = { token = "json /token" }
[[request]]
path = "/{{token}}"
"""
TICKS = """\
name = "ticks"
[request]
path = "/"
[expect]
events = { count = 3, ids = "consecutive", last = "3", gap_ms = 100 }
"""
MIX = 'name = "mix"\n' + "".join(f'[[request]]\npath = "/{n}"\n' for n in range(8))


def _raced(*cases: Case) -> tuple[Case, ...]:
    return tuple(replace(case, typed=f"{case.typed} --no-twin -d 1 --seed 1") for case in cases)


SECTION = Section(
    "Wrong answers",
    _raced(
        case(URL, "nobody listens on PORT", real, lambda scene: scene.stands_for.update(PORT="1")),
        case(
            URL, "it answers with status 503", answers(head("Content-Length: 0", status="503 Busy"))
        ),
        case(URL, "it closes the connection without an answer", answers(b"", then="closes")),
        case(URL, "it resets the connection", answers(b"", then="resets")),
        case(URL, "it never answers (and the timeout is 0.2 s)", answers(b""), impatient),
        case(URL, "its answer never ends (and the timeout is 0.2 s)", answers(OK[:-1]), impatient),
        case(URL, "its answer is cut off", answers(OK[:-1], then="closes")),
        case(URL, "it answers `hello`", answers(b"hello\r\n\r\n")),
        case(URL, "it answers twice", answers(OK + OK)),
        case(
            URL,
            "it answers a second request with status 500",
            answers(OK, head("Content-Length: 0", status="500 X")),
        ),
        case(
            f"{URL} --pipeline 4",
            "it answers the first of several requests",
            answers(OK + b"", then=""),
            impatient,
        ),
        case(
            f"{URL} --expect-length 5", "its body is longer than bakeoff takes", answers(OK), _short
        ),
        # Its twin would take some. The fourth and later ones go to two connections at a time.
        case(f"{URL} --no-twin", "it answers 404 after some right answers", later(3, NOT_FOUND)),
        case(URL, "it answers with status 400 that its port takes HTTPS", answers(TAKES_TLS)),
        case(f"{URL} --expect-body Hi", "it answers with an empty body", answers(body(b""))),
        case(URL, "it speaks TLS", tls(("http/1.1",))),
        case(URL, "it speaks TLS, and closes other connections without a word", tls_alone),
        case(URL, "it speaks HTTP/2 alone", server(Http2Server().serve)),
        *(
            case(f"{URL} {words}", given, answers(reply))
            for words, given, reply in (
                ("--expect-body Hi", "it answers Hello", OK),
                (f"--expect-sha256 {'0' * 64}", "it answers Hello", OK),
                ("--expect-length 6", "it answers Hello", OK),
                ("--expect-length 6-9", "it answers Hello", OK),
                ("--expect-contains Hi", "it answers Hello", OK),
                ("--expect-match ^Hi", "it answers Hello", OK),
                (f"--expect-json '{JSON}'", "it answers Hello", OK),
                (f"--expect-json '{JSON}'", '{"id": "7"} is its answer', body(b'{"id": "7"}')),
                (f"--expect-json '{JSON}'", "{} is its answer", body(b"{}")),
                (f"--expect-json '{JSON}'", "[] is its answer", body(b"[]")),
                ("--expect-json '[\"number\"]'", "{} is its answer", body(b"{}")),
                ("--expect-json '[\"number\"]'", '[1, "2"] is its answer', body(b'[1, "2"]')),
                ("--expect-header 'content-type: text/html'", "it has no Content-Type", OK),
                (
                    "--expect-contains Hello",
                    "its answer is compressed",
                    body(gzip.compress(b"Hello"), "Content-Encoding: gzip"),
                ),
                (
                    "--expect-body Hello",
                    "it says gzip, and is not",
                    body(b"Hello", "Content-Encoding: gzip"),
                ),
            )
        ),
        case(URL, "its answer takes longer than it is given", answers(OK), _hasty),
        *(
            case(f"{URL} --workload ticks.toml", given, answers(reply))
            for given, reply in (
                ("it sends no stream of events", events(1, 2, 3, kind="text/plain")),
                (
                    "its events are compressed",
                    body(b"", "Content-Type: text/event-stream", "Content-Encoding: gzip"),
                ),
                ("it sends comments alone", events(more=b": still here\n\n" * 2)),
                ("it sends two of three events", events(1, 2)),
                ("it sends four events for three", events(1, 2, 3, 4)),
                ("its second event is not UTF-8", events(1, more=b"data: \xe2\n\n")),
                ("its third event has no end", events(1, 2, more=b"data: 3")),
                ("its second event has no id", events(1, more=b"data: 2\n\n")),
                ("its second event has the id x", events(1, "x")),
                ("it loses an event", events(1, 3)),
                ("it sends an event twice", events(1, 2, 2)),
                ("it sends events out of order", events(1, 3, 2)),
                ("its last event is another one", events(0, 1, 2)),
            )
        ),
        case(
            f"{URL} --workload ticks.toml",
            "its stream stops (and the timeout is 0.2 s)",
            answers(events(1, 2, 3)[:-1]),
            impatient,
        ),
        case(f"{URL} --workload chain.toml", "its answer to /login has no token", answers(OK)),
        case(f"{URL} --workload chain.toml", "it answers /login with 404", answers(NOT_FOUND)),
        case(
            f"{URL} --workload chain.toml", "it closes the connection", answers(b"", then="closes")
        ),
        case(f"{URL} --workload mix.toml", "it answers everything with 404", answers(NOT_FOUND)),
        *(
            case(WS, given, server(serve))
            for given, serve in (
                ("it answers the upgrade with status 200", echoing(upgrade=OK)),
                ("it says that its port takes HTTPS", echoing(upgrade=TAKES_TLS)),
                ("its answer to the upgrade belongs to another key", echoing(upgrade=OTHER_KEY)),
                ("it echoes Hallo", echoing(lambda _: frame(0x81, b"Hallo"))),
                ("it echoes binary data", echoing(lambda _: frame(0x82, b"Hello"))),
                ("it echoes more than 1 MiB", echoing(lambda _: LONG)),
                ("it echoes twice", echoing(lambda echo: echo * 2)),
                ("its frame has a reserved bit", echoing(lambda _: frame(0xC1, b"Hello"))),
                ("it closes with a reason", echoing(lambda _: frame(0x88, b"\x03\xf3full"))),
                ("it closes with the code 1099", echoing(lambda _: frame(0x88, b"\x04\x4b"))),
                ("it closes the connection", echoing(lambda _: b"")),
                ("it closes in a fragment", echoing(lambda _: CUT)),
            )
        ),
        *(
            case(f"{WS} --compression", given, server(serve))
            for given, serve in (
                ("it agrees to no compression", echoing(agreed="")),
                ("it agrees to a context, too", echoing(agreed=DEFLATE)),
                ("it echoes uncompressed", echoing(lambda _: frame(0x81, b"Hello"))),
            )
        ),
        case(
            f"{WS} --room 4 -c 4",
            "it passes a message on to its sender alone (and the timeout is 0.2 s)",
            server(echoing()),
            impatient,
        ),
        case(WS, "it speaks TLS", tls(("http/1.1",))),
        case(H2C, "it speaks HTTP/1 alone", server(serve_http_1)),
        case(H2C, "it speaks TLS", tls(("h2",))),
        case(H2C, "it closes the connection", answers(b"", then="closes")),
        case(H2C, "it answers `hello`", answers(b"hello, hello\r\n\r\n")),
        case(H2C, "it sends a frame that HTTP/2 doesn't allow", server(_bad_frame)),
        case(
            f"{H2C} --expect-length 5",
            "its body is longer than bakeoff takes",
            server(Http2Server().serve),
            _short,
        ),
        case(H2C, "it closes the connection in the middle of its answer", server(_half)),
        case(H2C, "it resets the request's stream", server(Http2Server(refuses=True).serve)),
        case(
            H2C, "it ends the connection with GOAWAY", server(Http2Server(says_goodbye=True).serve)
        ),
        case(H2, "its certificate is another root's", tls(("h2",)), other_root),
        case(H2, "it speaks HTTP/1 alone, over TLS", tls(("http/1.1",))),
        case(H2, "it knows no ALPN", tls(())),
        case(H2, "it speaks no TLS", server(serve_http_1), other_root),
        case(H2, "it closes the connection", answers(b"", then="closes"), other_root),
        case(
            H2, "it never answers (and the timeout is 0.2 s)", answers(b""), other_root, impatient
        ),
    ),
    files={"chain.toml": CHAIN, "ticks.toml": TICKS, "mix.toml": MIX, "root.pem": ""},
    # Without what a race says before it has a fault to tell.
    shows="^bakeoff: |^  ",
)
