"""What a run has on the machine, and what of it is left: processes, sockets, groups, folders."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from bakeoff.keeper import cgroups

LISTENS = "0A"
"""A state of /proc/net/tcp."""
LOOK_S = 0.05


class Footprint:
    """Of one folder: all that was started in it, as far as it was seen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: dict[tuple[int, float], psutil.Process] = {}
        self._sockets: dict[str, int] = {}

    def look(self, pid: int) -> None:
        """Remember the descendants of `pid`, and where they listen."""
        with suppress(psutil.Error):
            first = psutil.Process(pid)
            self._remember([first, *first.children(recursive=True)])

    def _remember(self, found: list[psutil.Process]) -> None:
        listening = dict(_listening())
        for each in found:
            with suppress(psutil.Error, OSError):
                self._seen[each.pid, each.create_time()] = each
                for link in Path(f"/proc/{each.pid}/fd").iterdir():
                    with suppress(OSError):
                        inode = str(link.readlink()).removeprefix("socket:[").rstrip("]")
                        if inode in listening:
                            self._sockets[inode] = listening[inode]

    def processes(self) -> list[psutil.Process]:
        """Those of it that run: that were seen, or whose folder or environment is ours."""
        found = {key: each for key, each in self._seen.items() if _runs(each)}
        for each in psutil.process_iter(["cwd", "environ", "cmdline", "create_time"]):
            told = (each.info["cwd"] or "", *(each.info["environ"] or {}).values())
            inside = any(str(self.folder) in text for text in told) and each.info["cmdline"]
            if inside and each.pid != os.getpid() and _runs(each):
                found[each.pid, each.info["create_time"]] = each
        return list(found.values())

    def left(self) -> list[str]:
        """All that is left, in words; the folders are those that a run gets from `Trial`."""
        found = [f"process {_named(each)}" for each in self.processes()]
        listening = dict(_listening())
        found += [f"port {port}" for inode, port in self._sockets.items() if inode in listening]
        keepers = tuple(f"{cgroups.PREFIX}{pid}-" for pid, _ in self._seen)
        for base in cgroups.bases():
            groups = (each for each in base.path.glob(f"{cgroups.PREFIX}*"))
            found += [f"group {each}" for each in groups if each.name.startswith(keepers)]
        found += [f"folder {path}" for path in self.folder.rglob("scratch")]
        found += [f"temporary {path}" for path in (self.folder / "tmp").iterdir()]
        running = self.folder / "state" / "bakeoff" / "running"
        found += [f"entry {path}" for path in running.glob("*")]
        return found

    def left_after(self, within_s: float) -> list[str]:
        """What remains so long afterwards at the latest."""
        until = time.monotonic() + within_s
        while (left := self.left()) and time.monotonic() < until:
            time.sleep(LOOK_S)
        return left

    def kill(self) -> None:
        """End all that runs."""
        for each in self.processes():
            with suppress(psutil.Error):
                each.kill()

    def evidence(self, pid: int) -> str:
        """What each process does now, for one that hangs; bakeoff itself says so by SIGABRT."""
        lines = [line for each in self.processes() for line in _state(each)]
        with suppress(OSError):
            os.kill(pid, signal.SIGABRT)  # PYTHONFAULTHANDLER: it prints its stacks, and ends.
        return "\n".join(lines)


def _state(process: psutil.Process) -> Iterator[str]:
    yield f"process {_named(process)}"
    for task in sorted(Path(f"/proc/{process.pid}/task").glob("*")):
        for name in ("comm", "wchan", "syscall", "stack"):
            with suppress(OSError):
                text = (task / name).read_text().strip().replace("\n", " < ")
                yield f"  {task.name} {name}: {text}"


def _named(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return f"{process.pid} {process.status()}: {' '.join(process.cmdline())}"
    return f"{process.pid}"


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _listening() -> Iterator[tuple[str, int]]:
    """The inode and the port of each listening socket of this machine."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENS:
                    yield fields[9], int(fields[1].rpartition(":")[2], 16)
