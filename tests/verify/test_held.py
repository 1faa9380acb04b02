"""The beginning of a stream that is to be held is right, or its fault has a name."""

import socket
import time
from contextlib import suppress

import pytest

from bakeoff.model.workload import Workload
from bakeoff.verify import verify
from tests.verify.serving import handle_and_entry, serving

GAP_MS = 100.0
WORKLOAD = Workload.checked(
    {"name": "a", "held": {"streams": 9, "path": "/ticks", "gap_ms": GAP_MS}}, "a"
)
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def faults(head: bytes, gap_ms: float = GAP_MS, most: int = 1000) -> tuple[str, ...]:
    """What is wrong with a server that answers `/ticks` so, and all else rightly."""

    def serve(connection: socket.socket) -> None:
        # A client that has read enough resets it.
        with connection, suppress(OSError):
            while asked := connection.recv(65536):
                if not asked.startswith(b"GET /ticks "):
                    connection.sendall(GOOD)
                    continue
                connection.sendall(head)
                for number in range(most if b"event-stream" in head else 0):
                    event = b"id: %d\ndata: tick\n\n" % number
                    chunk = b"%x\r\n%s\r\n" % (len(event), event)
                    connection.sendall(chunk if CHUNKED in head else event)
                    time.sleep(gap_ms / 1000)

    with serving(serve) as port:
        return verify(*handle_and_entry("a", port), WORKLOAD).problems


@pytest.mark.parametrize("coding", [CHUNKED, b""])
def test_a_stream_without_an_end_is_read_for_a_while(coding: bytes) -> None:
    begun = time.monotonic()
    assert faults(EVENTS + coding + b"\r\n") == ()
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("head", "gap_ms", "most", "fault"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", GAP_MS, 0, "status 404"),
        (GOOD, GAP_MS, 0, "not text/event-stream"),
        (EVENTS + CHUNKED + b"\r\n", GAP_MS, 0, "sent no event"),
        (EVENTS + CHUNKED + b"\r\n", 5000, 1, "sent 1 event in 1 s"),
        (EVENTS + CHUNKED + b"\r\n", 10, 1000, "ms apart, not 100 ms"),
        (b"", GAP_MS, 0, "did not answer"),
    ],
)
def test_what_cannot_be_held_is_named(head: bytes, gap_ms: float, most: int, fault: str) -> None:
    (said,) = faults(head, gap_ms, most)
    assert said.startswith("GET /ticks, the stream to be held: ")
    assert fault in said or (not head and "closed" in said), said
