#!/usr/bin/env python3
"""An honest server, and what the liars of this folder are made of: one process, on $PORT.

It reads each request to its end, answers it once and rightly, keeps the connection unless it is
asked to close it, and sends a Date that moves.
"""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable
from email.utils import formatdate

BODY = b"Hello, World!"
BACKLOG = 4096


def answer(body: bytes = BODY, status: str = "200 OK", date: str = "", *, close: bool) -> bytes:
    """One whole answer; `date` instead of now's."""
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
        f"Date: {date or formatdate(usegmt=True)}\r\n"
        + ("Connection: close\r\n" if close else "")
        + "\r\n"
    ).encode() + body


class Honest(asyncio.Protocol):
    """One connection. Liars override what they lie about; `count` is over all connections."""

    count = 0
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.held, self.answered = transport, b"", 0
        self.accepted()

    def accepted(self) -> None:
        """A connection was made."""

    def data_received(self, data: bytes) -> None:
        *whole, self.held = (self.held + data).split(b"\r\n\r\n")
        for request in whole:
            type(self).count += 1
            self.answered += 1
            close = b"onnection: close" in request
            self.answer(close)
            if close:
                self.transport.close()

    def answer(self, close: bool) -> None:
        self.transport.write(answer(close=close))


class Loaded:
    """For how long a server has been under load: gaps of over 50 ms between requests left out."""

    def __init__(self) -> None:
        self.seconds, self._last = 0.0, time.monotonic()

    def request(self) -> float:
        """A request came; the seconds of load until now."""
        now = time.monotonic()
        self.seconds += now - self._last if now - self._last < 0.05 else 0.0
        self._last = now
        return self.seconds


def listener(backlog: int = BACKLOG, port: int | None = None) -> socket.socket:
    """A listening socket on $PORT, or on `port`."""
    at = int(os.environ["PORT"]) if port is None else port
    return socket.create_server(("127.0.0.1", at), backlog=backlog)


def serve(
    protocol: type[Honest] = Honest,
    given: socket.socket | None = None,
    began: Callable[[], object] = lambda: None,
    backlog: int = BACKLOG,
) -> None:
    """Serve on `given`, or on $PORT, until SIGTERM; `began` is called when it listens."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        await loop.create_server(protocol, sock=given or listener(backlog), backlog=backlog)
        began()
        await loop.create_future()

    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    asyncio.run(run())


if __name__ == "__main__":
    serve()
