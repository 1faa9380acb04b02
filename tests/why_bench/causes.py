"""The causes that are planted, into which servers, how large, and the names that each may have."""

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SERVERS = Path(__file__).parent / "servers"
YARDSTICK = Path("build/brick/brick-yardstick").absolute()
SIZES: Mapping[str, Sequence[str]] = {
    "calls": ("1", "3", "10", "30", "100"),
    "pieces": ("100", "60", "40", "30", "20"),
    "copy": ("16KiB", "32KiB", "64KiB", "128KiB", "256KiB"),
    "allocations": ("20", "50", "100", "200", "500"),
    "header": ("500", "1000", "2000", "4000", "8000"),
    "line": ("100", "500", "1000", "2000", "4000"),
    "fault": ("8KiB", "16KiB", "32KiB", "64KiB", "128KiB"),
    "loops": ("500", "1000", "2000", "5000", "10000"),
    "sleep": ("1us", "10us", "20us", "50us", "100us"),
    "lock": ("100us", "200us", "300us", "500us", "1ms"),
}
"""Of brick-yardstick's options."""
SIZES_IN: Mapping[str, Mapping[str, Sequence[str]]] = {
    "yardstick": SIZES,
    **{
        language: {
            "loops": loops,
            "calls": ("10", "50"),
            "allocations": ("100", "500"),
            "line": ("100", "2000"),
            "header": ("500", "4000"),
            "sleep": ("20", "100"),
        }
        for language, loops in {
            "go": ("2000", "10000"),
            "node": ("5000", "20000"),
            "python": ("100", "500"),
        }.items()
    },
}
CLOCKED = ("calls", "copy", "allocations", "line", "fault", "loops")
"""Causes that the yardstick can time itself. The others change what happens elsewhere: segments,
wake-ups, the next call after a sleep."""

_KERNEL_ENTRY = ("entering",)
_SCHEDULED = ("in_scheduling", "in_waking", "nanosleep", "timer", *_KERNEL_ENTRY)
CONSISTS_OF: Mapping[str, Sequence[str]] = {
    "calls": ("getppid", "syscall", "::call", *_KERNEL_ENTRY),
    "pieces": ("segments_differ", "send", "write", "net::", "epoll_ctl", "in_scheduling"),
    "copy": ("copy", "mem"),
    "allocations": ("alloc", "free", "chunk"),
    "header": ("heads_differ", "headers", "header_", "send", "mem", "Response", "field"),
    "line": ("logs", "write", *_KERNEL_ENTRY),
    "fault": ("in_page_faults", "mmap", "munmap", "madvise", "::fault"),
    "loops": ("arithmetic",),
    "sleep": _SCHEDULED,
    # The thread that holds the lock sleeps.
    "lock": ("futex", "lock", "thread", *_SCHEDULED),
}
"""Parts of the names by which a finding may name each cause, the yardstick's."""
_GO_COLLECTS = (
    "gc",
    "mark",
    "scan",
    "sweep",
    "span",
    "Span",
    "heap",
    "grey",
    "typePointers",
    "bulkBarrier",
    "runtime",
)
_PYTHON_NUMBERS = ("k_mul", "x_mul", "x_add", "PyObject_Malloc", "PyObject_Free")
_PYTHON_CALLS = ("_PyEval", "PyObject_Vectorcall", "cfunction")
ALSO_IN: Mapping[str, Mapping[str, Sequence[str]]] = {
    "yardstick": {},
    "go": {
        "calls": ("main.call", "Syscall"),
        "allocations": ("allocate", "memclr", "in_page_faults", *_GO_COLLECTS),
        "line": ("os.(*File)", "internal/poll", "runtime"),
        # An answer above the writer's buffer of 4 KiB takes a second write.
        "header": (
            "Header",
            "textproto",
            "httpguts",
            "maps.",
            "bufio",
            "strings",
            "write",
            "segments_differ",
        ),
        # A goroutine that sleeps is parked and made ready again by the runtime. Meanwhile the one
        # that reads ahead on its connection gets its turn, and makes a call in vain.
        "sleep": ("futex", "epoll", "runtime", "time", "read"),
    },
    "node": {
        "calls": ("JS:*call", "ppid", "Ppid", "Builtins", "v8", "node::"),
        "allocations": ("allocate", "Builtins", "v8", "in_page_faults"),
        "line": ("writeLine", "writeSync", "Builtins", "v8", "node::", "node:fs", "uv_fs"),
        "header": ("Header", "Builtins_RegExp", "v8", "OneByte", "checkInvalid", "_http_outgoing"),
        # It sleeps in Atomics.wait, which is a futex with a timeout.
        "sleep": ("futex", "FutexEmulation", "Atomics", "thread"),
    },
    "python": {
        "loops": (*_PYTHON_CALLS, "long_", "PyNumber", "PyLong", "rangeiter", *_PYTHON_NUMBERS),
        "calls": ("py::call", "ppid", *_PYTHON_CALLS, "PyLong"),
        "allocations": ("py::allocate", "bytearray", "_Malloc", "_Free", "list", *_PYTHON_CALLS),
        "line": ("py::write_line", "os_write", *_PYTHON_CALLS),
        "header": ("bytes", "py::answer"),
        "sleep": ("sleep", "futex", "take_gil", "drop_gil"),
    },
}
"""The same in other servers. Of a Python without frame pointers the interpreter's functions are all
that can be named."""


@dataclass(frozen=True)
class Planted:
    """One try's cause."""

    server: str
    cause: str
    size: str
    run: int

    @property
    def is_clocked(self) -> bool:
        """Whether the yardstick can tell what the cause takes."""
        return self.cause in CLOCKED

    def owns(self, name: str) -> bool:
        """Whether a function, call, kind of work or finding may be this cause."""
        parts = (*CONSISTS_OF[self.cause], *ALSO_IN[self.server].get(self.cause, ()))
        return any(part in name for part in parts)

    def commands(self, built: Path, log: Path, python: str) -> tuple[str, str]:
        """The server with the cause, and without."""
        program = {
            "yardstick": [str(YARDSTICK), "--quiet", "--io", "epoll"],
            "go": [str(built / "planted-go")],
            "node": ["node", str(SERVERS / "planted.js")],
            "python": [python, str(SERVERS / "planted.py")],
        }[self.server]
        more = [f"--{self.cause}", self.size]
        more += ["--to", str(log)] if self.cause == "line" else []
        # An allocation more or less: without any cause the yardstick sends what it has rendered.
        same = ["--allocations", "1"] if self.server == "yardstick" else []
        both = [*program, "--port", "{port}"]
        planted = more if self.cause == "allocations" else [*same, *more]
        return shlex.join([*both, *planted]), shlex.join([*both, *same])

    def clocked(self, log: Path, clock: Path) -> list[str]:
        """The yardstick with nothing but what the planted side does more, which it times."""
        size = str(int(self.size) - 1) if self.cause == "allocations" else self.size
        to = ["--to", str(log)] if self.cause == "line" else []
        words = [str(YARDSTICK), "--io", "epoll", "--port", "0", f"--{self.cause}", size]
        return [*words, *to, "--clock", str(clock)]


def build_go(built: Path) -> None:
    """The server in Go, where it is missing or older than its source."""
    source, program = SERVERS / "planted.go", built / "planted-go"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["go", "build", "-o", program, source], check=True)


def every(servers: Sequence[str], runs: Mapping[str, int]) -> list[Planted]:
    """All tries: each cause in each size so many times."""
    return [
        Planted(server, cause, size, run)
        for server in servers
        for run in range(runs[server])
        for cause, sizes in SIZES_IN[server].items()
        for size in sizes
    ]
