"""Which port a contender gets."""

import random
import socket
from pathlib import Path

from bakeoff.model.errors import ContenderOut
from bakeoff.start.sockets import owner

_LOWEST = 10_000
_TRIES = 200


class Ports:
    """Hands out free ports, none of them twice.

    They lie below the range from which the kernel takes the ports of outgoing connections: else
    the load generator's own connections, or what is left of them in TIME_WAIT, could hold one.
    """

    def __init__(self) -> None:
        self._given: set[int] = set()

    def free(self, host: str) -> int:
        """A port that nothing holds on any address. `host` is numeric."""
        for _ in range(_TRIES):
            port = random.randrange(_LOWEST, max(_outgoing_from(), _LOWEST + 1))
            if port not in self._given and _can_bind(_wildcard(host), port, reuse=0):
                return self._take(port)
        with socket.socket(_family(host)) as any_port:
            any_port.bind((host, 0))
            return self._take(any_port.getsockname()[1])

    def fixed(self, host: str, port: int) -> int:
        """`port`, which the contender insists on. Raises `ContenderOut` where it is taken.

        Connections in TIME_WAIT don't count: servers bind over them.
        """
        if not _can_bind(host, port, reuse=1):
            who = owner(port) or "a process that is hidden from this user"
            raise ContenderOut(f"port {port} is taken by {who}; end it, or take another port")
        return port

    def _take(self, port: int) -> int:
        self._given.add(port)
        return port


def parse_outgoing_from(text: str) -> int:
    """The first port of /proc/sys/net/ipv4/ip_local_port_range."""
    return int(text.split()[0])


def _outgoing_from() -> int:
    try:
        return parse_outgoing_from(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text())
    except (OSError, ValueError, IndexError):
        return 32_768


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _wildcard(host: str) -> str:
    return "::" if ":" in host or _has_ipv6() else "0.0.0.0"


def _has_ipv6() -> bool:
    return Path("/proc/net/if_inet6").exists()


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
