"""A server on asyncio's loop whose requests cost one thing more."""

import argparse
import asyncio
import os
import time

parser = argparse.ArgumentParser()
for name in ("port", "loops", "calls", "allocations", "line", "header", "sleep"):
    parser.add_argument(f"--{name}", type=int, default=0)
parser.add_argument("--to")
OPTIONS = parser.parse_args()
LOG = os.open(OPTIONS.to, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644) if OPTIONS.line else -1
LINE = b"." * (OPTIONS.line - 1) + b"\n"
KEPT: list[list[bytearray]] = [[]]


def arithmetic(loops: int) -> int:
    x = loops
    for _ in range(loops):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
    return x


def call(calls: int) -> None:
    for _ in range(calls):
        os.getppid()


def allocate(allocations: int) -> None:
    KEPT[0] = [bytearray(256) for _ in range(allocations)]


def write_line() -> None:
    os.write(LOG, LINE)


def answer() -> bytes:
    if OPTIONS.loops:
        arithmetic(OPTIONS.loops)
    if OPTIONS.calls:
        call(OPTIONS.calls)
    if OPTIONS.allocations:
        allocate(OPTIONS.allocations)
    if OPTIONS.line:
        write_line()
    if OPTIONS.sleep:
        time.sleep(OPTIONS.sleep / 1e6)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n"
    more = b"X-More: " + b"x" * OPTIONS.header + b"\r\n" if OPTIONS.header else b""
    return head + more + b"\r\nHello, World!"


class Connection(asyncio.Protocol):
    """Answers each request without a body, also those that were sent ahead."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.pending = transport, b""

    def data_received(self, data: bytes) -> None:
        *heads, self.pending = (self.pending + data).split(b"\r\n\r\n")
        self.transport.write(b"".join(answer() for _ in heads))


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(
        Connection, "127.0.0.1", OPTIONS.port, backlog=4096
    )
    await server.serve_forever()


asyncio.run(main())
