"""The names of code that programs make while they run, where perf looks for them."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from bakeoff.command import run

JCMD_S = 10.0
_MAP = "/tmp/perf-{pid}.map"
_MAPS = re.compile(r"/tmp/perf-\d+\.map")
_OF_V8 = re.compile(r"(?:JS|Eval|Script):[*~^+']*(\S*) (.*?)(:\d+:\d+)?")
_OF_JAVA = re.compile(r"(?:\S+ )?([^\s():]+)\(.*\)")
_LAMBDA = re.compile(r"\$\$Lambda[$/][\w/]+")
_OF_PYTHON = re.compile(r"(py::.*?):(.*)")


def environment() -> Mapping[str, str]:
    """With it Node and Python write down names as they make code, and Java keeps frame pointers,
    without which its stacks can't be followed. `forget` removes these files."""
    # Without `-only-functions` V8 leaves a log in the server's folder, too.
    added = {
        "NODE_OPTIONS": "--perf-basic-prof-only-functions",
        "JAVA_TOOL_OPTIONS": "-XX:+PreserveFramePointer",
    }
    own = {name: f"{os.environ.get(name, '')} {more}".strip() for name, more in added.items()}
    return {**own, "PYTHONPERFSUPPORT": "1"}


def write_down(pids: Collection[int]) -> None:
    """Let Java write down the names of the code that it has by now, if it comes with jcmd."""
    for jcmd, pid in _of_java(pids):
        with suppress(OSError):
            run([jcmd, str(pid), "Compiler.perfmap"], timeout_s=JCMD_S)


def forget(pids: Collection[int]) -> None:
    """Remove the names that ended processes have written down."""
    for pid in pids:
        Path(_MAP.format(pid=pid)).unlink(missing_ok=True)


def is_map(file: str) -> bool:
    """Whether the file of a frame is one of those into which programs write names."""
    return bool(_MAPS.fullmatch(file))


def readable(symbol: str, file: str) -> str:
    """A name that stays the same in another process, or after the program moved or was compiled
    further: without folders, addresses, arguments and the compiler's stage.

    Lines are left out if a function has a name: they differ between revisions.
    """
    if not is_map(file):
        return symbol
    if js := _OF_V8.fullmatch(symbol):
        name, place = js[1], _within(js[2])
        return f"{name} {place}" if name else f"{place}{js[3] or ''}"
    if python := _OF_PYTHON.fullmatch(symbol):
        return f"{python[1]}:{_within(python[2])}"
    if java := _OF_JAVA.fullmatch(symbol):
        return _LAMBDA.sub("$$Lambda", java[1])
    return symbol


def _within(path: str) -> str:
    """A file's path within its package; for the program's own files only the name."""
    if "/" not in path.removeprefix("file://")[:1]:
        return path
    for packages in ("/node_modules/", "/site-packages/"):
        if packages in path:
            return path.rpartition(packages)[2]
    return path.rpartition("/")[2]


def _of_java(pids: Collection[int]) -> Iterator[tuple[str, int]]:
    """jcmd and the process, for each JVM: jcmd makes it write names."""
    for pid in pids:
        with suppress(OSError):
            if "/libjvm.so" in Path(f"/proc/{pid}/maps").read_text(errors="replace"):
                yield str(Path(f"/proc/{pid}/exe").readlink().with_name("jcmd")), pid
