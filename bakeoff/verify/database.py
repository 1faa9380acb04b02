"""Whether PostgreSQL is ready for clients, as its protocol shows it before any password."""

import socket
import struct

from bakeoff.verify.exchange import READ_TIMEOUT_S

_VERSION = 3 << 16
_STARTUP = b"user\0bench\0database\0postgres\0\0"
_PACKET = struct.pack("!II", 8 + len(_STARTUP), _VERSION) + _STARTUP
_REPLY_BYTES_MAX = 4096


def admits(host: str, port: int) -> str | None:
    """None if the database asks a new client for its password, else why it doesn't."""
    reply = b""
    try:
        with socket.create_connection((host, port), READ_TIMEOUT_S) as connection:
            connection.settimeout(READ_TIMEOUT_S)
            connection.sendall(_PACKET)
            while piece := connection.recv(_REPLY_BYTES_MAX):
                reply += piece
                if reply[:1] == b"R" or len(reply) > _REPLY_BYTES_MAX:
                    break
    except OSError as error:
        if not reply:
            return error.strerror or str(error)
    if reply[:1] == b"R":
        return None
    return _fault(reply) if reply[:1] == b"E" else "it doesn't speak PostgreSQL's protocol"


def _fault(reply: bytes) -> str:
    """The message of an error: a letter, a length, and fields, each a letter and a text."""
    fields = reply[5:].split(b"\0")
    messages = (field[1:] for field in fields if field[:1] == b"M")
    return next(messages, b"it ended the connection").decode(errors="replace")
