"""One exchange over a socket: where an answer's head ends, and how long silence is waited for."""

import socket
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from h2.connection import H2Connection
from h2.events import Event, StreamEnded

from bakeoff.model.request import RequestSection
from bakeoff.verify.asking import Http1Connection
from bakeoff.verify.exchange import Answer, connect
from bakeoff.verify.http2 import Http2Connection
from tests.verify.protocols import Http2Server
from tests.verify.serving import serving

HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
BODY = b"Hello"


def asked(*pieces: bytes, timeout_s: float = 5.0) -> Answer:
    """The answer of a server that sends `pieces`, and then waits for another request."""

    def serve(connection: socket.socket) -> None:
        with connection:
            connection.recv(65536)
            for piece in pieces:
                connection.sendall(piece)
            connection.recv(65536)

    with serving(serve) as port, Http1Connection(connected(port, timeout_s), "x") as connection:
        return connection.ask(RequestSection(), "/")


def connected(port: int, timeout_s: float = 5.0) -> socket.socket:
    return connect(f"127.0.0.1:{port}", timeout_s)


def in_one_piece(interim: bytes) -> tuple[bytes, ...]:
    return (interim + HEAD + BODY,)


def in_two_pieces(interim: bytes) -> tuple[bytes, ...]:
    return (interim, HEAD + BODY)


@pytest.mark.parametrize("interim", [b"", HINTS, CONTINUE, CONTINUE + HINTS])
@pytest.mark.parametrize("cut", [in_one_piece, in_two_pieces])
def test_interim_heads_count_as_head_and_not_as_body(
    interim: bytes, cut: Callable[[bytes], tuple[bytes, ...]]
) -> None:
    answer = asked(*cut(interim))
    assert (answer.status, answer.headers) == (200, (("content-length", "5"),))
    assert answer.head_bytes == len(interim) + len(HEAD)
    assert len(answer.raw) - answer.head_bytes == len(answer.body) == 5


@dataclass
class SendsHints(Http2Server):
    """A server of HTTP/2 that sends an interim answer before each answer."""

    def _answer(self, server: H2Connection, event: Event, bodies: dict[int, bytes]) -> None:
        if isinstance(event, StreamEnded):
            server.send_headers(event.stream_id or 0, [(":status", "103"), ("link", "</a.css>")])
        super()._answer(server, event, bodies)


def over_http_2(server: Http2Server) -> Answer:
    with serving(server.serve) as port, Http2Connection(connected(port), "http", "x") as connection:
        return connection.ask(RequestSection(), "/")


def test_over_http_2_interim_heads_count_as_head_and_not_as_body() -> None:
    plain, hinted = over_http_2(Http2Server()), over_http_2(SendsHints())
    assert (hinted.status, hinted.headers, hinted.body) == (200, plain.headers, b"Hello")
    assert hinted.head_bytes > plain.head_bytes
    bodies = [len(each.raw) - each.head_bytes for each in (plain, hinted)]
    assert bodies == [9 + len(BODY)] * 2
