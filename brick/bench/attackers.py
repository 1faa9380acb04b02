"""One attack on a server of this machine, until standard input ends: attacks.py starts it.

    attackers.py NAME PORT COUNT

It prints a line once all its clients are there; on a machine that has no room for so many it prints
how many came. Clients come from many addresses of 127.0.0.0/8, for one has but 28,000 ports.
"""

from __future__ import annotations

import ctypes
import random
import resource
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

Gone = (ConnectionError, TimeoutError)
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
HEAD = b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
BODY = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 8192\r\n\r\n"
STREAM = b"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"
PER_ADDRESS = 20_000
# Asked for by the kernel's own names: a client's port is chosen when it connects, not before.
IP_BIND_ADDRESS_NO_PORT = 24
PR_SET_PDEATHSIG = 1


class Attack:
    """Clients of one server; `is_over` when nobody wants them any more."""

    def __init__(self, port: int, count: int) -> None:
        self.port = port
        self.count = count
        self.clients: list[socket.socket] = []
        self.made = 0

    def client(self, receive_bytes: int = 0) -> socket.socket:
        """A new connection."""
        one = socket.socket()
        one.settimeout(10)
        one.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        if receive_bytes:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        try:
            one.bind((f"127.0.0.{2 + self.made // PER_ADDRESS % 250}", 0))
            one.connect(("127.0.0.1", self.port))
        except OSError:
            one.close()
            raise
        self.made += 1
        return one

    def gather(self, first: bytes, receive_bytes: int = 0) -> None:
        """All clients, each of which says `first`; fewer where the machine has no room."""
        with suppress(OSError):
            while len(self.clients) < self.count:
                one = self.client(receive_bytes)
                if first:
                    one.sendall(first)
                self.clients.append(one)
        for one in self.clients:
            one.setblocking(False)

    def each_second(self, act: Callable[[socket.socket], object]) -> Iterator[None]:
        """Every client acts once a second, and those that were cut off are dropped."""
        while True:
            began = time.monotonic()
            for at, one in enumerate(list(self.clients)):
                try:
                    act(one)
                except BlockingIOError:
                    pass
                except OSError:
                    self.clients.remove(one)
                    one.close()
                if at % 64 == 63:
                    yield
            while time.monotonic() < began + 1:
                time.sleep(0.05)
                yield


def slow_head(attack: Attack) -> Iterator[None]:
    """A byte of a head now and then."""
    attack.gather(HEAD)
    return attack.each_second(lambda one: one.send(b"x"))


def slow_body(attack: Attack) -> Iterator[None]:
    """A byte of a body now and then."""
    attack.gather(BODY)
    return attack.each_second(lambda one: one.send(b"x"))


def slow_reader(attack: Attack) -> Iterator[None]:
    """32 bytes of 16 MiB now and then."""
    attack.gather(STREAM, receive_bytes=1024)
    return attack.each_second(lambda one: one.recv(32))


def idle(attack: Attack) -> Iterator[None]:
    """Nothing at all."""
    attack.gather(b"")
    return attack.each_second(lambda _one: None)


def resets(attack: Attack) -> Iterator[None]:
    """Connections that are reset at any moment, as fast as one process can."""
    dice = random.Random(7)
    kinds = [GET, GET * 20, BODY, STREAM, GET[: dice.randrange(len(GET))]]

    def go_on() -> Iterator[None]:
        there: list[socket.socket] = []
        while True:
            with suppress(*Gone):
                one = attack.client()
                there.append(one)
                one.send(dice.choice(kinds))
            if len(there) > attack.count:
                victim = there.pop(dice.randrange(len(there)))
                victim.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                victim.close()
            yield

    return go_on()


def connects(attack: Attack) -> Iterator[None]:
    """Connections that say nothing and go, as fast as one process can."""

    def go_on() -> Iterator[None]:
        while True:
            with suppress(*Gone):
                attack.client().close()
            yield

    return go_on()


def nonsense(attack: Attack) -> Iterator[None]:
    """Requests that are refused, each on a new connection, as fast as one process can."""

    def go_on() -> Iterator[None]:
        while True:
            with suppress(*Gone), attack.client() as one:
                one.sendall(b"NONSENSE\r\n\r\n")
                while one.recv(4096):
                    pass
            yield

    return go_on()


def unread(attack: Attack) -> Iterator[None]:
    """Requests without end, from clients that read no answer."""
    attack.gather(GET, receive_bytes=4096)

    def go_on() -> Iterator[None]:
        while True:
            # Who is full is waited for: it isn't the attackers' CPU time that is measured.
            _, ready, _ = select.select([], attack.clients, [], 0.05)
            for one in ready:
                with suppress(BlockingIOError, *Gone):
                    one.send(GET * 512)
            yield

    return go_on()


ATTACKS: dict[str, Callable[[Attack], Iterator[None]]] = {
    "slow head": slow_head,
    "slow body": slow_body,
    "slow reader": slow_reader,
    "idle": idle,
    "resets": resets,
    "connects": connects,
    "nonsense": nonsense,
    "unread answers": unread,
}


def main() -> None:
    """Attacks until standard input ends, or who started us does."""
    name, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    attack = Attack(port, count)
    steps = ATTACKS[name](attack)
    print(len(attack.clients), flush=True)
    while not select.select([sys.stdin], [], [], 0)[0]:
        next(steps)


if __name__ == "__main__":
    main()
