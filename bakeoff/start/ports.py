"""Ports of contenders."""

import random
import socket
from pathlib import Path

from bakeoff.keeper.processes import processes
from bakeoff.model.errors import ContenderOut
from bakeoff.start.listeners import holding, listeners

_LOWEST = 10_000
_TRIES = 200


class Ports:
    """Hands out ports that are free for TCP and UDP, none of them twice.

    They lie below the range from which the kernel takes the ports of outgoing connections: else
    one of the load generator's connections, perhaps in TIME_WAIT, could hold a contender's port.
    """

    def __init__(self) -> None:
        self._given: set[int] = set()

    def free(self, host: str) -> int:
        """A port that is free on every address. `host` is numeric."""
        wildcard = "::" if ":" in host or Path("/proc/net/if_inet6").exists() else "0.0.0.0"
        for _ in range(_TRIES):
            port = random.randrange(_LOWEST, max(_outgoing_from(), _LOWEST + 1))
            if (
                port not in self._given
                and can_bind(wildcard, port)
                and can_bind(wildcard, port, udp=True)
            ):
                return self._give(port)
        with socket.socket(_family(host)) as any_port:
            any_port.bind((host, 0))
            return self._give(any_port.getsockname()[1])

    def fixed(self, host: str, port: int, *, udp: bool = False) -> int:
        """`port`, if it is free. Raises `ContenderOut`.

        Connections in TIME_WAIT don't count: servers bind over them.
        """
        # A UDP port with that option is shared with other sockets that have it, too.
        if not can_bind(host, port, reuse=not udp, udp=udp):
            who = _owner(port, udp=udp) or "a process that is hidden from this user"
            raise ContenderOut(f"port {port} is taken by {who}; end it, or take another port")
        return port

    def _give(self, port: int) -> int:
        self._given.add(port)
        return port


def _outgoing_from() -> int:
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 32_768


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def can_bind(host: str, port: int, *, reuse: bool = False, udp: bool = False) -> bool:
    """Whether `port` can be bound at `host`; `::` stands for every address of both families."""
    kind = socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
    with socket.socket(_family(host), kind) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
        if host == "::":
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _owner(port: int, *, udp: bool) -> str | None:
    """`python3 (pid 123)`, the owner of `port`; None: it is hidden from us, or there is none."""
    table = processes()
    for pid in holding(
        [listener for listener in listeners(udp=udp) if listener.port == port], table
    ):
        return f"{table[pid].name} (pid {pid})"
    return None
