"""A database is ready once it asks for a password; what it says before that is the reason."""

import socket
import struct

import pytest

from bakeoff.verify import admits
from tests.verify.serving import serving

PASSWORD_WANTED = b"R" + struct.pack("!II", 23, 10) + b"SCRAM-SHA-256\0\0"
FIELDS = b"SFATAL\0C57P03\0Mthe database system is starting up\0\0"
STARTING = b"E" + struct.pack("!I", 4 + len(FIELDS)) + FIELDS


def said(*pieces: bytes) -> str | None:
    """What is found of a server that answers so to a whole packet of a client that begins."""

    def serve(connection: socket.socket) -> None:
        with connection:
            (length,) = struct.unpack("!I", connection.recv(4, socket.MSG_WAITALL))
            packet = connection.recv(length - 4, socket.MSG_WAITALL)
            assert packet.startswith(struct.pack("!I", 3 << 16) + b"user\0")
            for piece in pieces:
                connection.sendall(piece)

    with serving(serve) as port:
        return admits("127.0.0.1", port)


def test_who_asks_for_a_password_is_ready() -> None:
    assert said(PASSWORD_WANTED) is None


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ((STARTING,), "the database system is starting up"),
        ((STARTING[:9], STARTING[9:]), "the database system is starting up"),
        ((b"E\0\0\0\4",), "it ended the connection"),
        ((), "it doesn't speak PostgreSQL's protocol"),
        ((b"HTTP/1.1 400 Bad Request\r\n\r\n",), "it doesn't speak PostgreSQL's protocol"),
    ],
)
def test_whoever_says_something_else_is_not(pieces: tuple[bytes, ...], reason: str) -> None:
    assert said(*pieces) == reason


def test_a_port_without_a_listener_has_the_systems_word_for_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert admits("127.0.0.1", port) == "Connection refused"
