"""The process that measures in a run's folder: others can find it, and end it as Ctrl-C does."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bakeoff.keeper import processes
from bakeoff.model.errors import BadUsage

FILE = ".holder"


@dataclass(frozen=True)
class Holder:
    """A process. Pids are used again, so its start counts too, in ticks since the machine's
    start."""

    pid: int
    started: int

    @property
    def is_there(self) -> bool:
        found = processes.process(self.pid)
        return found is not None and found.started == self.started and processes.is_running(found)

    def interrupt(self) -> None:
        """End what it measures, as Ctrl-C does. Raises `BadUsage` where that is impossible."""
        try:
            # From here on the descriptor means this process, whichever it is, and no later one with
            # its pid.
            process = os.pidfd_open(self.pid)
        except OSError:
            raise BadUsage(f"process {self.pid} has ended by itself") from None
        try:
            if not self.is_there:
                raise BadUsage(f"process {self.pid} has ended by itself")
            signal.pidfd_send_signal(process, _ending(self.pid))
        except PermissionError:
            raise BadUsage(f"process {self.pid} is another user's") from None
        except ProcessLookupError:
            raise BadUsage(f"process {self.pid} has ended by itself") from None
        finally:
            os.close(process)


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Let others find this process in `folder` for as long as it has the lock there."""
    me = processes.process(os.getpid())
    assert me, "this process is in /proc"
    draft = folder / f"{FILE}.tmp"
    draft.write_text(f"{me.pid} {me.started}\n")
    draft.replace(folder / FILE)
    try:
        yield
    finally:
        (folder / FILE).unlink(missing_ok=True)


def holder_of(folder: Path) -> Holder | None:
    """The process that measures in `folder`; None: there is none, or a kill has ended it."""
    with suppress(OSError, ValueError):
        pid, started = map(int, (folder / FILE).read_text().split())
        holder = Holder(pid, started)
        return holder if holder.is_there else None
    return None


def _ending(pid: int) -> signal.Signals:
    """SIGINT or, where it is ignored, as by a shell's background jobs, SIGTERM, which bakeoff
    treats alike.

    Raises `BadUsage` where SIGTERM would end the process without its verdict.
    """
    status = Path(f"/proc/{pid}/status").read_text(errors="replace")
    masks = {
        name: int(value, 16)
        for name, _, value in (line.partition(":") for line in status.splitlines())
        if name in ("SigIgn", "SigCgt")
    }
    if not masks["SigIgn"] >> (signal.SIGINT - 1) & 1:
        return signal.SIGINT
    if masks["SigCgt"] >> (signal.SIGTERM - 1) & 1:
        return signal.SIGTERM
    raise BadUsage(f"process {pid} ignores SIGINT: end it with kill {pid}")
