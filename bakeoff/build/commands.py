"""Running one command of a contender.toml to its end, with its output kept."""

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

PR_SET_PDEATHSIG = 1
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LOOK_S = 0.1
"""How long a command or a lock may take to notice that it is to end."""
GRACE_S = 2.0
NEVER = Event()
"""The `stop` of whoever has one thread only: Ctrl-C reaches it by itself."""
_libc = ctypes.CDLL(None)


@dataclass(frozen=True)
class Outcome:
    """How a command ended: `status` 0 is success; `output` is both its streams."""

    status: int
    output: str
    timed_out: bool = False

    @property
    def first_line(self) -> str:
        """The first line that says anything, without the colours that some always print."""
        plain = _COLOUR.sub("", self.output)
        return next((line.strip() for line in plain.splitlines() if line.strip()), "")


def run(
    words: Sequence[str],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    *,
    timeout_s: float,
    stop: Event = NEVER,
) -> Outcome:
    """Run `words` without a shell, in a session of its own that ends with us or with its time.

    A command that isn't there gives status 127, as a shell would say it. `stop` is for commands
    that run in other threads than the main one, where no Ctrl-C arrives: once it is set, the
    session is ended and KeyboardInterrupt raised.
    """
    try:
        process = subprocess.Popen(
            words,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
    except OSError as error:
        return Outcome(127, f"{words[0]}: {error.strerror}")
    try:
        output = _output(process, timeout_s, stop)
    except subprocess.TimeoutExpired as error:
        _end(process)
        said = (error.output or b"").decode(errors="replace")
        return Outcome(124, f"{said}{words[0]}: did not end within {timeout_s:g} s", timed_out=True)
    except BaseException:
        _end(process)
        raise
    return Outcome(process.returncode, output.decode(errors="replace"))


def _output(process: "subprocess.Popen[bytes]", timeout_s: float, stop: Event) -> bytes:
    """All that it prints, to its end. Raises TimeoutExpired, and KeyboardInterrupt for `stop`."""
    until_s = time.monotonic() + timeout_s
    while True:
        if stop.is_set():
            raise KeyboardInterrupt
        left_s = until_s - time.monotonic()
        try:
            return process.communicate(timeout=max(0.0, min(LOOK_S, left_s)))[0]
        except subprocess.TimeoutExpired:
            if left_s <= LOOK_S:
                raise


def _die_with_parent() -> None:
    # The kernel takes the thread that forked for the parent. `run` stays in it until the end.
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ctrl-C for its session first, so that compilers remove what they were writing."""
    for sign, within_s in ((signal.SIGINT, GRACE_S), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(within_s)
