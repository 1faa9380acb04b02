"""What a server says in its first frame of HTTP/2, its SETTINGS, read off the wire; and the cipher
that its QUIC chooses."""

import socket
import ssl
import struct
from pathlib import Path

from bakeoff.model.protocol import Tls
from bakeoff.model.request import RequestSection
from bakeoff.verify.http3 import Http3Connection

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + struct.pack(">IBI", 4, 0, 0)
"""RFC 9113, 3.4: a client's first words, and a SETTINGS frame that changes nothing."""
SETTINGS = 4
MAX_CONCURRENT_STREAMS = 3
UNLIMITED = 2**32 - 1


def max_concurrent_streams(address: str, ca: Path | None) -> int:
    """How many streams a client may have open on one connection; with a `ca`, over TLS."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=5) as plain:
        if ca is None:
            return _settings(plain).get(MAX_CONCURRENT_STREAMS, UNLIMITED)
        context = ssl.create_default_context(cafile=ca)
        context.set_alpn_protocols(["h2"])
        with context.wrap_socket(plain, server_hostname=host) as secured:
            assert secured.selected_alpn_protocol() == "h2"
            return _settings(secured).get(MAX_CONCURRENT_STREAMS, UNLIMITED)


def cipher_of_quic(address: str, tls: Tls) -> str:
    """Of a connection that is good for two answers."""
    with Http3Connection(address, address, tls, 5.0) as connection:
        for _ in range(2):
            assert connection.ask(RequestSection(), "/").status == 200
        return connection.tls().cipher


def _settings(connection: socket.socket) -> dict[int, int]:
    connection.sendall(PREFACE)
    with connection.makefile("rb") as stream:
        length_and_type, _flags, _stream = struct.unpack(">IBI", stream.read(9))
        assert length_and_type & 0xFF == SETTINGS, "a server's first frame is SETTINGS"
        return dict(struct.iter_unpack(">HI", stream.read(length_and_type >> 8)))
