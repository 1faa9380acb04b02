"""Listening sockets and their owners, as /proc shows them."""

import ipaddress
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_ANY = ("0.0.0.0", "::")
_TABLES = {False: (("tcp", "tcp6"), "0A"), True: (("udp", "udp6"), "07")}
"""The tables of TCP and UDP sockets, and the state of sockets to which anyone may send."""


class Listener(NamedTuple):
    """A listening socket and the user who made it."""

    address: str
    port: int
    uid: int = 0
    inode: int = 0
    udp: bool = False

    def __str__(self) -> str:
        return f"{'UDP ' if self.udp else ''}{endpoint(self.address, self.port)}"

    def serves(self, host: str, port: int) -> bool:
        """Whether a connection to `host`, a numeric address, and `port` may arrive here."""
        return self.port == port and self.address in (host, *_ANY[":" in host :])


def endpoint(address: str, port: int) -> str:
    """`address:port`, IPv6 in brackets."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def listeners(of: int | str = "self", *, udp: bool = False) -> Iterator[Listener]:
    names, listens = _TABLES[udp]
    for name in names:
        with suppress(OSError):
            for line in Path(f"/proc/{of}/net/{name}").read_text().splitlines()[1:]:
                _, local, _, state, _, _, _, uid, _, inode, *_ = line.split()
                if state == listens:
                    address, _, port = local.partition(":")
                    yield Listener(_numeric(address), int(port, 16), int(uid), int(inode), udp)


def _numeric(words: str) -> str:
    """An address as the kernel writes it: words of 32 bits in the byte order of the machine."""
    raw = b"".join(
        int(words[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(words), 8)
    )
    address = ipaddress.ip_address(raw)
    return str(getattr(address, "ipv4_mapped", None) or address)


def listening(host: str, port: int, of: int | str = "self", *, udp: bool = False) -> list[Listener]:
    """The sockets at which connections to `host`, a numeric address, and `port` arrive."""
    found = [listener for listener in listeners(of, udp=udp) if listener.serves(host, port)]
    return [listener for listener in found if listener.address == host] or found


def listeners_of(pids: Iterable[int], *, udp: bool = False) -> list[Listener]:
    """The sockets of `pids`, in order; without those of a process that is hidden from us."""
    theirs = {inode for pid in pids for inode in _inodes(pid)}
    return sorted(listener for listener in listeners(udp=udp) if listener.inode in theirs)


def holding(sockets: Iterable[Listener], pids: Iterable[int]) -> list[int]:
    """The processes of `pids` that have one of the sockets; none that hides its files from us."""
    inodes = {socket.inode for socket in sockets}
    return [pid for pid in pids if not inodes.isdisjoint(_inodes(pid))]


def _inodes(pid: int) -> Iterator[int]:
    """The inodes of all sockets of `pid`. Pathlib takes five times as long."""
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
            with suppress(OSError):  # It was closed meanwhile.
                target = os.readlink(f"/proc/{pid}/fd/{name}")  # noqa: PTH115
                if target.startswith("socket:["):
                    yield int(target[8:-1])
