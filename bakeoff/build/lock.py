"""One at a time in a folder, whichever bakeoff it is."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from threading import Event

from bakeoff.build.commands import LOOK_S, NEVER


@contextmanager
def locked(folder: Path, stop: Event = NEVER) -> Iterator[None]:
    """Hold the lock of `folder`, waiting for it; it is on the folder itself and leaves no file.

    Raises KeyboardInterrupt once `stop` is set, as `run` does.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        while not _taken(descriptor):
            if stop.wait(LOOK_S):
                raise KeyboardInterrupt
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True
