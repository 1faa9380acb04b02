"""Servers of these tests: HTTP/2 by the server's half of h2, TLS around either by Python's own."""

import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, Event, RequestReceived, StreamEnded
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes

from bakeoff.model.plan import Entry
from bakeoff.model.protocol import ALPN, HTTP_2, OVER_TLS, Certificate, Protocol, Tls
from bakeoff.model.receipt import Handle
from bakeoff.model.request import ExpectSection
from bakeoff.model.workload import Workload
from bakeoff.start import certificate as certificates
from bakeoff.start.certificate import make_certificate
from tests.verify.serving import handle_and_entry, serving

HELLO = Workload(
    name="hello",
    title="",
    expect=ExpectSection(body="Hello", headers={"content-type": "text/plain"}),
)

BODY = b"Hello"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\n"
ALERT = b"\x15\x03\x03\x00\x02\x02\x46"
FIELDS = (
    (":status", "200"),
    ("content-type", "text/plain"),
    ("content-length", "5"),
    ("date", "Mon, 23 Nov 2026 02:00:00 GMT"),
)


@dataclass
class Http2Server:
    """A server of HTTP/2; by default a good one. `seen` has the bodies of its requests."""

    settings: dict[SettingCodes | int, int] = field(default_factory=dict)
    refuses: bool = False
    says_goodbye: bool = False
    body: bytes = BODY
    seen: list[bytes] = field(default_factory=list)

    def serve(self, connection: socket.socket) -> None:
        with connection:
            server = H2Connection(H2Configuration(client_side=False))
            server.initiate_connection()
            server.update_settings(self.settings)
            connection.sendall(server.data_to_send())
            bodies: dict[int, bytes] = {}
            try:
                while data := connection.recv(65536):
                    for event in server.receive_data(data):
                        self._answer(server, event, bodies)
                    connection.sendall(server.data_to_send())
            except (ProtocolError, OSError):
                return

    def _answer(self, server: H2Connection, event: Event, bodies: dict[int, bytes]) -> None:
        if isinstance(event, RequestReceived):
            bodies[event.stream_id or 0] = b""
        elif isinstance(event, DataReceived):
            stream = event.stream_id or 0
            bodies[stream] += event.data or b""
            server.acknowledge_received_data(event.flow_controlled_length or 0, stream)
        elif isinstance(event, StreamEnded):
            stream = event.stream_id or 0
            self.seen.append(bodies.pop(stream))
            if self.refuses:
                server.reset_stream(stream, error_code=7)
            elif self.says_goodbye:
                server.close_connection(error_code=11, last_stream_id=0)
            else:
                server.send_headers(stream, list(FIELDS))
                server.send_data(stream, self.body, end_stream=True)


def serve_http_1(connection: socket.socket) -> None:
    """Answer whatever comes, as a server of HTTP/1.1; HTTP/2's preface with 400."""
    with connection, suppress(OSError):
        while request := connection.recv(65536):
            if request.startswith(b"PRI "):
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
                return
            connection.sendall(HEAD + BODY)
            if b"onnection: close" in request:
                return


def secure(
    serve: Callable[[socket.socket], None],
    certificate: Certificate,
    alpn: Sequence[str],
    tickets: int = 2,
) -> Callable[[socket.socket], None]:
    """The same behind TLS, which agrees on one of `alpn`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.cert, certificate.key)
    context.num_tickets = tickets
    if alpn:
        context.set_alpn_protocols(list(alpn))

    def serve_securely(connection: socket.socket) -> None:
        if connection.recv(1, socket.MSG_PEEK) != b"\x16":
            # As most libraries do; Python's own closes before its alert is read.
            with connection:
                connection.recv(65536)
                connection.sendall(ALERT)
            return
        try:
            wrapped = context.wrap_socket(connection, server_side=True)
        except OSError:
            connection.close()
            return
        try:
            serve(wrapped)
        except OSError:
            wrapped.close()

    return serve_securely


@contextmanager
def a_server(
    protocol: Protocol,
    certificate: Certificate,
    serve: Callable[[socket.socket], None] | None = None,
    alpn: Sequence[str] | None = None,
    tickets: int = 2,
) -> Iterator[int]:
    """The port of a server that speaks `protocol`, a good one by default."""
    serve = serve or (Http2Server().serve if protocol in HTTP_2 else serve_http_1)
    if protocol in OVER_TLS:
        names = [ALPN[protocol]] if alpn is None else alpn
        serve = secure(serve, certificate, names, tickets)
    with serving(serve) as port:
        yield port


def asked(port: int, protocol: Protocol, tls: Tls | None) -> tuple[Handle, Entry]:
    """A server on `port`, as it is asked over `protocol`."""
    handle, entry = handle_and_entry("x", port)
    trust = tls if protocol in OVER_TLS else None
    return handle.model_copy(update={"protocol": protocol, "tls": trust}), entry


def expired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Certificate, Tls]:
    monkeypatch.setattr(certificates, "_VALID", timedelta(hours=-1))
    made = make_certificate(tmp_path)
    return made, made.client


def of_another_name(tmp_path: Path, _: pytest.MonkeyPatch) -> tuple[Certificate, Tls]:
    made = make_certificate(tmp_path)
    return made, made.client.model_copy(update={"server_name": "example.org"})


def of_another_root(tmp_path: Path, _: pytest.MonkeyPatch) -> tuple[Certificate, Tls]:
    return make_certificate(tmp_path / "a"), make_certificate(tmp_path / "b").client
