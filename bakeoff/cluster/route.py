"""The network between two nodes: round trips, the distance of their clocks, the throughput.

One side echoes for a moment on a port that the kernel chooses; the other sends. Of several
exchanges the one with the shortest round trip has the least error, which is half of that.
"""

import socket
import struct
import threading
import time
from statistics import median

from bakeoff.load import clocks
from bakeoff.model.machine import Route

EXCHANGES = 40
TIMEOUT_S = 5.0
SPEED_UP_S, CARRY_S = 0.05, 0.2
"""A connection finds its speed first, which doesn't count."""
_TIME = struct.Struct("!q")
_CHUNK = bytes(1 << 16)
_ECHO, _CARRY = b"e", b"c"

_listening: list[socket.socket] = []


def open_echo(address: str) -> int:
    """Answer exchanges at `address` until `close_echo`; returns the port."""
    close_echo()
    listener = socket.create_server((address, 0), family=_family(address))
    _listening.append(listener)
    threading.Thread(target=_serve, args=(listener,), daemon=True).start()
    port: int = listener.getsockname()[1]
    return port


def close_echo() -> None:
    while _listening:
        _listening.pop().close()


def _serve(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(TIMEOUT_S)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                while asked := connection.recv(1):
                    if asked == _CARRY:
                        while True:
                            connection.sendall(_CHUNK)
                    connection.sendall(_TIME.pack(time.monotonic_ns()))
            except OSError:
                continue


def exchange(load: str, server: str, port: int) -> Route:
    with socket.create_connection((server, port), TIMEOUT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def ask() -> int:
            connection.sendall(_ECHO)
            theirs_ns: int = _TIME.unpack(_received(connection, _TIME.size))[0]
            return theirs_ns

        trips = [clocks.exchange(ask) for _ in range(EXCHANGES)]
    best = min(trips, key=lambda trip: trip.error_ns)
    return Route(
        load=load,
        server=server,
        exchanges=len(trips),
        rtt_us=best.round_trip_ns / 1000,
        rtt_median_us=median(trip.round_trip_ns for trip in trips) / 1000,
        offset_ns=best.offset_ns,
        error_ns=best.error_ns,
    )


def carried_bytes_per_s(server: str, port: int) -> float:
    """The rate of one connection from the echo at `server`, over a fifth of a second.

    Raises OSError.
    """
    with socket.create_connection((server, port), TIMEOUT_S) as connection:
        connection.sendall(_CARRY)
        _bytes_per_s(connection, SPEED_UP_S)
        return _bytes_per_s(connection, CARRY_S)


def _bytes_per_s(connection: socket.socket, for_s: float) -> float:
    received, buffer = 0, bytearray(1 << 20)
    began_s = time.monotonic()
    while (lasted_s := time.monotonic() - began_s) < for_s:
        received += connection.recv_into(buffer)
    return received / lasted_s


def _received(connection: socket.socket, size: int) -> bytes:
    held = b""
    while len(held) < size:
        data = connection.recv(size - len(held))
        if not data:
            raise ConnectionResetError("the echo ended")
        held += data
    return held


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET
