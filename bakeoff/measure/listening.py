"""How many connections may wait in a listening socket's queue, as the kernel says it."""

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
REQUEST, DUMP = 0x1, 0x300
MESSAGE_DONE, MESSAGE_ERROR = 3, 2
LISTEN = 10
_HEADER = struct.Struct("=IHHII")
# inet_diag_req_v2: family, protocol, extensions, states, and a socket id that asks for all.
_REQUEST = struct.Struct("=BBBxI48x")
# inet_diag_msg: the source port, and the two queues; of a listening socket the second is
# the length that listen(2) asked for, cut to net.core.somaxconn.
_ANSWER = struct.Struct("=4x2s50xII8x")


def read_listen_queue(port: int) -> int | None:
    """The places in the queues of all sockets that listen on a TCP port of this network namespace.

    None where nobody listens there, or the kernel doesn't say.
    """
    places = [
        places
        for family in (socket.AF_INET, socket.AF_INET6)
        for source, places in _listening(family)
        if source == port
    ]
    return sum(places) if places else None


def _listening(family: int) -> Iterator[tuple[int, int]]:
    """Port and places of each listening socket (inet_diag, sock_diag(7))."""
    request = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 1 << LISTEN)
    header = _HEADER.pack(_HEADER.size + len(request), SOCK_DIAG_BY_FAMILY, REQUEST | DUMP, 0, 0)
    with (
        suppress(OSError),
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as kernel,
    ):
        kernel.settimeout(1.0)
        kernel.sendto(header + request, (0, 0))
        while True:
            answer, at = kernel.recv(1 << 16), 0
            while at + _HEADER.size <= len(answer):
                length, kind, *_ = _HEADER.unpack_from(answer, at)
                if kind in (MESSAGE_DONE, MESSAGE_ERROR):
                    return
                port, _, places = _ANSWER.unpack_from(answer, at + _HEADER.size)
                yield int.from_bytes(port, "big"), places
                at += length + -length % 4
