"""Starting a contender: what happens between fork and exec."""

import contextlib
import ctypes
import json
import os
import resource
import signal
import time
from pathlib import Path
from typing import NamedTuple, NoReturn

from .cgroups import Base, enclose, remove_soon
from .ledger import Entry

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36
OPEN_FILES_AT_MOST = 1 << 20
"""Some servers allocate by the limit, which in containers can be a thousand times this."""

_libc = ctypes.CDLL(None, use_errno=True)


class Order(NamedTuple):
    """The process to start: `env` is added to the keeper's own, which is bakeoff's."""

    argv: list[str]
    folder: str
    env: dict[str, str]
    cpus: list[int]
    log: str


class Spawned(NamedTuple):
    """A started process; `exec_ns` is CLOCK_MONOTONIC when it was released."""

    pid: int
    group: Base | None
    exec_ns: int


class Unstartable(Exception):
    """The command could not be executed: `step` is what failed, `code` its errno."""

    def __init__(self, step: str, code: int) -> None:
        self.step, self.code = step, code
        super().__init__(f"{step}: {os.strerror(code)}")


def prctl(option: int, value: int | bytes) -> None:
    """prctl(2); a kernel that doesn't know the option is ignored."""
    argument = ctypes.c_char_p(value) if isinstance(value, bytes) else ctypes.c_ulong(value)
    unused = ctypes.c_ulong(0)
    _libc.prctl(option, argument, unused, unused, unused)


def spawn(order: Order, instance_id: str, candidates: list[Base], entry: Entry) -> Spawned:
    """Start `order` in a session and a group of its own, noted in `entry`. Raises `Unstartable`.

    The child waits on the pipe `go` until it is in its group, so no CPU time of the program is
    lost. It writes the failed step to the pipe `fault`; a successful exec closes it.
    """
    go_read, go_write = os.pipe()
    fault_read, fault_write = os.pipe()
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(go_write)
        _become(order, keeper, go_read, fault_write, entry)
    os.close(go_read)
    os.close(fault_write)
    group = enclose(pid, instance_id, candidates)
    try:
        if group:
            entry.add(group=str(group.path))
    except OSError as error:
        os.close(go_write)
        os.close(fault_read)
        _give_up(pid, group)
        raise Unstartable("ledger", error.errno or 0) from None
    exec_ns = time.monotonic_ns()
    with contextlib.suppress(BrokenPipeError):
        os.write(go_write, b"g")
    os.close(go_write)
    with os.fdopen(fault_read, "rb") as pipe:
        fault = pipe.read()
    if not fault:
        return Spawned(pid, group, exec_ns)
    _give_up(pid, group)
    raise Unstartable(*json.loads(fault))


def _give_up(pid: int, group: Base | None) -> None:
    os.waitpid(pid, 0)
    if group:
        remove_soon(group.path, within_s=0.5)


def _become(order: Order, keeper: int, go: int, fault: int, entry: Entry) -> NoReturn:
    """In the child: become the contender, or report what failed. Never returns."""
    step = "start"
    try:
        _stand_alone(keeper)
        step = "ledger"
        entry.add_session(order.log)
        if not os.read(go, 1):
            os._exit(1)
        step = "pin"
        if order.cpus:
            os.sched_setaffinity(0, order.cpus)
        step = "log"
        nothing = os.open(os.devnull, os.O_RDONLY)
        written = os.open(Path(order.log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for stream, file in ((0, nothing), (1, written), (2, written)):
            os.dup2(file, stream)
        step = "folder"
        os.chdir(order.folder)
        step = "exec"
        os.execvpe(order.argv[0], order.argv, {**os.environ, **order.env})
    except OSError as error:
        os.write(fault, json.dumps([step, error.errno]).encode())
    finally:
        os._exit(127)


def _stand_alone(keeper: int) -> None:
    """Own session, default signals, many open files; it dies with the keeper."""
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:  # It died before the line above took effect.
        os._exit(1)
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = (
        OPEN_FILES_AT_MOST if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES_AT_MOST)
    )
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
