"""When streams' events came, by the kernel's time stamps of the packets that brought them: a clock
that the engine has no part in. Root alone may look at packets.
"""

import ctypes
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

ETH_P_IP = 0x0800
SO_ATTACH_FILTER, SO_RCVBUFFORCE, SO_TIMESTAMPNS = 26, 33, 35
SOL_PACKET, PACKET_IGNORE_OUTGOING, PACKET_STATISTICS = 263, 23, 6
ROOM_BYTES = 64 << 20
EVENT_END, HEAD_END = b"\n\n", b"\r\n\r\n"


@dataclass
class Seen:
    """Nanoseconds: from each request's packet to the first one of its answer's body, and from each
    event's to the next one's of the same stream."""

    first_byte: list[int] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, packets: list[tuple[int, bytes]], port: int) -> Self:
        """Of (time, IP packet), in the order in which they came."""
        seen, asked, last = cls(), dict[int, int](), dict[int, int]()
        ends = dict[tuple[int, int], int]()
        for at_ns, packet in packets:
            ip, tcp = 4 * (packet[0] & 15), memoryview(packet)[4 * (packet[0] & 15) :]
            source, target, sequence = struct.unpack_from("!HHI", tcp)
            length = int.from_bytes(packet[2:4], "big") - ip
            payload = bytes(tcp[4 * (tcp[12] >> 4) : length])
            # What was sent before is sent again.
            if not payload or ends.get((source, target)) == (sequence + len(payload)):
                continue
            ends[source, target] = sequence + len(payload)
            if target == port:
                asked[source] = at_ns
                last.pop(source, None)
                continue
            body = payload.partition(HEAD_END)[2] if payload.startswith(b"HTTP/") else payload
            if body and target in asked:
                seen.first_byte.append(at_ns - asked.pop(target))
            for _ in range(body.count(EVENT_END)):
                if target in last:
                    seen.gaps.append(at_ns - last[target])
                last[target] = at_ns
        return seen


@contextmanager
def captured(port: int) -> Iterator[list[tuple[int, bytes]]]:
    """All TCP packets from and to `port` on loopback, with their times; whole at the end. Raises
    `PermissionError`, and `AssertionError` where the kernel dropped some."""
    packets: list[tuple[int, bytes]] = []
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0) as tap:
        tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM_BYTES)
        tap.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        tap.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        _keep_only(tap, port)
        tap.bind(("lo", ETH_P_IP))
        tap.setblocking(False)
        yield packets
        packets.extend(_waiting(tap))
        _, dropped = struct.unpack("II", tap.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    assert not dropped


def _waiting(tap: socket.socket) -> Iterator[tuple[int, bytes]]:
    while True:
        try:
            packet, ((_, _, stamp), *_), _, _ = tap.recvmsg(65536, 64)
        except BlockingIOError:
            return
        seconds, ns = struct.unpack("qq", stamp)
        yield seconds * 10**9 + ns, packet


def _keep_only(tap: socket.socket, port: int) -> None:
    """Let the kernel keep TCP of that port alone, of IPv4 without options (classic BPF)."""
    program = [
        (0x30, 0, 0, 9),  # the protocol
        (0x15, 0, 4, socket.IPPROTO_TCP),
        (0x28, 0, 0, 20),  # the source's port
        (0x15, 3, 0, port),
        (0x28, 0, 0, 22),  # the target's
        (0x15, 1, 0, port),
        (0x06, 0, 0, 0),
        (0x06, 0, 0, 0xFFFF),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    filter_ = struct.pack("HP", len(program), ctypes.addressof(code))
    tap.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, filter_)
