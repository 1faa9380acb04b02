"""A server that answers as it is told, and keeps every byte that it was sent."""

import asyncio
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Pause:
    """Nothing for a while."""

    s: float


@dataclass(frozen=True)
class Close:
    """The server's end: in order, or by a reset."""

    reset: bool = False


Step = bytes | Pause | Close
Steps = Sequence[Step]


@dataclass(frozen=True)
class Asked:
    """A request: its bytes, and which it is: of its connection, and of all. Counted from 0."""

    raw: bytes
    connection: int
    nth: int
    total: int


Answer = Callable[[Asked], Steps]


@dataclass
class Connection:
    """What came over a connection, and who ended it."""

    requests: list[bytes] = field(default_factory=list)
    rest: bytes = b""
    ended_by: str | None = None


def response(
    body: bytes = b"Hello, World!",
    status: str = "200 OK",
    *headers: str,
    version: str = "HTTP/1.1",
    length: bool = True,
) -> bytes:
    """An answer with its Content-Length, unless `length` is False."""
    lines = [f"{version} {status}", *headers]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def always(*steps: Step) -> Answer:
    return lambda asked: steps


def every(nth: int, *steps: Step, others: Answer, first: int | None = None) -> Answer:
    """These to every nth request, beginning with the nth or the `first` (from 0)."""
    at = nth - 1 if first is None else first
    return lambda asked: steps if asked.total % nth == at else others(asked)


def ordinary(
    body: bytes = b"Hello, World!", status: str = "200 OK", *headers: str, length: bool = True
) -> Answer:
    """As most servers do: HTTP/1.0 is kept alive where it asks to be, HTTP/1.1 anyway."""

    def answer(asked: Asked) -> Steps:
        if b" HTTP/1.1\r\n" in asked.raw:
            return (response(body, status, *headers, length=length),)
        if b"\r\nConnection: Keep-Alive\r\n" in asked.raw:
            return (response(body, status, *headers, "Connection: Keep-Alive", length=length),)
        return (response(body, status, *headers, "Connection: close", length=length), Close())

    return answer


class Server:
    """Answers on a port of 127.0.0.1; `connections` in the order in which they were accepted."""

    def __init__(self, answer: Answer, greet: Callable[[int], Steps]) -> None:
        self.answer, self.greet = answer, greet
        self.connections: list[Connection] = []
        self.port = 0
        self._asked = 0

    def settle(self, timeout_s: float = 10.0) -> None:
        """Wait until each connection is seen to have ended, which takes until a pause is over."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until and any(
            not connection.ended_by for connection in self.connections
        ):
            time.sleep(0.005)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        index, kept = len(self.connections), Connection()
        self.connections.append(kept)
        try:
            if not await self._play(self.greet(index), kept, writer):
                return
            while request := await self._request(reader, kept):
                asked = Asked(request, index, len(kept.requests), self._asked)
                kept.requests.append(request)
                self._asked += 1
                if not await self._play(self.answer(asked), kept, writer):
                    return
            kept.ended_by = "client"
        except (ConnectionError, ssl.SSLError):
            kept.ended_by = kept.ended_by or "client, by a reset"
        finally:
            writer.close()

    async def _play(self, steps: Steps, kept: Connection, writer: asyncio.StreamWriter) -> bool:
        """False if the connection is over."""
        for step in steps:
            match step:
                case Pause(s):
                    await asyncio.sleep(s)
                case Close(reset):
                    kept.ended_by = "server"
                    if reset:
                        raw: Any = writer.get_extra_info("socket")
                        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                        writer.transport.abort()
                    return False
                case _:
                    writer.write(step)
                    await writer.drain()
        return True

    async def _request(self, reader: asyncio.StreamReader, kept: Connection) -> bytes:
        """A head, and as much body as it promises; nothing at the end."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            return head + await reader.readexactly(_length(head))
        except asyncio.IncompleteReadError as ended:
            kept.rest = ended.partial
            return b""


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def _unless_cancelled(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """The block's end cancels what is still open: asyncio would print a page for each."""
    if not isinstance(context.get("exception"), asyncio.CancelledError):
        loop.default_exception_handler(context)


@contextmanager
def serving(
    answer: Answer | None = None,
    greet: Callable[[int], Steps] = lambda index: (),
    tls: ssl.SSLContext | None = None,
    port: int = 0,
) -> Iterator[Server]:
    """A server in a thread of its own, for as long as the block lasts."""
    server = Server(answer or ordinary(), greet)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(_unless_cancelled)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def begin() -> asyncio.Server:
        return await asyncio.start_server(server.serve, "127.0.0.1", port, ssl=tls, backlog=1024)

    async def end(listening: asyncio.Server) -> None:
        listening.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    try:
        listening = asyncio.run_coroutine_threadsafe(begin(), loop).result()
        server.port = listening.sockets[0].getsockname()[1]
        yield server
        asyncio.run_coroutine_threadsafe(end(listening), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
