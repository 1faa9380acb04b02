"""Who listens where: /proc/net/tcp tells the sockets, /proc/PID/fd whose they are."""

import ipaddress
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_LISTEN = "0A"
_ANY = ("0.0.0.0", "::")


class Listener(NamedTuple):
    """A listening TCP socket."""

    address: str
    port: int
    inode: int

    def __str__(self) -> str:
        return endpoint(self.address, self.port)

    def serves(self, host: str, port: int) -> bool:
        """Whether a connection to `host`, a numeric address, and `port` arrives here."""
        return self.port == port and (self.address in _ANY or self.address == host)


def endpoint(address: str, port: int) -> str:
    """`address:port` as it is written, IPv6 in brackets."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def parse_listeners(table: str) -> list[Listener]:
    """The listening sockets in the text of /proc/net/tcp or /proc/net/tcp6."""
    found = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == _LISTEN:
            address, port = fields[1].split(":")
            found.append(Listener(_address(address), int(port, 16), int(fields[9])))
    return found


def _address(hexadecimal: str) -> str:
    """An address of /proc/net: 32-bit words, each in the byte order of a little-endian machine."""
    raw = bytes.fromhex(hexadecimal)
    swapped = b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4))
    address = ipaddress.ip_address(swapped)
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def listeners() -> list[Listener]:
    """All listening TCP sockets of this network namespace."""
    found: list[Listener] = []
    for name in ("tcp", "tcp6"):
        try:
            found += parse_listeners(Path(f"/proc/net/{name}").read_text())
        except OSError:
            continue
    return found


def sockets_of(pid: int) -> set[int]:
    """The inodes of the sockets that `pid` has open; none where it is hidden from us."""
    folder = Path(f"/proc/{pid}/fd")
    inodes: set[int] = set()
    try:
        for file in folder.iterdir():
            target = str(file.readlink())
            if target.startswith("socket:["):
                inodes.add(int(target[8:-1]))
    except OSError:
        pass
    return inodes


def listeners_of(pids: Iterable[int]) -> list[Listener]:
    """The listening sockets that any of `pids` holds."""
    held = set().union(*(sockets_of(pid) for pid in pids))
    return sorted({one for one in listeners() if one.inode in held}) if held else []


def owner(port: int) -> str | None:
    """`python3 (pid 123)`: who listens on `port`; None where it is hidden from us, or nobody."""
    inodes = {one.inode for one in listeners() if one.port == port}
    for folder in Path("/proc").iterdir() if inodes else ():
        if folder.name.isdigit() and inodes & sockets_of(int(folder.name)):
            try:
                return f"{(folder / 'comm').read_text().strip()} (pid {folder.name})"
            except OSError:
                continue
    return None
