"""Processes that can be stopped for a while, and then go on as before."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress


class Freezer:
    """The processes of `pids` that run now, without those that they start later.

    They are held by descriptors, so that no signal goes to another process with the same number.
    """

    def __init__(self, pids: Iterable[int]) -> None:
        self._descriptors = []
        for pid in pids:
            with suppress(ProcessLookupError):
                self._descriptors.append(os.pidfd_open(pid))

    def freeze(self) -> None:
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        self._send(signal.SIGCONT)

    def close(self) -> None:
        self.thaw()
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()

    def _send(self, number: signal.Signals) -> None:
        for descriptor in self._descriptors:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, number)
