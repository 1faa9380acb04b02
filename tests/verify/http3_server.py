"""A server of HTTP/3 of these tests' own, by the server's half of aioquic."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.h3.connection import ErrorCode, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated, QuicEvent
from aioquic.quic.packet import QuicProtocolVersion
from aioquic.tls import SessionTicket

from bakeoff.model.protocol import Certificate
from tests.verify.protocols import BODY, FIELDS

Answer = Callable[["Http3", int, bytes], None]


class Http3(QuicConnectionProtocol):
    """One connection, whose requests are answered by `answer`."""

    answer: Answer
    http: H3Connection | None = None

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, ProtocolNegotiated) and event.alpn_protocol == "h3":
            self.http, self.bodies = H3Connection(self._quic), dict[int, bytes]()
        for each in self.http.handle_event(event) if self.http else ():
            if isinstance(each, HeadersReceived | DataReceived):
                data = each.data if isinstance(each, DataReceived) else b""
                self.bodies[each.stream_id] = self.bodies.get(each.stream_id, b"") + data
                if each.stream_ended:
                    self.answer(self, each.stream_id, self.bodies.pop(each.stream_id))
                    self.transmit()

    def send(self, stream: int, body: bytes, ending: bytes = b"") -> None:
        assert self.http
        fields = [(name.encode(), value.encode()) for name, value in FIELDS]
        self.http.send_headers(stream, fields)
        self.http.send_data(stream, body, end_stream=not ending)
        if ending:
            self._quic.send_stream_data(stream, ending, end_stream=True)

    def update_keys(self) -> None:
        self._quic.request_key_update()

    def reset(self, stream: int) -> None:
        self._quic.reset_stream(stream, ErrorCode.H3_REQUEST_REJECTED)

    def end(self, reason: str) -> None:
        self._quic.close(ErrorCode.H3_EXCESSIVE_LOAD, reason_phrase=reason)


def good(connection: Http3, stream: int, _: bytes) -> None:
    connection.send(stream, BODY)


@contextmanager
def http_3(
    certificate: Certificate,
    answer: Answer = good,
    alpn: Sequence[str] = ("h3",),
    version: int = QuicProtocolVersion.VERSION_1,
    *,
    resumes: bool = True,
    retries: bool = False,
    forgets: int = 0,
) -> Iterator[int]:
    """The port of a server; by default a good one.

    `retries`: it answers the first datagrams with Retry. `forgets`: of so many sessions it has
    forgotten one.
    """
    settings = QuicConfiguration(is_client=False, alpn_protocols=list(alpn))
    settings.supported_versions = [version]
    settings.load_cert_chain(certificate.cert, certificate.key)
    tickets: dict[bytes, SessionTicket] = {}
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    class Own(Http3):
        def __init__(self, *args: object, **more: object) -> None:
            super().__init__(*args, **more)  # type: ignore[arg-type]
            self.answer = answer

    def keep(ticket: SessionTicket) -> None:
        tickets[ticket.ticket] = ticket

    asked = 0

    def fetch(ticket: bytes) -> SessionTicket | None:
        nonlocal asked
        asked += 1
        return None if forgets and asked % forgets == 0 else tickets.get(ticket)

    up, loop = threading.Event(), asyncio.new_event_loop()

    def run() -> None:
        serving = serve(
            "127.0.0.1",
            port,
            configuration=settings,
            create_protocol=Own,
            session_ticket_fetcher=fetch if resumes else None,
            session_ticket_handler=keep if resumes else None,
            retry=retries,
        )
        server = loop.run_until_complete(serving)
        up.set()
        loop.run_forever()
        server.close()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert up.wait(5)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


@contextmanager
def silent(_: Certificate) -> Iterator[int]:
    with socket.socket(type=socket.SOCK_DGRAM) as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@contextmanager
def closed(_: Certificate) -> Iterator[int]:
    with silent(_) as port:
        pass
    yield port


@contextmanager
def of_another_alpn(run: Certificate) -> Iterator[int]:
    with http_3(run, alpn=("hq-interop",)) as port:
        yield port
