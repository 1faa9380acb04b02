"""Ports: which one a contender gets, and who listens where."""

import contextlib
import ipaddress
import random
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import psutil

from bakeoff.model.errors import ContenderOut

_LOWEST = 10_000
_TRIES = 200
_ANY = ("0.0.0.0", "::")


class Ports:
    """Hands out free ports, none of them twice.

    They lie below the range from which the kernel takes the ports of outgoing connections: else
    one of the load generator's connections, perhaps in TIME_WAIT, could hold a contender's port.
    """

    def __init__(self) -> None:
        self._given: set[int] = set()

    def free(self, host: str) -> int:
        """A port that nothing holds on any address. `host` is numeric."""
        wildcard = "::" if ":" in host or Path("/proc/net/if_inet6").exists() else "0.0.0.0"
        for _ in range(_TRIES):
            port = random.randrange(_LOWEST, max(_outgoing_from(), _LOWEST + 1))
            if port not in self._given and _can_bind(wildcard, port, reuse=0):
                return self._give(port)
        with socket.socket(_family(host)) as any_port:
            any_port.bind((host, 0))
            return self._give(any_port.getsockname()[1])

    def fixed(self, host: str, port: int) -> int:
        """`port`, if nobody has it. Raises `ContenderOut`.

        Connections in TIME_WAIT don't count: servers bind over them.
        """
        if not _can_bind(host, port, reuse=1):
            who = owner(port) or "a process that is hidden from this user"
            raise ContenderOut(f"port {port} is taken by {who}; end it, or take another port")
        return port

    def _give(self, port: int) -> int:
        self._given.add(port)
        return port


def _outgoing_from() -> int:
    """The first port of outgoing connections."""
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 32_768


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _can_bind(host: str, port: int, reuse: int) -> bool:
    """Whether `port` can be bound at `host`; `::` stands for every address of both families."""
    with socket.socket(_family(host)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
        if host == "::":
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


class Listener(NamedTuple):
    """A listening TCP socket."""

    address: str
    port: int

    def __str__(self) -> str:
        return endpoint(self.address, self.port)

    def serves(self, host: str, port: int) -> bool:
        """Whether a connection to `host`, a numeric address, and `port` arrives here."""
        return self.port == port and (self.address in _ANY or self.address == host)


def endpoint(address: str, port: int) -> str:
    """`address:port`, IPv6 in brackets."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def listeners_of(pids: Iterable[int]) -> list[Listener]:
    """The listening sockets of `pids`, in order; none of a process that is hidden from us."""
    listeners = set()
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            for connection in psutil.Process(pid).net_connections("tcp"):
                if connection.status == psutil.CONN_LISTEN:
                    address, port = connection.laddr
                    listeners.add(Listener(_unmapped(address), port))
    return sorted(listeners)


def _unmapped(address: str) -> str:
    """An IPv4 address that is written as IPv6, as IPv4."""
    mapped = getattr(ipaddress.ip_address(address), "ipv4_mapped", None)
    return str(mapped or address)


def owner(port: int) -> str | None:
    """`python3 (pid 123)`: who listens on `port`; None if it is hidden from us, or nobody."""
    for connection in psutil.net_connections("tcp"):
        listens = connection.status == psutil.CONN_LISTEN and connection.laddr[1:] == (port,)
        if listens and connection.pid:
            with contextlib.suppress(psutil.Error):
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
    return None
