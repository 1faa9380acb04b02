"""A neighbour on a shared machine: it loads the cores in bursts, and ends with its bench."""

import os
import random
import subprocess
import sys
import time
from types import TracebackType

PROCESSES = 2
_LOOP = "from tests.ci_bench.neighbour import burst; burst(int(__import__('sys').argv[1]))"


class Neighbour:
    """While it is entered, and `noisy`, two processes that are pinned nowhere make noise."""

    def __init__(self, noisy: bool) -> None:
        self._count = PROCESSES if noisy else 0
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Neighbour":
        words = [sys.executable, "-c", _LOOP]
        self._running = [subprocess.Popen([*words, str(seed)]) for seed in range(self._count)]
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _value: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        for process in self._running:
            process.kill()
            process.wait()


def burst(seed: int) -> None:
    """Half of the time arithmetic and memory, half of the time nothing, in turns of up to 2 s."""
    chance = random.Random(seed)
    memory = bytearray(8 << 20)
    bench = os.getppid()
    while os.getppid() == bench:
        end_s = time.monotonic() + chance.uniform(0.05, 2.0)
        while time.monotonic() < end_s:
            memory[:] = memory[::-1]
        time.sleep(chance.uniform(0.05, 2.0))
