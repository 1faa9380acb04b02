"""Why a contender can't be started, or how it died, in words for people."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bakeoff.start.listeners import Listener, endpoint

_TAIL_LINES = 15
_TAIL_BYTES = 16_384


def unstartable(step: str, code: int, program: str, folder: str) -> str:
    """Why the command can't be executed."""
    why = os.strerror(code)
    if step == "exec":
        hint = "; is it installed?" if "/" not in program else ""
        return f"`{program}` can't be executed: {why}{hint}"
    if step == "folder":
        return f"its folder {folder} can't be entered: {why}"
    if step == "pin":
        return f"it can't be pinned to its cores: {why}; `nproc --all` says which there are"
    return f"it can't be started ({step}): {why}"


def ending(status: int) -> str:
    """`exited with status 1`, or `was killed by signal SIGSEGV` for a negative status."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"was killed by signal {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def ended(status: int, lived_s: float, answers: int | None, doing: str) -> str:
    """How it ended after its first answer; `answers` is None if they were not counted."""
    after = (
        "" if answers is None else f" after {answers:,} answer{'s' * (answers != 1)} to the load"
    )
    return f"{ending(status)}{after}, {lived_s:.1f} s after its start{doing and f', {doing}'}"


def waited_for(waited_s: float, timeout_s: float, last: str) -> str:
    """It has not answered yet."""
    has_s = round(timeout_s, 2)
    return f"not ready after {waited_s:.0f} s ({last}); it has {has_s:g} s: see --ready-timeout"


def died(status: int, lived_s: float, left: int) -> str:
    """It ended before it answered and left `left` processes running."""
    text = f"{ending(status)} after {lived_s:.1f} s, before it answered"
    if left:
        text += f", and left {left} process{'es' if left > 1 else ''} in the background"
    return text


STAY = "; its command must stay in the foreground until it is stopped"
"""The advice for one that left processes in the background."""


def elsewhere(listeners: Sequence[Listener], host: str, port: int) -> str:
    """It listens, but at another place than it was told."""
    places = " and ".join(map(str, listeners))
    if any(listener.port == port for listener in listeners):
        return (
            f"it listens on {places}, not on {endpoint(host, port)} that it was given: "
            "use {host} or $HOST in the command"
        )
    return (
        f"it listens on {places}, not on port {port} that it was given: "
        f"use {{port}} or $PORT in the command, or give --port {listeners[0].port}"
    )


def not_ready(timeout_s: float, last: str) -> str:
    """It didn't answer in time; `last` is the fault of the last attempt."""
    return (
        f"not ready within {round(timeout_s, 2):g} s (--ready-timeout gives it more); "
        f"the last attempt: {last}"
    )


class Log(NamedTuple):
    """The log of one process, which begins at a byte of a file that several processes write."""

    path: Path
    begins: int

    @classmethod
    def now(cls, path: Path) -> "Log":
        """The log of a process that is about to start."""
        return cls(path, path.stat().st_size if path.exists() else 0)


def with_tail(text: str, log: Log, advice: str = "") -> str:
    """`text` and `advice`, and below them the end of `log` if it is not empty."""
    lines = _end_of(log).decode("utf-8", "replace").strip().splitlines()
    if not lines:
        return f"{text} (its log is empty){advice}"
    tail = (f"  {line}" for line in lines[-_TAIL_LINES:])
    return "\n".join([f"{text}{advice}; the end of its log:", *tail])


def _end_of(log: Log) -> bytes:
    try:
        with log.path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            # A server may have truncated its log.
            begins = log.begins if log.begins <= size else 0
            file.seek(max(begins, size - _TAIL_BYTES))
            return file.read()
    except OSError:
        return b""
