"""Some hundred clients that send a request byte by byte, beside the load."""

import base64
import contextlib
import os
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

from bakeoff.model.receipt import Handle

STOP_S = 5.0
BYTES_MAX = 4096
"""The length of a request: a slow client gets no further in its time."""


class SlowClients(AbstractContextManager["SlowClients"]):
    """A number of slow clients of one server, as a context, in a process of their own.

    Each sends the bytes of `request` one at a time, and again after the answer.

    It ends with the context, with its parent, or after a minute. `opened` is how many could
    connect; `end` closes them.
    """

    def __init__(self, handle: Handle, request: bytes, count: int, cpus: tuple[int, ...]) -> None:
        address, _, port = handle.address.rpartition(":")
        name = handle.tls.server_name if handle.tls else "localhost"
        sent = base64.b64encode(request[:BYTES_MAX]).decode()
        words = (address.strip("[]"), port, str(count), handle.protocol, name, sent)
        # On the generator's core, which no server uses.
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(Path(__file__).with_name("slow_sender.py")), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        if cpus:
            os.sched_setaffinity(self._process.pid, cpus)
        self.opened = self._said()

    def end(self) -> int:
        """Close all remaining ones; returns how many the server had not closed. May be called
        again."""
        if self._process.poll() is not None:
            return 0
        assert self._process.stdin and self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        held = self._said()
        self._process.stdout.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        return held

    def __exit__(self, *_: object) -> None:
        self.end()

    def _said(self) -> int:
        """The next number that it prints; 0: it has ended."""
        assert self._process.stdout
        return int(self._process.stdout.readline() or 0)
