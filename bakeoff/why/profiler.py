"""perf and strace, limited to the processes of contenders. Both always let go of them."""

import os
import re
import select
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from pwd import getpwuid
from shutil import which
from threading import Event
from typing import TypeVar

from bakeoff.command import Ended, run
from bakeoff.model.errors import BakeoffError
from bakeoff.model.finding import Finding
from bakeoff.model.why import COUNTERS, LAYERS, Layer
from bakeoff.why import names
from bakeoff.why.stacks import (
    Sample,
    calls_of_perf,
    calls_of_strace,
    counters_of_perf,
    family,
    samples,
)
from bakeoff.why.waits import Waits, can_be_seen

BY_POINTERS, BY_TABLES = "fp", "dwarf,4096"
"""How a function's callers are found, in perf's words, with the bytes of the stack that it keeps.

Go keeps frame pointers, and so does code that is compiled while it runs, which has no tables.
Compiled C, C++ and Rust have tables and seldom frame pointers: perf keeps the top of the stack with
each sample and looks callers up afterwards.
"""
PROC = Path("/proc")
_GO = b"\x04\x00\x00\x00Go\x00\x00"
"""In the note of a Go program that has its build's number, among its first bytes."""
_HEAD = 1 << 16
_WITHOUT_FILE = ("/memfd:", "[anon")


def with_tables(pids: Collection[int]) -> set[int]:
    """The processes whose callers are found only by tables."""
    options = run(["perf", "version", "--build-options"], timeout_s=10).stdout
    reads_tables = re.search(r"unwind: \[ on", options)
    return {pid for pid in pids if _has_tables(pid)} if reads_tables else set()


def _has_tables(pid: int) -> bool:
    with suppress(OSError):
        with (PROC / str(pid) / "exe").open("rb") as program:
            if _GO in program.read(_HEAD):
                return False
        return not _compiles((PROC / str(pid) / "maps").read_text(errors="replace"))
    return False


def _compiles(maps: str) -> bool:
    """Whether a process has code that is in no file, by its memory's maps."""
    for line in maps.splitlines():
        _, rights, _, _, _, *file = line.split(maxsplit=5)
        if "x" in rights and (not file or file[0].startswith(_WITHOUT_FILE)):
            return True
    return False


PERIOD_NS = 500_000
"""The time from one sample of a core to the next, or CPU time from one of a thread to the next."""
CALLS_BUFFER = "16M"
"""For each core: 150,000 system calls, more than a slice has. Nothing is lost before it is full."""
READY_S, WRITING_S, READING_S = 10.0, 10.0, 60.0
"""The longest times for a profiler to attach, to write its data, and for reading these."""
TIME_S = 120.0
ATTACH_S = 0.5
"""strace doesn't report when it has attached to all threads."""
STRACE_SHARE = 0.1
_LOST = " and lost "
"""`Processed 63377 events and lost 5 chunks!`"""
_TRIAL_S = 10.0
_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")
_QUIET = ("--no-buildid", "--no-buildid-cache", "--no-bpf-event")
"""perf would copy sampled programs to the user's home, and wait for programs of BPF for up to a
second at its end."""
_TRACING = (
    *("perf", "record", *_QUIET, "-q", "-R", "-c", "1"),
    *("-m", CALLS_BUFFER, "-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit"),
)


Loaded = TypeVar("Loaded")


class ProfilerFailed(BakeoffError):
    """A profiler could not attach, or left nothing readable."""


class Sampling:
    """The samples of `perf record`, once it has ended: file → the processes that are sampled."""

    def __init__(self, files: Mapping[Path, Collection[int]]) -> None:
        self._files = files

    def samples(self) -> list[Sample]:
        return [sample for file, pids in self._files.items() for sample in _samples(file, pids)]


class Profiler:
    """The abilities of this machine's profilers; `missing` has what they lack."""

    @property
    def environment(self) -> Mapping[str, str]:
        """With it, programs that make code while they run write down its names for perf, where
        `forget` removes them."""
        return names.environment()

    def forget(self, pids: Collection[int]) -> None:
        """Remove the names of code that ended processes have written down."""
        names.forget(pids)

    @cached_property
    def missing(self) -> Mapping[Layer, Finding]:
        """The layers that are not available to this user on this machine, with their reasons."""
        found: dict[Layer, Finding] = {}
        of_perf: tuple[Layer, ...] = ("stacks", "kernel", "counters")
        if not which("perf"):
            found |= dict.fromkeys(of_perf, Finding.of("no_perf"))
        elif failure := _failure(_record("cpu-clock:u", Path(os.devnull))):
            found |= dict.fromkeys(of_perf, _refused(failure))
        else:
            if not _sees_kernel():
                found["kernel"] = Finding.of("kernel_refused", paranoid=_paranoid())
            counted: Mapping[str, int] = {}
            with suppress(ProfilerFailed):
                counted = counters_of_perf(_output([*_counting(), "true"]))
            if not counted:
                found["counters"] = Finding.of("no_counters")
        counts = self._traces or (
            which("strace") and not _failure(["strace", "-c", "-o", os.devnull])
        )
        if not counts:
            found["calls"] = Finding.of("no_tracer")
        if not can_be_seen():
            found["waits"] = Finding.of("no_waits")
        return found

    @cached_property
    def _samples_cores(self) -> bool:
        """Whether perf may sample whole cores.

        A timer of a thread stops when the thread sleeps and is set again, to 10 µs at least, when
        it wakes up. So what runs 10 µs after that is sampled too often, and work on the way to
        sleep is not. A core's timer never stops, and switches of threads cost nothing more.
        """
        core = ("-C", str(min(os.sched_getaffinity(0))))
        return not _failure([*_record("cpu-clock", Path(os.devnull)), *core])

    @property
    def calls_share(self) -> float:
        """The share of a rate at which calls can be counted: strace stops a thread at each."""
        return 1.0 if self._traces else STRACE_SHARE

    @cached_property
    def _traces(self) -> bool:
        """Whether perf may see system calls begin and end, which slows them least."""
        return bool(which("perf")) and not _failure([*_TRACING, "-o", os.devnull])

    def refused(self, pids: Collection[int]) -> Mapping[Layer, Finding]:
        """The layers that are not available for `pids`, which belong to another user."""
        users = set[str]()
        for pid in pids if os.geteuid() else ():
            with suppress(OSError):
                owner = Path(f"/proc/{pid}").stat().st_uid
                users |= {_name_of(owner)} if owner != os.geteuid() else set()
        why = Finding.of("not_ours", user=", ".join(sorted(users)))
        return dict.fromkeys(LAYERS if users else (), why)

    @contextmanager
    def sampling(self, pids: Collection[int], file: Path) -> Iterator[Sampling]:
        """Sample the stacks of all threads of `pids`, and of those that they start, in the block.

        The results are in files beside `file`, whose names begin as its own. Raises
        `ProfilerFailed`.
        """
        event = "cpu-clock" if _sees_kernel() else "cpu-clock:u"
        tables = with_tables(pids)
        ways = {BY_POINTERS: {*pids} - tables, BY_TABLES: tables}
        files: dict[Path, Collection[int]] = {}
        with ExitStack() as held:
            for number, (way, own) in enumerate(ways.items()):
                if own:
                    own_file = file.with_stem(f"{file.stem}-{number}")
                    target = ("-C", _cores_of(own)) if self._samples_cores else ("-p", _listed(own))
                    argv = [*_record(event, own_file, way), *target]
                    held.enter_context(_held(argv, own_file))
                    files[own_file] = own
            yield Sampling(files)
        names.write_down(pids)

    def calls(
        self, pids: Collection[int], file: Path, load: Callable[[], Loaded]
    ) -> tuple[dict[str, int], Loaded]:
        """The system calls of all threads of `pids` during the `load`, by name, and the load's
        result.

        Raises `ProfilerFailed`, also where some of them were lost.
        """
        if not self._traces:
            return self._calls_of_strace(pids, file, load)
        with _held([*_TRACING, "-o", str(file), "-p", _listed(pids)], file):
            loaded = load()
        text = _output(["perf", "trace", "-s", "-i", str(file)])
        if _LOST in text:
            raise ProfilerFailed("perf lost system calls: there were too many for its buffer")
        return dict(calls_of_perf(text)), loaded

    def counters(
        self, pids: Collection[int], file: Path, load: Callable[[], Loaded]
    ) -> tuple[dict[str, int], Loaded]:
        """The cores' counters of all threads of `pids` during the `load`, and the load's result.

        Raises `ProfilerFailed`.
        """
        with _held([*_counting(), "-o", str(file), "-p", _listed(pids)], file):
            loaded = load()
        return dict(counters_of_perf(file.read_text())), loaded

    @staticmethod
    def waiting(pids: Collection[int]) -> Waits:
        """The activity of the threads of `pids` in the block."""
        return Waits(pids)

    def _calls_of_strace(
        self, pids: Collection[int], file: Path, load: Callable[[], Loaded]
    ) -> tuple[dict[str, int], Loaded]:
        argv = ["strace", "-c", "-f", "-o", str(file)]
        held = [word for pid in pids for word in ("-p", str(pid))]
        with _running([*argv, *held]) as running:
            with suppress(TimeoutError):
                _check(running.result(ATTACH_S))
            loaded = load()
        if not (text := file.read_text() if file.exists() else ""):
            raise ProfilerFailed("strace wrote nothing")
        return dict(calls_of_strace(text)), loaded


def _record(event: str, file: Path, way: str = BY_POINTERS) -> list[str]:
    sampled = ("-e", event, "-c", str(PERIOD_NS), "--call-graph", way, "-k", "CLOCK_MONOTONIC")
    return ["perf", "record", "-q", *_QUIET, *sampled, "-o", str(file)]


def _listed(numbers: Collection[int]) -> str:
    return ",".join(map(str, sorted(numbers)))


def _cores_of(pids: Collection[int]) -> str:
    """The cores that their threads may use."""
    cores = set[int]()
    for pid in pids:
        with suppress(OSError):
            for thread in (PROC / str(pid) / "task").iterdir():
                cores |= os.sched_getaffinity(int(thread.name))
    if not cores:
        raise ProfilerFailed("the processes are gone")
    return _listed(cores)


def _samples(file: Path, pids: Collection[int]) -> Iterator[Sample]:
    """Those of `pids` and of processes that they started meanwhile: a core has others, too."""
    fields = ("-F", "pid,time,ip,sym,dso", "--ns", "--no-inline", "--show-task-events")
    lines = _output(
        ["perf", "script", "-i", str(file), *fields, f"--pid={_listed(pids)}"]
    ).splitlines()
    own = family(lines, pids)
    return _samples(file, own) if len(own) > len({*pids}) else samples(lines)


def _counting() -> list[str]:
    mode = "" if _sees_kernel() else ":u"
    return ["perf", "stat", "-x", ";", "-e", ",".join(f"{name}{mode}" for name in COUNTERS)]


@contextmanager
def _held(argv: Sequence[str], file: Path) -> Iterator[None]:
    """perf, which has attached when the block begins, and has written its `file` when the
    block is over. perf signals by a pipe that it has attached."""
    pipes = [file.with_suffix(f".{way}") for way in ("ctl", "ack")]
    files: list[int] = []
    file.unlink(missing_ok=True)  # perf would keep it beside the new one, as FILE.old.
    try:
        for pipe in pipes:
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
            files.append(os.open(pipe, os.O_RDWR | os.O_CLOEXEC))
        control = f"--control=fifo:{pipes[0]},{pipes[1]}"
        with _running([*argv, "--delay=-1", control]) as running:
            os.write(files[0], b"enable\n")
            waited_s = 0.0
            while not select.select([files[1]], [], [], 0.05)[0]:
                waited_s += 0.05
                if running.done():
                    _check(running.result())
                if running.done() or waited_s > READY_S:
                    raise ProfilerFailed(f"{argv[0]} did not take hold of the processes")
            yield
    finally:
        for each in files:
            os.close(each)
        for pipe in pipes:
            pipe.unlink(missing_ok=True)


@contextmanager
def _running(argv: Sequence[str]) -> Iterator["Future[Ended]"]:
    """A profiler beside the block, which is interrupted after it and writes its data."""
    stop = Event()

    def until_stopped() -> Ended:
        with suppress(KeyboardInterrupt):
            return run(argv, timeout_s=TIME_S, interrupt_s=WRITING_S, stop=stop)
        return Ended(0, "", "")

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(until_stopped)
        try:
            yield running
        finally:
            stop.set()


def _check(ended: Ended) -> None:
    said = " ".join((ended.stderr or ended.stdout).split())
    raise ProfilerFailed(f"it ended with status {ended.status}: {said[:300]}")


def _output(argv: Sequence[str]) -> str:
    try:
        ended = run(argv, timeout_s=READING_S)
    except OSError as error:
        raise ProfilerFailed(f"{argv[0]}: {error.strerror}") from None
    if ended.status:
        raise ProfilerFailed(f"{' '.join(argv[:2])}: {' '.join(ended.stderr.split())[:300]}")
    # perf trace prints its tables to stderr.
    return ended.stdout or ended.stderr


def _failure(argv: Sequence[str]) -> str:
    """Why it can't be run on a program that does nothing; empty: it can."""
    try:
        ended = run([*argv, "true"], timeout_s=_TRIAL_S)
    except OSError as error:
        return str(error.strerror)
    said = " ".join((ended.stderr or ended.stdout).split())[:200]
    return (said or f"status {ended.status}") if ended.status else ""


def _refused(failure: str) -> Finding:
    level = _paranoid()
    if os.geteuid() and level > 2:
        return Finding.of("profiler_refused", paranoid=level)
    return Finding.of("profiler_fails", failure=failure)


def _name_of(user: int) -> str:
    try:
        return getpwuid(user).pw_name
    except KeyError:
        return str(user)


def _sees_kernel() -> bool:
    return not os.geteuid() or _paranoid() <= 1


def _paranoid() -> int:
    try:
        return int(_PARANOID.read_text())
    except (OSError, ValueError):
        return 2
