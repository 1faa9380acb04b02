"""A cable that delays and loses frames, for kernels without netem.

`python -m tests.cluster.poor_link ONE OTHER --delay-ms 1 --jitter-ms 0.1 --loss 0.001 --seed 1`
makes two TAP devices in its network namespace and carries every frame of the one to the other, in
order: each way takes `delay ± jitter`, and loses so large a share. It says `ready`, and, once it is
asked to end (SIGTERM), how many frames it carried and lost. Devices may be moved meanwhile.
"""

import argparse
import fcntl
import json
import os
import random
import select
import signal
import struct
import time
from collections import deque

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
FRAME_MAX = 65536
AT_ONCE = 64
"""Frames that are read before it is looked whether others are due."""


class Way:
    """One direction: frames of the device `source`, with the times at which they leave."""

    def __init__(self, source: int, sink: int, chance: random.Random) -> None:
        self.source, self._sink, self._chance = source, sink, chance
        self._held: deque[tuple[float, bytes]] = deque()
        self._last_s = 0.0
        self.carried = self.lost = 0

    def take(self, delay_s: float, jitter_s: float, loss: float) -> None:
        """Take what has come; frames don't overtake each other."""
        for _ in range(AT_ONCE):
            try:
                frame = os.read(self.source, FRAME_MAX)
            except BlockingIOError:
                return
            if self._chance.random() < loss:
                self.lost += 1
                continue
            due_s = time.monotonic() + delay_s + self._chance.uniform(-jitter_s, jitter_s)
            self._last_s = max(due_s, self._last_s)
            self._held.append((self._last_s, frame))

    def give(self) -> float | None:
        """Hand on what is due. How long until the next one is, s; None: none is held."""
        while self._held:
            left_s = self._held[0][0] - time.monotonic()
            if left_s > 0:
                return left_s
            try:
                os.write(self._sink, self._held.popleft()[1])
                self.carried += 1
            except OSError:
                # A cable that is pulled out, or a queue that is full.
                self.lost += 1
        return None


def tap(name: str) -> int:
    """A new TAP device, as a file that doesn't block."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return device


def main() -> None:
    parser = argparse.ArgumentParser(prog="poor_link")
    parser.add_argument("devices", nargs=2, metavar="NAME")
    parser.add_argument("--delay-ms", type=float, default=1.0, help="of each way")
    parser.add_argument("--jitter-ms", type=float, default=0.1)
    parser.add_argument("--loss", type=float, default=0.001)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    one, other = map(tap, chosen.devices)
    ways = [
        Way(one, other, random.Random(f"{chosen.seed}/there")),
        Way(other, one, random.Random(f"{chosen.seed}/back")),
    ]
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: asked.append(number))
    print("ready", flush=True)
    wait_s: float | None = None
    while not asked:
        came, _, _ = select.select([one, other], [], [], wait_s)
        for way in ways:
            if way.source in came:
                way.take(chosen.delay_ms / 1e3, chosen.jitter_ms / 1e3, chosen.loss)
        waits_s = [left_s for way in ways if (left_s := way.give()) is not None]
        wait_s = min(waits_s, default=0.2)
    counted = {"carried": sum(w.carried for w in ways), "lost": sum(w.lost for w in ways)}
    print(json.dumps(counted), flush=True)


if __name__ == "__main__":
    main()
