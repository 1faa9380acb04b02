"""Who listens where, as /proc shows it."""

import ipaddress
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_ANY = ("0.0.0.0", "::")
_LISTENS = " 0A "
"""The state of a socket, in a column of its own."""


class Listener(NamedTuple):
    """A listening TCP socket and the user who made it."""

    address: str
    port: int
    uid: int = 0
    inode: int = 0

    def __str__(self) -> str:
        return endpoint(self.address, self.port)

    def serves(self, host: str, port: int) -> bool:
        """Whether a connection to `host`, a numeric address, and `port` may arrive here."""
        return self.port == port and self.address in (host, *_ANY[":" in host :])


def endpoint(address: str, port: int) -> str:
    """`address:port`, IPv6 in brackets."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def listeners(of: int | str = "self") -> Iterator[Listener]:
    """All in the network namespace of the process `of`, proc(5)."""
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/{of}/net/{name}").read_text().splitlines()[1:]:
                if _LISTENS in line:
                    _, local, _, _, _, _, _, uid, _, inode, *_ = line.split()
                    address, _, port = local.partition(":")
                    yield Listener(_numeric(address), int(port, 16), int(uid), int(inode))


def _numeric(words: str) -> str:
    """An address as the kernel writes it: words of 32 bits in the order of the machine."""
    raw = b"".join(
        int(words[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(words), 8)
    )
    address = ipaddress.ip_address(raw)
    return str(getattr(address, "ipv4_mapped", None) or address)


def listening(host: str, port: int, of: int | str = "self") -> list[Listener]:
    """Those at which connections to `host`, a numeric address, and `port` arrive."""
    found = [listener for listener in listeners(of) if listener.serves(host, port)]
    return [listener for listener in found if listener.address == host] or found


def listeners_of(pids: Iterable[int]) -> list[Listener]:
    """Those that `pids` have, in order; none of a process that is hidden from us."""
    theirs = {inode for pid in pids for inode in _inodes(pid)}
    return sorted(listener for listener in listeners() if listener.inode in theirs)


def holding(sockets: Iterable[Listener], pids: Iterable[int]) -> list[int]:
    """Those of `pids` that have one of the sockets; none that hides its files from us."""
    inodes = {socket.inode for socket in sockets}
    return [pid for pid in pids if not inodes.isdisjoint(_inodes(pid))]


def _inodes(pid: int) -> Iterator[int]:
    """Those of all sockets of `pid`. Pathlib takes five times as long."""
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
            with suppress(OSError):  # It was closed meanwhile.
                target = os.readlink(f"/proc/{pid}/fd/{name}")  # noqa: PTH115
                if target.startswith("socket:["):
                    yield int(target[8:-1])
