"""Processes, as /proc shows them."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

MARKER = "BAKEOFF_INSTANCE"
"""An environment variable that all processes of a contender inherit: their instance's id."""


class Process(NamedTuple):
    """What matters here of /proc/PID/stat. `started` is in ticks since the machine's boot."""

    pid: int
    state: str
    parent: int
    session: int
    started: int


def parse_stat(text: str) -> Process:
    """/proc/PID/stat. The name is in brackets and may itself contain brackets and spaces."""
    head, _, tail = text.rpartition(")")
    fields = tail.split()
    return Process(
        int(head.split(" ", 1)[0]), fields[0], int(fields[1]), int(fields[3]), int(fields[19])
    )


def parse_marker(environ: bytes) -> str | None:
    """The marker in the bytes of /proc/PID/environ."""
    start = f"{MARKER}=".encode()
    for entry in environ.split(b"\0"):
        if entry.startswith(start):
            return entry[len(start) :].decode("ascii", "replace")
    return None


def process(pid: int) -> Process | None:
    """The process `pid`, zombies included; None if there is none."""
    try:
        return parse_stat(Path(f"/proc/{pid}/stat").read_text(errors="replace"))
    except OSError:
        return None


def processes() -> dict[int, Process]:
    """All processes that can be seen, by pid."""
    numbers = (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit())
    table = ((int(number), process(int(number))) for number in numbers)
    return {pid: each for pid, each in table if each}


def marker(pid: int) -> str | None:
    """The marker in the environment of `pid`; None if it has none or hides it."""
    try:
        return parse_marker(Path(f"/proc/{pid}/environ").read_bytes())
    except OSError:
        return None


def is_running(process: Process) -> bool:
    """Whether it still runs: a zombie has ended and only waits for its parent."""
    return process.state not in "ZX"


def runs(pid: int) -> bool:
    """Whether there is a process `pid` that still runs."""
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

    Another namespace has the same pids; a name from there must be told from ours.
    """
    there = process(pid)
    return f"{pid}-{there.started if there else 0}-{_namespace()}"


def _namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def keeper_is_gone(instance_id: str) -> bool:
    """Whether `instance_id` belongs to a keeper of this pid namespace that no longer runs."""
    try:
        pid, _started, namespace, _number = (int(part) for part in instance_id.split("-"))
    except ValueError:
        return False
    if namespace != _namespace():
        return False
    return not runs(pid) or not instance_id.startswith(f"{identity(pid)}-")


def send(signal_number: int, pids: Iterable[int]) -> None:
    """Send a signal to each; processes that have ended or aren't ours are skipped."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal_number)
