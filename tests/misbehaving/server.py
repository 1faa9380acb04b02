#!/usr/bin/env python3
"""A server that answers every request rightly, until its fault strikes: one process, on $PORT.

`server.py` alone is well-behaved. `server.py FAULT MOMENT` has one fault, at one moment of its
life: see README.md. It needs nothing but Python.
"""

import argparse
import asyncio
import contextlib
import os
import resource
import signal
import socket
import struct
import sys
import time
import traceback
from email.utils import formatdate
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, NoReturn

BODY = b"Hello, World!"
WRONG_BODY = b"Goodbye, World"
GARBAGE = b"\x07\x00 this is not HTTP \xff\x00\r\n\r\n"
BACKLOG = 4096
SLOW_S = 0.3
FLOOD_LINE = b"flood " * 170 + b"\n"
FLOOD_AT_ONCE = 8 * 2**20
FLOOD_IN_ALL = 64 * 2**20
"""A disk is not filled: after so many bytes the log is quiet."""
MEMORY_LEFT = 16 * 2**20
PIECE = 2**20
RST = struct.pack("ii", 1, 0)
"""SO_LINGER: on, for 0 s. A socket that is closed so sends RST."""
REASONS = {200: "OK", 400: "Bad Request", 500: "Internal Server Error", 501: "Not Implemented"}


class Request(NamedTuple):
    """What the head of a request says; `fault` is a status where it can't be understood."""

    length: int = 0
    close: bool = True
    has_answer_body: bool = True
    fault: int = 0


@lru_cache(maxsize=1024)
def parsed(head: bytes) -> Request:
    """The head of a request, from its first byte to its empty line."""
    first, *lines = head[:-4].split(b"\r\n")
    words = first.split(b" ")
    if len(words) != 3 or words[2] not in (b"HTTP/1.1", b"HTTP/1.0"):
        return Request(fault=400)
    headers = {}
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon:
            return Request(fault=400)
        headers[name.lower()] = value.strip().lower()
    if b"transfer-encoding" in headers:
        return Request(fault=501)
    length = headers.get(b"content-length", b"0")
    if not length.isdigit():
        return Request(fault=400)
    kept = words[2] == b"HTTP/1.1" or headers.get(b"connection") == b"keep-alive"
    close = not kept or b"close" in headers.get(b"connection", b"")
    return Request(int(length), close, words[0] != b"HEAD")


@lru_cache(maxsize=64)
def answer(status: int, body: bytes, close: bool, has_body: bool, second: int) -> bytes:
    """A whole answer, dated `second` of Unix time."""
    head = (
        f"HTTP/1.1 {status} {REASONS.get(status, 'Fault')}\r\nContent-Type: text/plain\r\n"
        f"Content-Length: {len(body)}\r\nDate: {formatdate(second, usegmt=True)}\r\n"
        + ("Connection: close\r\n" if close else "")
        + "\r\n"
    )
    return head.encode() + (body if has_body else b"")


class Server:
    """One process. A method that is named after a fault makes it strike.

    `mode` is the fault as far as it shows in each answer.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.number = counted(options.state) if options.state else 0
        self.answered = 0
        self.mode = ""
        self.connections: set[Connection] = set()
        self.listener: asyncio.Server | None = None
        self.flooded = 0
        self.status = 200
        self.body = BODY
        # A process that is never at fault counts its answers, too, and never comes to its number.
        self.strikes_at = options.after_requests if self.is_at_fault() else None

    def is_at_fault(self) -> bool:
        """Whether the fault strikes in this process at all."""
        if not self.options.fault:
            return False
        if self.options.only_process:
            return self.number in self.options.only_process
        return self.number >= (self.options.every_process_from or 0)

    def strike(self, moment: str) -> None:
        """Let the fault strike, and say so first: afterwards there may be nobody to do it."""
        text = f"the fault strikes {moment}: {self.options.fault}, after {self.answered} answers"
        log(text)
        if self.options.state:
            with (self.options.state / str(self.number)).open("a") as file:
                file.write(f"{text}\n")
        getattr(self, self.options.fault)()

    def strike_if(self, moment: str) -> None:
        """Let the fault strike where `moment` is its own."""
        if self.is_at_fault() and getattr(self.options, moment):
            self.strike(moment.replace("_", " "))

    # The faults.

    def exits(self) -> NoReturn:
        os._exit(self.options.status)

    def is_killed(self) -> NoReturn:
        # So that a signal with a handler, such as SIGTERM, ends it all the same.
        with contextlib.suppress(OSError):
            signal.signal(self.options.signal, signal.SIG_DFL)
        os.kill(os.getpid(), self.options.signal)
        stand_still()

    def hangs(self) -> NoReturn:
        """Nothing is accepted, read or answered: the loop that does it doesn't come back."""
        if self.options.when_asked_to_stop:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        else:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        stand_still()

    def refuses(self) -> None:
        self.mode = "refuses"
        if self.listener:
            self.listener.close()
            self.listener = None
        for connection in list(self.connections):
            connection.transport.close()

    def resets(self) -> None:
        self.mode = "resets"

    def garbage(self) -> None:
        self.mode = "garbage"

    def wrong(self) -> None:
        if self.options.status:
            self.status = self.options.status
        else:
            self.body = WRONG_BODY

    def stops_reading(self) -> None:
        """Connections are accepted, and what comes on them stays in the kernel."""
        self.mode = "stops_reading"
        for connection in self.connections:
            connection.transport.pause_reading()

    def no_descriptors(self) -> None:
        """No further file can be opened, and no connection accepted."""
        highest = max(int(descriptor.name) for descriptor in Path("/proc/self/fd").iterdir())
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(highest + 1, hard), hard))
        with contextlib.suppress(OSError):
            while True:
                os.open(os.devnull, os.O_RDONLY)

    def no_memory(self) -> NoReturn:
        """An allocation fails, and the process ends with a traceback, as others do."""
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY_LEFT
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        hoard = []
        try:
            while True:
                hoard.append(b"x" * PIECE)
        except MemoryError:
            hoard.clear()
            traceback.print_exc()
        os._exit(1)

    def listens_elsewhere(self) -> None:
        """It goes on at a port that nobody gave it."""
        if self.listener:
            self.refuses()
            self.moving = asyncio.get_running_loop().create_task(self.begin())
        self.mode = "listens_elsewhere"

    def forks_away(self) -> None:
        """The first process ends; a child in a session of its own goes on."""
        loop = asyncio._get_running_loop()
        if os.fork():
            os._exit(0)
        os.setsid()
        # Python forgets in a child that its loop runs; this one goes on with it.
        asyncio._set_running_loop(loop)

    def slow(self) -> None:
        self.mode = "slow"

    def ignores_sigterm(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def floods_log(self) -> None:
        self.mode = "floods_log"
        while self.flooded < FLOOD_AT_ONCE:
            self.flood()

    def flood(self) -> None:
        if self.flooded < FLOOD_IN_ALL:
            self.flooded += os.write(1, FLOOD_LINE)

    # Its life.

    async def serve(self) -> None:
        """Listen and answer until the process ends."""
        if self.mode != "refuses":
            await self.begin()
        if self.is_at_fault() and self.options.after_seconds is not None:
            when = f"{self.options.after_seconds:g} s after it listened"
            asyncio.get_running_loop().call_later(self.options.after_seconds, self.strike, when)
        await asyncio.get_running_loop().create_future()

    async def begin(self) -> None:
        """Listen on $PORT, or elsewhere where that is the fault; then accept."""
        host = os.environ.get("HOST", "127.0.0.1")
        port = 0 if self.mode == "listens_elsewhere" else int(os.environ["PORT"])
        bound = socket.create_server((host, port), backlog=BACKLOG)
        loop = asyncio.get_running_loop()
        self.listener = await loop.create_server(
            lambda: Connection(self), sock=bound, backlog=BACKLOG, start_serving=False
        )
        log(f"listening on {host}:{bound.getsockname()[1]}")
        if self.mode != "listens_elsewhere":
            self.strike_if("when_ready")
        if self.listener:
            await self.listener.start_serving()

    def stop(self, *_: object) -> None:
        self.strike_if("when_asked_to_stop")
        outlives = self.options.fault in ("ignores_sigterm", "forks_away")
        if not (outlives and self.is_at_fault() and self.options.when_asked_to_stop):
            os._exit(0)


class Connection(asyncio.Protocol):
    """One connection: requests in, answers in their order out."""

    transport: asyncio.Transport

    def __init__(self, server: Server) -> None:
        self.server, self.held = server, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections.add(self)
        if self.server.mode == "stops_reading":
            transport.pause_reading()

    def connection_lost(self, _: Exception | None) -> None:
        self.server.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        held = self.held + data
        while (end := held.find(b"\r\n\r\n") + 4) > 3 and not self.transport.is_closing():
            request = parsed(held[:end])
            if len(held) < end + request.length:
                break
            held = held[end + request.length :]
            self.reply(request)
        self.held = held

    def reply(self, request: Request) -> None:
        """Answer one request, or do what the fault has in its place."""
        server = self.server
        if server.answered == server.strikes_at:
            server.strikes_at = None
            server.strike("at a request")
        mode = server.mode
        if not mode or mode in ("slow", "floods_log", "listens_elsewhere"):
            self.answer(request, mode)
        elif mode == "resets":
            self.reset()
        elif mode == "garbage":
            self.transport.write(GARBAGE)

    def answer(self, request: Request, mode: str) -> None:
        server = self.server
        server.answered += 1
        status = request.fault or server.status
        whole = answer(
            status, server.body, request.close, request.has_answer_body, int(time.time())
        )
        if mode == "slow":
            loop = asyncio.get_running_loop()
            loop.call_later(SLOW_S, self.send, whole, request.close)
            return
        if mode == "floods_log":
            server.flood()
        self.send(whole, request.close)

    def send(self, whole: bytes, close: bool) -> None:
        self.transport.write(whole)
        if close:
            self.transport.close()

    def reset(self) -> None:
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RST)
        self.transport.abort()


def stand_still() -> NoReturn:
    while True:
        signal.pause()


def log(text: str) -> None:
    os.write(1, f"misbehaving {os.getpid()}: {text}\n".encode())


def counted(folder: Path) -> int:
    """Which process of this command it is, from 1 on: each makes the next file of `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        try:
            (folder / str(number)).touch(exist_ok=False)
            return number
        except FileExistsError:
            number += 1


FAULTS = (
    *("exits", "is_killed", "hangs", "refuses", "resets", "garbage", "wrong", "stops_reading"),
    *("no_descriptors", "no_memory", "listens_elsewhere", "forks_away"),
    *("slow", "ignores_sigterm", "floods_log"),
)
"""Each is a method of `Server`."""


def options_of(words: list[str]) -> argparse.Namespace:
    """The switches; see README.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fault", nargs="?", choices=FAULTS)
    parser.add_argument("--status", type=int, help="of exits (1), and of wrong: of its answers")
    parser.add_argument("--signal", default="KILL", help="of is_killed: KILL, SEGV and others")
    moment = parser.add_mutually_exclusive_group()
    moment.add_argument("--at-start", action="store_true")
    moment.add_argument("--before-listening", action="store_true")
    moment.add_argument("--when-ready", action="store_true")
    moment.add_argument("--after-requests", type=int, metavar="N")
    moment.add_argument("--after-seconds", type=float, metavar="S")
    moment.add_argument("--when-asked-to-stop", action="store_true")
    parser.add_argument("--only-process", metavar="N[,M]", default="")
    parser.add_argument("--every-process-from", type=int, metavar="N")
    parser.add_argument("--state", type=Path, metavar="DIR", help="where processes are counted")
    options = parser.parse_args(words)
    options.only_process = [int(number) for number in options.only_process.split(",") if number]
    options.signal = signal.Signals[f"SIG{options.signal}"]
    if options.fault == "exits" and options.status is None:
        options.status = 1
    if (options.only_process or options.every_process_from) and not options.state:
        parser.error("--only-process and --every-process-from need --state")
    return options


def main() -> None:
    words = sys.argv[1:]
    server = Server(options_of(words))
    log(f"process {server.number or '?'} of {' '.join(words) or 'a well-behaved server'}")
    signal.signal(signal.SIGTERM, server.stop)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server.strike_if("at_start")
    log("reading no configuration")
    server.strike_if("before_listening")
    asyncio.run(server.serve())


if __name__ == "__main__":
    main()
