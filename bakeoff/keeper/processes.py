"""Processes, as /proc shows them."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

MARKER = "BAKEOFF_INSTANCE"
"""An environment variable that all processes of a contender or a command inherit: the name of an
instance, or of an entry of the ledger."""
STAT_BYTES = 4096
"""More than 52 numbers and a name of 15 bytes need."""


class Process(NamedTuple):
    """The part of /proc/PID/stat that is needed here. `started` is in ticks since the machine's
    boot."""

    pid: int
    state: str
    parent: int
    session: int
    started: int
    name: str = ""


def parse_stat(text: str) -> Process:
    """/proc/PID/stat. The name is in brackets and may itself contain brackets and spaces."""
    head, _, tail = text.rpartition(")")
    pid, _, name = head.partition(" (")
    fields = tail.split()
    return Process(int(pid), fields[0], int(fields[1]), int(fields[3]), int(fields[19]), name)


def parse_marker(environ: bytes) -> str | None:
    """The marker in the bytes of /proc/PID/environ."""
    start = f"{MARKER}=".encode()
    for entry in environ.split(b"\0"):
        if entry.startswith(start):
            return entry[len(start) :].decode("ascii", "replace")
    return None


def process(pid: int) -> Process | None:
    """The process `pid`, zombies included; None: it doesn't exist, or it is hidden from us.

    Raises OSError where that can't be known, as with too many open files.
    """
    # Pathlib takes five times as long, and this is done for each process of the machine.
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return parse_stat(os.read(descriptor, STAT_BYTES).decode(errors="replace"))
        finally:
            os.close(descriptor)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None


def processes() -> dict[int, Process]:
    with os.scandir("/proc") as found:
        pids = [int(entry.name) for entry in found if entry.name.isdigit()]
    table = ((pid, process(pid)) for pid in pids)
    return {pid: each for pid, each in table if each}


def marker(pid: int) -> str | None:
    try:
        return parse_marker(Path(f"/proc/{pid}/environ").read_bytes())
    except OSError:
        return None


def is_running(process: Process) -> bool:
    """Whether it still runs: a zombie has ended and only waits for its parent."""
    return process.state not in "ZX"


def runs(pid: int) -> bool:
    """Whether a process `pid` exists and still runs."""
    there = process(pid)
    return there is not None and is_running(there)


def descendants(roots: Iterable[int], table: dict[int, Process]) -> set[int]:
    """All pids below `roots`, without the roots."""
    children: dict[int, list[int]] = {}
    for each in table.values():
        children.setdefault(each.parent, []).append(each.pid)
    below: set[int] = set()
    waiting = list(roots)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in below:
                below.add(child)
                waiting.append(child)
    return below


def identity(pid: int) -> str:
    """`pid`, made unique on this machine: pid, start time in ticks, and pid namespace.

    Another namespace has the same pids; a name from there must differ from ours.
    """
    there = process(pid)
    return f"{pid}-{there.started if there else 0}-{namespace()}"


def namespace() -> int:
    """The pid namespace that we see."""
    return Path("/proc/self/ns/pid").stat().st_ino


def is_gone(name: str) -> bool:
    """Whether the process with that identity no longer runs; the rest of a name may follow it.

    A process of another pid namespace can't be checked: it counts as running.
    """
    try:
        pid, started, seen_from = (int(part) for part in name.split("-")[:3])
    except ValueError:
        return False
    if seen_from != namespace():
        return False
    there = process(pid)
    return there is None or not is_running(there) or there.started != started


def send(signal_number: int, pids: Iterable[int]) -> None:
    """Send a signal to each; processes that have ended or aren't ours are skipped."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal_number)
