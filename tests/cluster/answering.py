"""A child process for tests of `bakeoff.cluster.calls`: python -m tests.cluster.answering."""

import ctypes
import os
import sys
import threading

from bakeoff.cluster.calls import serve


class Answering:
    """What is called."""

    def __init__(self) -> None:
        self._go_on = threading.Event()

    def pid(self) -> int:
        return os.getpid()

    def wait(self) -> str:
        self._go_on.wait()
        return "waited"

    def go_on(self) -> None:
        self._go_on.set()

    def fail(self) -> None:
        raise LookupError("not here")

    def leave(self) -> None:
        """Nothing has to be left."""

    def hold_up(self) -> None:
        """Let no other thread run, as Ray does."""
        ctypes.PyDLL(None).pause()

    def die(self) -> None:
        """End this process, with words."""
        print("a last word", file=sys.stderr, flush=True)
        os._exit(7)


if __name__ == "__main__":
    serve(Answering())
