"""Running the commands of a contender.toml, one bakeoff at a time in a folder."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from subprocess import SubprocessError
from threading import Event

from bakeoff import command
from bakeoff.command import NEVER, POLL_S

INTERRUPT_S = 2.0
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Outcome:
    """How a command ended: `status` 0 is success; `output` has both its streams."""

    status: int
    output: str
    timed_out: bool = False

    @property
    def first_line(self) -> str:
        """The first line that isn't blank, without the colours that some programs always print."""
        plain = _COLOUR.sub("", self.output)
        return next((line.strip() for line in plain.splitlines() if line.strip()), "")


def run(
    argv: Sequence[str],
    folder: Path,
    env: Mapping[str, str] | None = None,
    *,
    timeout_s: float,
    stop: Event = NEVER,
) -> Outcome:
    """`command.run` with a shell's statuses: 127 if the command doesn't exist, 124 if the time is
    up."""
    try:
        ended = command.run(
            argv,
            folder=folder,
            env=env,
            one_stream=True,
            timeout_s=timeout_s,
            interrupt_s=INTERRUPT_S,
            stop=stop,
        )
    except (OSError, SubprocessError) as error:
        return Outcome(127, f"{argv[0]}: {getattr(error, 'strerror', None) or error}")
    if ended.status is None:
        fault = f"{argv[0]}: did not end within {timeout_s:g} s"
        return Outcome(124, ended.stdout + fault, timed_out=True)
    return Outcome(ended.status, ended.stdout)


@contextmanager
def locked(folder: Path, stop: Event = NEVER) -> Iterator[None]:
    """Wait for the lock of `folder`, and hold it. Raises KeyboardInterrupt once `stop` is set.

    The lock is on the folder itself: the lock file that filelock needs would stay in the
    contender's folder, among its sources.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        while not _taken(descriptor):
            if stop.wait(POLL_S):
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
