"""Run one command to its end, without a shell. It never outlives its time, or this process.

The kernel ends it if this process is killed. Processes that it started in its session are ended
with it or, after a kill, by the next sweep, since the session was recorded before the command ran.
"""

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from bakeoff.keeper import ledger
from bakeoff.keeper.processes import MARKER
from bakeoff.keeper.spawn import PR_SET_PDEATHSIG, prctl
from bakeoff.keeper.sweep import end_session

POLL_S = 0.1
"""How long a command may take to notice that it must stop."""
DRAIN_S = 1.0
"""How long the output of a killed command is read: a child that left its session may hold it
open."""
NEVER = Event()
"""The `stop` of a caller in the main thread, where Ctrl-C arrives by itself."""
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status is negative for a signal, None if its time was up."""

    status: int | None
    stdout: str
    stderr: str


def run(
    argv: Sequence[str],
    *,
    timeout_s: float,
    program: Path | None = None,
    folder: Path | None = None,
    env: Mapping[str, str] | None = None,
    one_stream: bool = False,
    cpus: Collection[int] = (),
    open_files: int = 0,
    interrupt_s: float = 0.0,
    stop: Event = NEVER,
) -> Ended:
    """Run `argv` in a session of its own, all of which is ended with it.

    `program` is what is executed, if not `argv[0]`; `env` is added to ours; with `one_stream`
    stdout has both streams. It runs only on `cpus`, unless that is empty, and may open `open_files`
    files. Processes that must be ended get `interrupt_s` between SIGINT and SIGKILL.

    `stop` is for threads other than the main one: once it is set, the command is ended and
    KeyboardInterrupt raised. Raises OSError or `subprocess.SubprocessError` if it can't be started.
    """
    with ledger.entered() as entry:
        process = None
        try:
            with _signals_wait() as mask:
                process = subprocess.Popen(
                    argv,
                    executable=program,
                    cwd=folder,
                    env={**os.environ, **(env or {}), MARKER: entry.name},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT if one_stream else subprocess.PIPE,
                    start_new_session=True,
                    preexec_fn=_preparation(cpus, open_files, mask, entry),
                )
            output, status = _output(process, timeout_s, stop), process.returncode
            end_session(process.pid)
        except BaseException as error:
            if process is None:
                raise
            _end(process, interrupt_s)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            output, status = _drained(process), None
    stdout, stderr = ((stream or b"").decode(errors="replace") for stream in output)
    return Ended(status, stdout, stderr)


def _output(
    process: "subprocess.Popen[bytes]", timeout_s: float, stop: Event
) -> tuple[bytes | None, bytes | None]:
    """All of its output. Raises TimeoutExpired, and KeyboardInterrupt for `stop`."""
    until_s = time.monotonic() + timeout_s
    while True:
        if stop.is_set():
            raise KeyboardInterrupt
        left_s = max(0.0, until_s - time.monotonic())
        wait_s = left_s if stop is NEVER else min(POLL_S, left_s)
        try:
            return process.communicate(timeout=wait_s)
        except subprocess.TimeoutExpired:
            if wait_s == left_s:
                raise


def _drained(process: "subprocess.Popen[bytes]") -> tuple[bytes | None, bytes | None]:
    try:
        return process.communicate(timeout=DRAIN_S)
    except subprocess.TimeoutExpired as error:
        return error.output, error.stderr


@contextlib.contextmanager
def _signals_wait() -> Iterator[set[int | signal.Signals]]:
    """Hold back signals until a fork is over; yields the mask for the child.

    Python runs the hooks of `os.register_at_fork` around a fork, and prints and drops exceptions in
    them, including a KeyboardInterrupt.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        yield mask
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _preparation(
    cpus: Collection[int], open_files: int, mask: set[int | signal.Signals], entry: ledger.Entry
) -> Callable[[], None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = open_files if hard == resource.RLIM_INFINITY else min(open_files, hard)
    us = os.getpid()
    plenty = soft == resource.RLIM_INFINITY or soft >= enough

    def prepare() -> None:
        # For the kernel the parent is the thread that forked. `run` stays in it until the end.
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != us:  # This process died before the line above took effect.
            os._exit(1)
        entry.add_session()
        if cpus:
            os.sched_setaffinity(0, cpus)
        if not plenty:
            resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    return prepare


def _end(process: "subprocess.Popen[bytes]", interrupt_s: float) -> None:
    """SIGINT first, if there is time, so that compilers remove what they were writing."""
    if interrupt_s:
        _signal(process, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(interrupt_s)
    _signal(process, signal.SIGKILL)
    process.wait()
    end_session(process.pid)


def _signal(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
