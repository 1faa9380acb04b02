"""Times of events by volley's clock and by the kernel's: the same streams, packet by packet.

    .venv/bin/python engine/bench/packets.py --out records/DATE-event-times.json

`brick-yardstick` sends events with known gaps, `volley load --events` reads them, and a socket sees
all packets of the loopback device with the kernel's time of each. Both have the same streams from
the first to the last. The first event's time is that from the packet with the request to the packet
with the event's end, and a gap is that between two such packets. volley takes its time when it has
read an event, so it may only be later. It needs root and
`make release-engine build/brick/brick-yardstick`.
"""

from __future__ import annotations

import argparse
import json
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from generators import RELEASE
from machine import machine
from servers import BRICK

EVENTS, STREAMS = 20, 640
SCRIPTS = {
    "16 streams, 10 ms apart": (16, f"events={EVENTS}&first=5ms&gap=10ms&jitter=5ms"),
    "64 streams, 2 ms apart": (64, f"events={EVENTS}&first=5ms&gap=2ms&jitter=1ms"),
}
"""Connections, and the query."""
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
ETH_P_IP, SOL_PACKET, PACKET_STATISTICS, PACKET_OUTGOING = 0x0800, 263, 6, 4
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35
BUFFER_BYTES = 256 << 20
END = b"\n\n"


@dataclass
class Stream:
    """One answer's times, µs."""

    asked_us: float
    events_us: list[float] = field(default_factory=list)
    last: bytes = b""

    def hear(self, data: bytes, at_us: float) -> None:
        """The packet ends so many events; an end may be in two packets."""
        self.events_us += [at_us] * (self.last + data).count(END)
        self.last = data[-1:]


def packets(capture: socket.socket) -> Iterator[tuple[float, int, int, bytes]]:
    """Each TCP segment with data once: when, µs, both ports, and the data."""
    while True:
        try:
            frame, more, _, origin = capture.recvmsg(1 << 17, 64)
        except BlockingIOError:
            return
        if origin[2] == PACKET_OUTGOING or frame[23] != socket.IPPROTO_TCP:
            continue
        seconds, ns = struct.unpack("qq", more[0][2])
        tcp = 14 + 4 * (frame[14] & 15)
        length = struct.unpack_from("!H", frame, 16)[0]
        source, target = struct.unpack_from("!HH", frame, tcp)
        data = frame[tcp + 4 * (frame[tcp + 12] >> 4) : 14 + length]
        if data:
            yield seconds * 1e6 + ns / 1e3, source, target, data


def streams(capture: socket.socket, port: int) -> list[Stream]:
    """The streams of the server at a port, in the order of their requests."""
    found: list[Stream] = []
    of_client: dict[int, Stream] = {}
    for at_us, source, target, data in packets(capture):
        if target == port:
            of_client[source] = Stream(at_us)
            found.append(of_client[source])
        elif source == port:
            of_client[target].hear(data, at_us)
    _, dropped = struct.unpack("II", capture.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    if dropped:
        sys.exit(f"the kernel dropped {dropped} of the packets that it should have shown")
    return found


@contextmanager
def loopback() -> Iterator[socket.socket]:
    """All packets of the loopback device from now on."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_IP)) as capture:
        capture.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
        capture.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        capture.bind(("lo", 0))
        capture.setblocking(False)
        yield capture


def compared(volley: dict[str, float], times_us: Sequence[float]) -> dict[str, dict[str, float]]:
    """volley's mean and quantiles, the packets', and how much later volley's are, µs."""
    true_us = {"mean": float(np.mean(times_us))} | {
        name: float(np.quantile(times_us, share, method="inverted_cdf"))
        for name, share in QUANTILES.items()
    }
    return {
        name: {"volley_us": volley[name], "packets_us": us, "later_us": volley[name] - us}
        for name, us in true_us.items()
    }


def measured(connections: int, query: str) -> dict[str, Any]:
    """One load: how much later than the packets volley saw first events and gaps."""
    server = [BRICK, "--port", "0", "--threads", "1"]
    with subprocess.Popen(["taskset", "-c", "0", *server], stdout=subprocess.PIPE) as brick:
        try:
            assert brick.stdout
            port = int(brick.stdout.readline().split(b"/")[2].rpartition(b":")[2])
            url = f"http://127.0.0.1:{port}/events?{query}"
            load = [
                str(RELEASE / "volley"),
                "load",
                "--events",
                "--cpus",
                "1",
                "-c",
                str(connections),
            ]
            load += ["-n", str(STREAMS), "--json", url]
            with loopback() as capture:
                said = json.loads(subprocess.run(load, check=True, stdout=subprocess.PIPE).stdout)
                seen = streams(capture, port)
        finally:
            brick.kill()
    assert [len(each.events_us) for each in seen] == [EVENTS] * STREAMS
    gaps_us = [gap for each in seen for gap in np.diff(each.events_us)]
    events = said["events"]
    return {
        "url": url.replace(str(port), "PORT"),
        "first": compared(events["first_us"], [each.events_us[0] - each.asked_us for each in seen]),
        "gap": compared(events["gap_us"], gaps_us),
    }


def main() -> None:
    """Run all scripts, print them, and write the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="of each script (5)")
    parser.add_argument("--out", type=Path, help="write the record there")
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    for number in range(options.rounds):
        for name, script in SCRIPTS.items():
            each = {"script": name, "round": number, **measured(*script)}
            found.append(each)
            for figure in ("first", "gap"):
                later = [f"{of} {us['later_us']:+.1f}" for of, us in each[figure].items()]
                print(f"{name}, {figure}: volley later by {', '.join(later)} µs", flush=True)
    if options.out:
        what = f"event times of volley beside the kernel's of each packet, {STREAMS} streams each"
        record = {"what": what, "machine": machine(), "rounds": found}
        options.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
