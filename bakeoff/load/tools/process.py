"""One run of a program that makes load: on its cores, and no longer than it may take."""

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)

# Files that a load tool has open besides its connections.
OWN_FILES = 64


@dataclass(frozen=True)
class Ended:
    """How a program ended: `status` is negative for a signal, None where its time was over."""

    status: int | None
    stdout: str
    stderr: str


def run(
    words: Sequence[str],
    program: Path,
    *,
    cpus: tuple[int, ...],
    connections: int,
    timeout_s: float,
) -> Ended:
    """Run `program`, without a shell, in a session of its own that ends with us or with its time.

    It runs on `cpus` alone, unless there are none, and may open a file for each of `connections`.
    Raises OSError or `subprocess.SubprocessError` where it can't be started like that.
    """
    process = subprocess.Popen(
        words,
        executable=program,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_preparation(cpus, connections + OWN_FILES),
    )
    try:
        said, status = process.communicate(timeout=timeout_s), process.returncode
    except subprocess.TimeoutExpired:
        _end(process)
        said, status = process.communicate(), None
    except BaseException:
        _end(process)
        raise
    stdout, stderr = (one.decode(errors="replace") for one in said)
    return Ended(status, stdout, stderr)


def _preparation(cpus: tuple[int, ...], files: int) -> Callable[[], None]:
    """What the child does before it becomes the program."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = files if hard == resource.RLIM_INFINITY else min(files, hard)
    plenty = soft == resource.RLIM_INFINITY or soft >= enough

    def prepare() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if cpus:
            os.sched_setaffinity(0, cpus)
        if not plenty:
            resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))

    return prepare


def _end(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
