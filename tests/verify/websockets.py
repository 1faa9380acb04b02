"""Servers of WebSocket of these tests, by the server's half of wsproto; some do one thing wrong."""

import re
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, Request, TextMessage
from wsproto.extensions import PerMessageDeflate

from tests.verify.serving import Serve

ACCEPT = b"Sec-WebSocket-Accept: "
_EXTENSIONS = re.compile(rb"Sec-WebSocket-Extensions: [^\r]*\r\n")


def frame(first: int, payload: bytes, masked: int = 0) -> bytes:
    """A short frame, byte for byte."""
    return bytes([first, masked | len(payload)]) + payload


def echoing(
    lie: Callable[[bytes], bytes] = lambda echo: echo,
    *,
    upgrade: bytes = b"",
    agreed: str | None = None,
) -> Serve:
    """A server that echoes. Its answers pass `lie`, and that to an upgrade is `upgrade`, if any;
    `agreed` is its header of extensions, in place of the right one, where some are offered."""
    return partial(_serve, lie, upgrade, agreed)


def _serve(
    lie: Callable[[bytes], bytes], upgrade: bytes, agreed: str | None, connection: socket.socket
) -> None:
    server = WSConnection(ConnectionType.SERVER)
    with connection, suppress(OSError):
        while data := connection.recv(65536):
            server.receive_data(data)
            for event in server.events():
                if isinstance(event, Request):
                    answer = server.send(AcceptConnection(extensions=[PerMessageDeflate()]))
                    if agreed is not None:
                        answer = _EXTENSIONS.sub(agreed.encode(), answer)
                    connection.sendall(upgrade or answer)
                elif isinstance(event, TextMessage | BytesMessage):
                    answer = lie(server.send(event))
                    connection.sendall(answer)
                    if len(answer) < 2 or answer.startswith(b"\x88"):
                        return


def passing_on(lie: Callable[[int, bytes], bytes] = lambda _, message: message) -> Serve:
    """A server that passes each message on to all who have joined its path. Each listener's copy
    passes `lie`, with the listener's number."""
    rooms: dict[str, list[socket.socket]] = {}
    return partial(_pass_on, lie, rooms, Lock())


def _pass_on(
    lie: Callable[[int, bytes], bytes],
    rooms: dict[str, list[socket.socket]],
    lock: Lock,
    connection: socket.socket,
) -> None:
    server, room = WSConnection(ConnectionType.SERVER), [connection]
    with connection, suppress(OSError):
        while data := connection.recv(65536):
            server.receive_data(data)
            for event in server.events():
                if isinstance(event, Request):
                    with lock:
                        room = rooms.setdefault(event.target, [])
                        room.append(connection)
                    connection.sendall(server.send(AcceptConnection()))
                elif isinstance(event, TextMessage | BytesMessage):
                    message = server.send(event)
                    with lock:
                        for number, listener in enumerate(room):
                            with suppress(OSError):
                                listener.sendall(lie(number, message))
    with lock:
        room.remove(connection)
