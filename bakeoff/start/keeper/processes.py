"""Who is alive: /proc, read once per question."""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

MARKER = "BAKEOFF_INSTANCE"
"""The environment variable that every process of a contender inherits; names its instance."""


class Process(NamedTuple):
    """One line of /proc/PID/stat, as far as it matters here. `started` is in ticks since boot."""

    pid: int
    state: str
    parent: int
    session: int
    started: int


def parse_stat(text: str) -> Process:
    """/proc/PID/stat. The name stands in brackets and may itself hold brackets and spaces."""
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
    """The process `pid`, zombies included; None where there is none."""
    try:
        return parse_stat(Path(f"/proc/{pid}/stat").read_text(errors="replace"))
    except OSError:
        return None


def processes() -> dict[int, Process]:
    """All processes that can be seen, by pid."""
    numbers = (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit())
    found = (process(int(number)) for number in numbers)
    return {one.pid: one for one in found if one}


def marker(pid: int) -> str | None:
    """The marker in the environment of `pid`; None where it has none or hides it."""
    try:
        return parse_marker(Path(f"/proc/{pid}/environ").read_bytes())
    except OSError:
        return None


def is_running(one: Process) -> bool:
    """Whether it still runs: a zombie has ended and waits for its parent alone."""
    return one.state not in "ZX"


def descendants(roots: Iterable[int], table: dict[int, Process]) -> set[int]:
    """All pids below `roots`, without the roots."""
    children: dict[int, list[int]] = {}
    for one in table.values():
        children.setdefault(one.parent, []).append(one.pid)
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

    Other namespaces count pids anew; whoever sees a name of theirs must know that it isn't ours.
    """
    one = process(pid)
    return f"{pid}-{one.started if one else 0}-{_namespace()}"


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
    keeper = process(pid)
    return (
        keeper is None or not is_running(keeper) or not instance_id.startswith(f"{identity(pid)}-")
    )


def send(signal_number: int, pids: Iterable[int]) -> None:
    """Send a signal to each; one that has gone, or isn't ours to end, is passed over."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal_number)
