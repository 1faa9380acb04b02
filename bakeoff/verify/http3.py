"""HTTP/3 exchanges over a UDP socket, by aioquic, which does no I/O."""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass

from aioquic.buffer import Buffer, BufferReadError  # type: ignore[attr-defined]
from aioquic.h3.connection import ErrorCode, FrameType, H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import (
    ConnectionTerminated,
    HandshakeCompleted,
    QuicEvent,
    StreamDataReceived,
    StreamReset,
)
from aioquic.quic.packet import QuicErrorCode, QuicProtocolVersion
from aioquic.tls import AlertDescription, SessionTicket

from bakeoff.model.audit import TlsConduct
from bakeoff.model.protocol import ALPN, Tls
from bakeoff.model.request import RequestSection
from bakeoff.verify.exchange import ANSWER_TIMEOUT_S, Answer, Coming, NoAnswer, NoHandshake
from bakeoff.verify.http2 import fields
from bakeoff.verify.secure import disagreed, key_of

_TICK_S = 0.001
_CRYPTO_ERROR = 0x100
"""RFC 9001: with one of TLS's alerts added."""
_NOT_BELIEVED = (
    AlertDescription.bad_certificate,
    AlertDescription.certificate_expired,
    AlertDescription.certificate_unknown,
    AlertDescription.unknown_ca,
    AlertDescription.unsupported_certificate,
)


@dataclass(kw_only=True)
class _Coming(Coming):
    """An answer whose `raw` is the bytes of its stream."""

    done: bool = False


class Http3Connection(AbstractContextManager["Http3Connection"]):
    """One connection, established. Raises `NoHandshake`, `NoAnswer` and OSError.

    `ticket` is what the server gave for resuming the session, once it did.
    """

    def __init__(
        self,
        address: str,
        authority: str,
        tls: Tls,
        timeout_s: float,
        ticket: SessionTicket | None = None,
    ) -> None:
        host, _, port = address.rpartition(":")
        self._peer = (host.strip("[]"), int(port))
        self._address, self._authority, self._timeout_s = address, authority, timeout_s
        self.ticket: SessionTicket | None = None
        self._shaken: HandshakeCompleted | None = None
        self._quic = QuicConnection(
            configuration=QuicConfiguration(
                alpn_protocols=[ALPN["h3"]],
                server_name=tls.server_name,
                cadata=tls.ca_pem.encode() if tls.ca_pem else None,
                verify_mode=ssl.CERT_NONE if tls.insecure else ssl.CERT_REQUIRED,
                session_ticket=ticket,
                # The load generator does the same.
                supported_versions=[QuicProtocolVersion.VERSION_1],
            ),
            session_ticket_handler=self._keep,
        )
        self._h3: H3Connection | None = None
        self._quic.connect(self._peer, time.monotonic())
        family = socket.AF_INET6 if ":" in self._peer[0] else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self.socket.connect(self._peer)
            self._shake()
        except BaseException:
            self.close()
            raise

    def ask(self, request: RequestSection, path: str, *, close: bool = False) -> Answer:
        """One request, one answer. Raises `NoAnswer`.

        The client must `close`: HTTP/3 has no way to request that from the server.
        """
        del close
        assert self._h3, "a connection is established"
        coming, body = _Coming(asked_ns=time.monotonic_ns()), request.content
        head = fields(request, path, "https", self._authority, len(body))
        stream = self._quic.get_next_available_stream_id()
        encoded = [(name.encode(), value.encode()) for name, value in head]
        self._h3.send_headers(stream, encoded, end_stream=not body)
        if body:
            self._h3.send_data(stream, body, end_stream=True)
        try:
            while not coming.done:
                self._read(stream, coming)
        except NoAnswer as error:
            error.came = coming.answer()
            raise
        coming.head_bytes = _head_bytes(bytes(coming.raw))
        answer = coming.answer(keeps_alive=True)
        if answer is None:
            raise NoAnswer("its stream ended without a head")
        return answer

    def tls(self) -> TlsConduct:
        assert self._shaken
        suite = self._quic.tls.key_schedule
        return TlsConduct(
            version="1.3",
            cipher=f"TLS_{suite.cipher_suite.name}" if suite else "",
            alpn=self._shaken.alpn_protocol,
            # aioquic has no public name for it.
            key=key_of(getattr(self._quic.tls, "_peer_certificate", None)),
            resumes=self._shaken.session_resumed,
        )

    def close(self) -> None:
        self._quic.close(ErrorCode.H3_NO_ERROR)
        with suppress(OSError):
            self._flush()
        self.socket.close()

    def _keep(self, ticket: SessionTicket) -> None:
        self.ticket = ticket

    def _shake(self) -> None:
        until_s = time.monotonic() + self._timeout_s
        try:
            while not self._shaken:
                if time.monotonic() > until_s:
                    raise NoHandshake(
                        f"QUIC's handshake was not answered within {self._timeout_s:g} s: UDP is "
                        "blocked, or the server does not speak HTTP/3 there"
                    )
                for event in self._next(until_s):
                    if isinstance(event, ConnectionTerminated):
                        raise _no_handshake(event)
                    if isinstance(event, HandshakeCompleted):
                        self._shaken = event
                        if event.alpn_protocol != ALPN["h3"]:
                            raise NoHandshake(disagreed("h3", event.alpn_protocol or "none"))
                        self._h3 = H3Connection(self._quic)
                    elif self._h3:
                        # The server's SETTINGS may have come already.
                        self._h3.handle_event(event)
        except ConnectionRefusedError:
            raise NoHandshake(f"nothing listens at UDP {self._address}") from None

    def _read(self, stream: int, coming: _Coming) -> None:
        """The next datagram, as far as it belongs to this answer."""
        heard_ns = coming.received_ns[-1] if coming.received_ns else coming.asked_ns
        now_s, ends_s = time.monotonic(), coming.asked_ns / 1e9 + ANSWER_TIMEOUT_S
        until_s = heard_ns / 1e9 + self._timeout_s
        if now_s > ends_s:
            raise NoAnswer(f"its answer had not ended after {ANSWER_TIMEOUT_S:g} s")
        if now_s > until_s:
            what = "its answer stopped in the middle" if coming.raw else "it did not answer"
            raise NoAnswer(f"{what}: no bytes within {self._timeout_s:g} s")
        try:
            events = [*self._next(min(until_s, ends_s))]
        except OSError as error:
            raise NoAnswer(f"the connection broke: {error.strerror or error}") from None
        for event in events:
            if isinstance(event, ConnectionTerminated) and not coming.done:
                raise NoAnswer(f"it ended the connection ({_reason(event)})")
            if isinstance(event, StreamReset) and event.stream_id == stream:
                raise NoAnswer(f"it reset the request's stream ({_name(event.error_code)})")
            if isinstance(event, StreamDataReceived) and event.stream_id == stream:
                coming.raw += event.data
                coming.received_ns.append(time.monotonic_ns())
            assert self._h3
            for own in self._h3.handle_event(event):
                if getattr(own, "stream_id", None) == stream:
                    _take(own, coming)

    def _next(self, until_s: float) -> Iterator[QuicEvent]:
        """The events of the next datagram, or of a timer; empty: none came until then."""
        self._flush()
        timer_s = self._quic.get_timer() or until_s
        self.socket.settimeout(max(_TICK_S, min(timer_s, until_s) - time.monotonic()))
        try:
            datagram = self.socket.recv(65536)
        except TimeoutError:
            self._quic.handle_timer(time.monotonic())
        else:
            self._quic.receive_datagram(datagram, self._peer, time.monotonic())
        self._flush()
        while event := self._quic.next_event():
            yield event

    def _flush(self) -> None:
        for datagram, _ in self._quic.datagrams_to_send(time.monotonic()):
            self.socket.send(datagram)

    def __exit__(self, *_: object) -> None:
        self.close()


def _take(event: H3Event, coming: _Coming) -> None:
    if isinstance(event, HeadersReceived):
        head = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers]
        status = dict(head).get(":status", "")
        plain = tuple(each for each in head if not each[0].startswith(":"))
        if not status:
            coming.trailers = plain
        elif not status.startswith("1"):
            coming.status, coming.headers = int(status), plain
        coming.done = event.stream_ended
    elif isinstance(event, DataReceived):
        if event.data:
            coming.take(event.data)
        coming.done = event.stream_ended


def _head_bytes(raw: bytes) -> int:
    """The bytes of an answer's stream except DATA: HEADERS, as QPACK compresses them, and frames
    without a meaning (RFC 9114, 7.2.8), with frame heads."""
    buffer, head_bytes = Buffer(data=raw), 0
    try:
        while not buffer.eof():
            begins = buffer.tell()
            kind, length = buffer.pull_uint_var(), buffer.pull_uint_var()
            ends = buffer.tell() + length
            buffer.seek(ends)
            head_bytes += 0 if kind == FrameType.DATA else ends - begins
    except BufferReadError:
        pass
    return head_bytes


def _no_handshake(event: ConnectionTerminated) -> NoAnswer:
    """Why a connection ended in its handshake."""
    alert = event.error_code - _CRYPTO_ERROR
    if alert == AlertDescription.no_application_protocol:
        return NoHandshake(disagreed("h3", "none, and refused the handshake"))
    if alert in _NOT_BELIEVED:
        return NoAnswer(f"its certificate is not trusted: {event.reason_phrase}")
    return NoHandshake(f"QUIC's handshake failed: {_reason(event)}")


def _reason(event: ConnectionTerminated) -> str:
    # The application's codes have no type of frame beside them.
    if event.frame_type is None:
        name = _name(event.error_code)
    elif _CRYPTO_ERROR <= event.error_code < 2 * _CRYPTO_ERROR:
        alert = event.error_code - _CRYPTO_ERROR
        known = alert in list(AlertDescription)
        name = f"TLS alert {AlertDescription(alert).name if known else alert}"
    else:
        known = event.error_code in list(QuicErrorCode)
        name = QuicErrorCode(event.error_code).name if known else f"error {event.error_code:#x}"
    return f"{name}: {event.reason_phrase}" if event.reason_phrase else name


def _name(code: int) -> str:
    return ErrorCode(code).name if code in list(ErrorCode) else f"error {code:#x}"
