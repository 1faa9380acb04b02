"""WebSocket over real sockets: a client by wsproto, and clients that break the protocol."""

import random
import signal
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    Request,
    TextMessage,
)
from wsproto.extensions import PerMessageDeflate

from tests.brick.siege.conftest import Besieged, Starter, read_all
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
MIB = 1 << 20
KEY = b"abcd"
TEXT, BINARY, CLOSE, PING = 0x81, 0x82, 0x88, 0x89
REQUEST = Request(host="a", target="/socket", extensions=[PerMessageDeflate()])


class Client:
    """Has upgraded. Its frames are wsproto's, or bytes as they are."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.protocol = WSConnection(ConnectionType.CLIENT)
        self.sends(REQUEST)
        accepted = self.receives()
        assert isinstance(accepted, AcceptConnection)
        assert accepted.extensions == [] and accepted.subprotocol is None

    def sends(self, event: Event) -> None:
        self.connection.sendall(self.protocol.send(event))

    def receives(self) -> Event:
        """The next event; a message is whole."""
        text, data = "", b""
        while True:
            for event in self.protocol.events():
                if isinstance(event, TextMessage):
                    text += event.data
                    if event.message_finished:
                        return TextMessage(data=text)
                elif isinstance(event, BytesMessage):
                    data += event.data
                    if event.message_finished:
                        return BytesMessage(data=data)
                else:
                    return event
            self.protocol.receive_data(self.connection.recv(65536) or None)


@contextmanager
def upgraded(server: Besieged, receive_bytes: int = 0) -> Iterator[Client]:
    with server.connect(receive_bytes) as connection:
        yield Client(connection)


def frame(first: int, payload: bytes, masked: int = 0x80) -> bytes:
    """A client's frame of up to 125 bytes, or of up to 65,535."""
    length = len(payload)
    head = (
        bytes([first, masked | length])
        if length < 126
        else struct.pack(">BBH", first, masked | 126, length)
    )
    if not masked:
        return head + payload
    return head + KEY + bytes(byte ^ KEY[at % 4] for at, byte in enumerate(payload))


def closed_with(code: int) -> bytes:
    return struct.pack(">BBH", CLOSE, 2, code)


def test_messages_of_any_length_come_back_whole(besieged: Starter) -> None:
    with upgraded(besieged()) as client:
        for size in (0, 1, 125, 126, 2048, 65535, 65536, MIB):
            text = ("Köln 東京 " * (size // 8 + 1))[: size // 3]
            client.sends(TextMessage(data=text))
            assert client.receives() == TextMessage(data=text)
            data = random.Random(size).randbytes(size)
            client.sends(BytesMessage(data=data))
            assert client.receives() == BytesMessage(data=data)
        client.sends(CloseConnection(code=1000, reason="enough"))
        assert client.receives() == CloseConnection(code=1000, reason="")
        assert read_all(client.connection) == b""


def test_a_ping_between_fragments_is_answered_first(besieged: Starter) -> None:
    with upgraded(besieged()) as client:
        client.sends(TextMessage(data="one ", message_finished=False))
        client.sends(Ping(payload=b"there?"))
        assert client.receives() == Pong(payload=b"there?")
        client.sends(TextMessage(data="message"))
        assert client.receives() == TextMessage(data="one message")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param(frame(TEXT, b"a", masked=0), 1002, id="unmasked"),
        pytest.param(frame(0x09, b"a"), 1002, id="fragmented control"),
        pytest.param(frame(PING, b"a" * 126), 1002, id="long control"),
        pytest.param(frame(0xC1, b"a"), 1002, id="reserved bit"),
        pytest.param(frame(0x83, b"a"), 1002, id="reserved opcode"),
        pytest.param(frame(0x80, b"a"), 1002, id="continues nothing"),
        pytest.param(frame(0x01, b"a") + frame(TEXT, b"b"), 1002, id="begins twice"),
        pytest.param(frame(CLOSE, struct.pack(">H", 1005)), 1002, id="bad close code"),
        pytest.param(frame(CLOSE, b"\x03"), 1002, id="half a close code"),
        pytest.param(frame(TEXT, b"caf\xe9"), 1007, id="Latin-1"),
        pytest.param(frame(TEXT, b"\xed\xa0\x80"), 1007, id="surrogate"),
        pytest.param(struct.pack(">BBQ", BINARY, 255, MIB + 1) + KEY, 1009, id="too long"),
        pytest.param(
            struct.pack(">BBQ", 2, 255, MIB) + KEY + bytes(MIB) + frame(0x80, b"a"),
            1009,
            id="too long in fragments",
        ),
    ],
)
def test_who_breaks_the_protocol_is_told_the_code(
    besieged: Starter, sent: bytes, code: int
) -> None:
    server = besieged()
    with upgraded(server) as client:
        client.connection.sendall(frame(TEXT, b"right") + sent + frame(TEXT, b"too late"))
        assert read_all(client.connection) == b"\x81\x05right" + closed_with(code)
    wait_for(lambda: server.connections() == 0)


def test_half_a_character_is_refused_before_its_frame_ends(besieged: Starter) -> None:
    with upgraded(besieged()) as client:
        client.connection.sendall(frame(TEXT, b"caf\xe9 more").removesuffix(b"more"))
        assert read_all(client.connection) == closed_with(1007)


def test_a_client_that_reads_nothing_is_not_read_any_longer(besieged: Starter) -> None:
    server = besieged("--send-buffer", "32768")
    sent = 0
    data = random.Random(1).randbytes(60_000)
    message = frame(BINARY, data)
    with upgraded(server, receive_bytes=32768) as client:
        before = server.pss_bytes()
        client.connection.settimeout(1)
        with pytest.raises(TimeoutError):
            while sent < 64 * MIB:
                sent += client.connection.send(message[sent % len(message) :])
        assert server.pss_bytes() - before < 2 * MIB, "a queue of 256 KiB, and what it grows by"
        client.connection.settimeout(60)
        # Once it reads, each echo is there, and it is served as before.
        expected = struct.pack(">BBH", BINARY, 126, len(data)) + data
        for _ in range(sent // len(message)):
            received = b""
            while len(received) < len(expected):
                received += client.connection.recv(len(expected) - len(received))
            assert received == expected
        rest = message[sent % len(message) :] if sent % len(message) else b""
        client.connection.sendall(rest + frame(CLOSE, b""))
        assert read_all(client.connection).endswith(bytes([CLOSE, 0]))


def test_a_server_that_stops_says_so(besieged: Starter) -> None:
    server = besieged()
    with upgraded(server) as client:
        server.process.send_signal(signal.SIGTERM)
        assert client.receives() == CloseConnection(code=1001, reason="")
    assert server.process.wait(timeout=60) == 0


def test_who_sends_nothing_is_sent_off(besieged: Starter) -> None:
    server = besieged("--idle-timeout", "1", "--body-timeout", "1")
    with upgraded(server) as idle, upgraded(server) as within:
        within.connection.sendall(frame(0x01, b"half"))
        assert read_all(idle.connection) == closed_with(1001)
        assert read_all(within.connection) == closed_with(1008)
