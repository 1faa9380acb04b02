"""What our null server does with a client that breaks a rule: the cases of h3spec, and some more.

Those of HTTP/3 and QPACK are our own: `engine/protocol/src/h3/server/tests.rs` has them whole.
Those of QUIC and TLS are quinn-proto's and rustls', as our server sets them up.
"""

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pylsqpack
import pytest
from aioquic._buffer import Buffer
from aioquic.buffer import encode_uint_var as number
from aioquic.h3.connection import ErrorCode as H3
from aioquic.h3.connection import FrameType, encode_frame
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted, StreamReset
from aioquic.quic.packet import QuicErrorCode as Quic
from aioquic.quic.packet import QuicPreferredAddress, QuicTransportParameters
from aioquic.quic.packet import push_quic_transport_parameters as push_parameters
from aioquic.tls import AlertDescription as Alert
from aioquic.tls import Epoch

from bakeoff.start.certificate import make_certificate
from tests.e2e.test_http3 import null

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("tls")
    with null(make_certificate(folder / "tls"), "h3") as port:
        yield port


@dataclass
class Wrong:
    """A client's wrong bytes, by where they go."""

    # Streams, each with its bytes and whether they end it.
    streams: dict[int, tuple[bytes, bool]] = field(default_factory=dict)
    # Frames of QUIC, once the handshake is done, and during it.
    frames: bytes = b""
    in_handshake: bytes = b""
    parameters: dict[str, Any] = field(default_factory=dict)
    has_parameters: bool = True
    alpn: str = "h3"
    # The bits of a short header from the third on.
    short_bits: int = 0


class Client(QuicConnection):
    """aioquic's connection, which would never send these."""

    def __init__(self, wrong: Wrong) -> None:
        super().__init__(
            configuration=QuicConfiguration(alpn_protocols=[wrong.alpn], verify_mode=ssl.CERT_NONE)
        )
        self.wrong = wrong

    def misbehave(self) -> None:
        for stream, (content, ends) in self.wrong.streams.items():
            self.send_stream_data(stream, content, ends)
        self.send_ping(1)

    def datagrams_to_send(self, now: float) -> list[tuple[bytes, object]]:
        keys = self._cryptos[Epoch.ONE_RTT].recv
        keys.key_phase |= self.wrong.short_bits
        try:
            return super().datagrams_to_send(now)
        finally:
            keys.key_phase &= 1

    def _initialize(self, *arguments) -> None:  # type: ignore[no-untyped-def]
        super()._initialize(*arguments)
        if not self.wrong.has_parameters:
            self.tls.handshake_extensions = []

    def _write_ping_frame(self, builder, *arguments, **more) -> None:  # type: ignore[no-untyped-def]
        super()._write_ping_frame(builder, *arguments, **more)
        if self._handshake_complete:
            builder._buffer.push_bytes(self.wrong.frames)

    def _write_crypto_frame(self, builder, space, stream) -> bool:  # type: ignore[no-untyped-def]
        if stream is self._crypto_streams[Epoch.HANDSHAKE] and self.wrong.in_handshake:
            builder.start_frame(0x01)  # PING
            builder._buffer.push_bytes(self.wrong.in_handshake)
        return super()._write_crypto_frame(builder, space, stream)

    def _serialize_transport_parameters(self) -> bytes:
        values: dict[str, Any] = {
            "initial_source_connection_id": self._local_initial_source_connection_id,
            "initial_max_streams_uni": 3,
            "initial_max_data": 1 << 20,
            "initial_max_stream_data_bidi_local": 1 << 20,
            "initial_max_stream_data_uni": 1 << 20,
        }
        buffer = Buffer(capacity=1000)
        push_parameters(buffer, QuicTransportParameters(**(values | self.wrong.parameters)))
        return buffer.data


def outcome(port: int, wrong: Wrong) -> tuple[str, int]:
    """Whether the server ends the connection or a stream, and the code."""
    client = Client(wrong)
    with closing(socket.socket(type=socket.SOCK_DGRAM)) as udp:
        udp.connect(("127.0.0.1", port))
        udp.settimeout(0.02)
        client.connect(udp.getpeername(), now=time.monotonic())
        until = time.monotonic() + 10
        while time.monotonic() < until:
            for datagram, _ in client.datagrams_to_send(now=time.monotonic()):
                udp.send(datagram)
            try:
                client.receive_datagram(udp.recv(4096), udp.getpeername(), now=time.monotonic())
            except TimeoutError:
                client.handle_timer(now=time.monotonic())
            while event := client.next_event():
                match event:
                    case HandshakeCompleted():
                        client.misbehave()
                    case ConnectionTerminated():
                        return "connection", event.error_code
                    case StreamReset():
                        return "stream", event.error_code
    pytest.fail("the server let it pass")


def head(*fields: tuple[str, str]) -> bytes:
    encoded = [(name.encode(), value.encode()) for name, value in fields]
    _, block = pylsqpack.Encoder().encode(0, encoded)
    return encode_frame(FrameType.HEADERS, block)


METHOD, SCHEME, HOST, PATH = REQUEST = (
    (":method", "GET"),
    (":scheme", "https"),
    (":authority", "localhost"),
    (":path", "/"),
)
SETTINGS = b"\x00" + encode_frame(FrameType.SETTINGS, b"")


def request(content: bytes, ends: bool = False) -> Wrong:
    return Wrong({2: (SETTINGS, False), 0: (content, ends)})


def own(content: bytes, ends: bool = False) -> Wrong:
    return Wrong({2: (content, ends)})


def beside(content: bytes, ends: bool = False) -> Wrong:
    """On a second stream of the client's own."""
    return Wrong({2: (SETTINGS, False), 6: (content, ends)})


REQUESTS = {
    "9114-4.1-data-first": (request(encode_frame(0, b"x")), H3.H3_FRAME_UNEXPECTED),
    "9114-4.1-data-behind-trailers": (
        request(head(*REQUEST) + head(("x", "1")) + encode_frame(0, b"x")),
        H3.H3_FRAME_UNEXPECTED,
    ),
    "9114-7.2.5-push-promise": (request(encode_frame(5, b"\0")), H3.H3_FRAME_UNEXPECTED),
    "9114-7.2.3-cancel-push": (request(encode_frame(3, b"\0")), H3.H3_FRAME_UNEXPECTED),
    "9114-7.2.4-settings": (request(encode_frame(4, b"")), H3.H3_FRAME_UNEXPECTED),
    "9114-7.2.8-of-http2": (request(encode_frame(8, b"\0\0\0\1")), H3.H3_FRAME_UNEXPECTED),
    "9114-7.1-cut": (request(head(*REQUEST)[:-1], ends=True), H3.H3_FRAME_ERROR),
    "9204-3.1-static-index": (
        request(encode_frame(1, b"\0\0\xff\x24")),
        H3.QPACK_DECOMPRESSION_FAILED,
    ),
    "9204-2.2-dynamic-index": (
        request(encode_frame(1, b"\0\0\x80")),
        H3.QPACK_DECOMPRESSION_FAILED,
    ),
}
OWN = {
    "9114-6.2.1-settings-missing": (own(b"\0" + encode_frame(7, b"\0")), H3.H3_MISSING_SETTINGS),
    "9114-7.2.1-data": (own(SETTINGS + encode_frame(0, b"x")), H3.H3_FRAME_UNEXPECTED),
    "9114-7.2.2-headers": (own(SETTINGS + head(*REQUEST)), H3.H3_FRAME_UNEXPECTED),
    "9114-7.2.4-settings-twice": (own(SETTINGS + SETTINGS[1:]), H3.H3_FRAME_UNEXPECTED),
    "9114-7.2.8-of-http2": (own(SETTINGS + encode_frame(6, b"\0")), H3.H3_FRAME_UNEXPECTED),
    "9114-7.2.4-setting-twice": (
        own(b"\0" + encode_frame(4, b"\6\1\6\1")),
        H3.H3_SETTINGS_ERROR,
    ),
    "9114-7.2.4.1-of-http2": (own(b"\0" + encode_frame(4, b"\2\0")), H3.H3_SETTINGS_ERROR),
    "9114-7.2.3-no-such-push": (own(SETTINGS + encode_frame(3, b"\0")), H3.H3_ID_ERROR),
    "9114-7.2.6-goaway-cut": (own(SETTINGS + encode_frame(7, b"")), H3.H3_FRAME_ERROR),
    "9114-7.2.7-fewer-pushes": (
        own(SETTINGS + encode_frame(13, b"\2") + encode_frame(13, b"\1")),
        H3.H3_ID_ERROR,
    ),
    "9114-6.2.1-control-closed": (own(SETTINGS, ends=True), H3.H3_CLOSED_CRITICAL_STREAM),
    "9114-6.2.1-control-twice": (beside(SETTINGS), H3.H3_STREAM_CREATION_ERROR),
    "9114-6.2.2-push-stream": (beside(b"\1\0"), H3.H3_STREAM_CREATION_ERROR),
    "9204-4.2-encoder-closed": (beside(b"\2", ends=True), H3.H3_CLOSED_CRITICAL_STREAM),
    "9204-4.2-decoder-closed": (beside(b"\3", ends=True), H3.H3_CLOSED_CRITICAL_STREAM),
    "9204-4.3.1-capacity": (beside(b"\2\x3f\xff\7"), H3.QPACK_ENCODER_STREAM_ERROR),
    "9204-4.3.4-no-such-entry": (beside(b"\2\0"), H3.QPACK_ENCODER_STREAM_ERROR),
    "9204-4.4.1-no-such-section": (beside(b"\3\x80"), H3.QPACK_DECODER_STREAM_ERROR),
    "9204-4.4.3-increment-0": (beside(b"\3\0"), H3.QPACK_DECODER_STREAM_ERROR),
}
MESSAGES = {
    "9114-4.3-twice": head(*REQUEST, PATH),
    "9114-4.3-absent": head(METHOD, SCHEME, HOST),
    "9114-4.3-of-an-answer": head(*REQUEST, (":status", "200")),
    "9114-4.3-behind-fields": head(METHOD, SCHEME, HOST, ("x", "1"), PATH),
    "9114-4.2-upper-case": head(*REQUEST, ("Upper", "1")),
    "9114-4.2-of-the-connection": head(*REQUEST, ("connection", "close")),
    "9114-4.1.2-length": head(*REQUEST, ("content-length", "2")) + encode_frame(0, b"x"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_wrong_frame_of_a_request_closes_the_connection(port: int, name: str) -> None:
    wrong, code = REQUESTS[name]
    assert outcome(port, wrong) == ("connection", code)


@pytest.mark.parametrize("name", OWN)
def test_a_wrong_stream_of_the_client_s_own_closes_the_connection(port: int, name: str) -> None:
    wrong, code = OWN[name]
    assert outcome(port, wrong) == ("connection", code)


@pytest.mark.parametrize("name", MESSAGES)
def test_a_malformed_request_ends_its_stream_alone(port: int, name: str) -> None:
    wrong = request(MESSAGES[name], ends=True)
    assert outcome(port, wrong) == ("stream", H3.H3_MESSAGE_ERROR)


def test_a_request_that_ends_without_a_head_ends_its_stream_alone(port: int) -> None:
    assert outcome(port, request(b"", ends=True)) == ("stream", H3.H3_REQUEST_INCOMPLETE)


def frame(kind: int, *values: int, behind: bytes = b"") -> Wrong:
    return Wrong(frames=b"".join(map(number, (kind, *values))) + behind)


def parameter(name: str, value: object) -> Wrong:
    return Wrong(parameters={name: value})


def alert(description: Alert) -> int:
    return Quic.CRYPTO_ERROR + description


KEY_UPDATE = b"\x06\0\5\x18\0\0\1\0"  # CRYPTO with this message of TLS.
ADDRESS = QuicPreferredAddress(("127.0.0.1", 1), None, b"x" * 8, bytes(16))

TRANSPORT = {
    "9000-4.1-offset": (frame(0x0E, 0, 1 << 40, 1, behind=b"x"), Quic.FLOW_CONTROL_ERROR),
    "9000-4.5-final-size": (
        frame(0x0F, 0, 4, 1, behind=b"x" + b"\x0e\0\x0a\1x"),
        Quic.FINAL_SIZE_ERROR,
    ),
    "9000-4.6-stream": (frame(0x0A, 4 * 4096, 1, behind=b"x"), Quic.STREAM_LIMIT_ERROR),
    "9000-7.3-no-source": (
        parameter("initial_source_connection_id", None),
        Quic.TRANSPORT_PARAMETER_ERROR,
    ),
    "9000-18.2-original-destination": (
        parameter("original_destination_connection_id", b"x" * 8),
        Quic.TRANSPORT_PARAMETER_ERROR,
    ),
    "9000-18.2-preferred-address": (
        parameter("preferred_address", ADDRESS),
        Quic.TRANSPORT_PARAMETER_ERROR,
    ),
    "9000-18.2-retry-source": (
        parameter("retry_source_connection_id", b"x" * 8),
        Quic.TRANSPORT_PARAMETER_ERROR,
    ),
    "9000-18.2-reset-token": (
        parameter("stateless_reset_token", bytes(16)),
        Quic.TRANSPORT_PARAMETER_ERROR,
    ),
    "9000-18.2-udp-payload": (
        parameter("max_udp_payload_size", 1199),
        Quic.TRANSPORT_PARAMETER_ERROR,
    ),
    "9000-18.2-ack-delay-exponent": (
        parameter("ack_delay_exponent", 21),
        Quic.TRANSPORT_PARAMETER_ERROR,
    ),
    "9000-18.2-ack-delay": (parameter("max_ack_delay", 1 << 14), Quic.TRANSPORT_PARAMETER_ERROR),
    "9000-12.4-unknown": (frame(0x3F), Quic.FRAME_ENCODING_ERROR),
    "9000-17.2.4-path-challenge": (
        Wrong(in_handshake=b"\x1a" + bytes(8)),
        Quic.PROTOCOL_VIOLATION,
    ),
    "9000-17.3-reserved-bits": (Wrong(short_bits=0b110), Quic.PROTOCOL_VIOLATION),
    "9000-19.4-send-only": (frame(0x04, 3, 0, 0), Quic.STREAM_STATE_ERROR),
    "9000-19.5-not-there": (frame(0x05, 1, 0), Quic.STREAM_STATE_ERROR),
    "9000-19.7-new-token": (frame(0x07, 1, behind=b"x"), Quic.PROTOCOL_VIOLATION),
    "9000-19.8-not-there": (frame(0x0A, 1, 1, behind=b"x"), Quic.STREAM_STATE_ERROR),
    "9000-19.8-send-only": (frame(0x0A, 3, 1, behind=b"x"), Quic.STREAM_STATE_ERROR),
    "9000-19.10-not-there": (frame(0x11, 1, 0), Quic.STREAM_STATE_ERROR),
    "9000-19.10-receive-only": (frame(0x11, 2, 0), Quic.STREAM_STATE_ERROR),
    "9000-19.11-streams": (frame(0x12, (1 << 60) + 1), Quic.FRAME_ENCODING_ERROR),
    "9000-19.14-streams-blocked": (frame(0x16, (1 << 60) + 1), Quic.FRAME_ENCODING_ERROR),
    "9000-19.15-retire": (
        frame(0x18, 1, 2, behind=b"\x08" + bytes(24)),
        Quic.FRAME_ENCODING_ERROR,
    ),
    "9000-19.15-empty": (frame(0x18, 1, 0, behind=b"\0" + bytes(16)), Quic.FRAME_ENCODING_ERROR),
    "9000-19.20-handshake-done": (frame(0x1E), Quic.PROTOCOL_VIOLATION),
    "9001-6-key-update-in-handshake": (
        Wrong(in_handshake=KEY_UPDATE),
        alert(Alert.unexpected_message),
    ),
    "9001-6-key-update": (Wrong(frames=KEY_UPDATE), alert(Alert.unexpected_message)),
    "9001-8.1-alpn": (Wrong(alpn="h9"), alert(Alert.no_application_protocol)),
    "9001-8.2-parameters": (Wrong(has_parameters=False), alert(Alert.missing_extension)),
}


@pytest.mark.parametrize("name", TRANSPORT)
def test_what_quic_and_tls_forbid_closes_the_connection(port: int, name: str) -> None:
    wrong, code = TRANSPORT[name]
    assert outcome(port, wrong) == ("connection", code)
