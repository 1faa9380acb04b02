"""Running one command of a contender.toml to its end, with its output kept."""

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


@dataclass(frozen=True)
class Outcome:
    """How a command ended: `status` 0 is success; `output` is both its streams."""

    status: int
    output: str

    @property
    def first_line(self) -> str:
        """The first line that says anything."""
        return next((line.strip() for line in self.output.splitlines() if line.strip()), "")


def run(
    words: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None, *, timeout_s: float
) -> Outcome:
    """Run `words` without a shell, in a session of its own that ends with us or with its time.

    A command that isn't there gives status 127, as a shell would say it.
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
        output, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        _end(process)
        return Outcome(124, f"{words[0]}: did not end within {timeout_s:g} s")
    except BaseException:
        _end(process)
        raise
    return Outcome(process.returncode, output.decode(errors="replace"))


def _die_with_parent() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _end(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
