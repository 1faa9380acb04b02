"""Revisions of the C server of planted work: one that does more, and mutants that do not; noise.

Each is a commit with a tag. A mutant is another binary, or the same one started in another way,
that runs the same instructions for a request: it differs from `base` in where code and stack lie in
memory.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.repositories import commit, git, new_repository

UNITS = 600
PLANTED_UNITS = 48
"""5 % of a request of 16 µs; the bench has the truth from races of the same work."""
MUTANTS = ("unused", "order", "path", "environment")
SOURCE = Path(__file__).parent / "servers" / "work.c"
CONTENDER = """\
name = "server"
title = "A server in C"
language = "C"
kind = "library"

[build]
command = ["mkdir -p {out}", "cc -O2 -o {out}/@PROGRAM@ @SOURCES@"]

[run]
command = "{out}/@PROGRAM@ --port {port} --kind arithmetic --units @UNITS@"
env = { PADDING = "@PADDING@" }

[serves]
hello = "/"
"""
OTHER = "int other(int n) { return n * n; }\n"
UNUSED = "static int unused(int n) { int all = 0; while (n--) all += n * n; return all; }\n"


def revisions() -> Mapping[str, dict[str, str]]:
    source = SOURCE.read_text()

    def files(
        program: str = "server",
        sources: str = "work.c other.c",
        padding: int = 0,
        units: int = UNITS,
        more: str = "",
    ) -> dict[str, str]:
        settings = {
            "@PROGRAM@": program,
            "@SOURCES@": sources,
            "@UNITS@": str(units),
            "@PADDING@": "x" * padding,
        }
        contender = CONTENDER
        for name, value in settings.items():
            contender = contender.replace(name, value)
        return {
            "contender.toml": contender,
            "work.c": source + more,
            "other.c": OTHER,
            "bakeoff.toml": 'contender = "."\nwarm_up = "1s"\n',
        }

    return {
        "base": files(),
        "planted": files(units=UNITS + PLANTED_UNITS),
        # Kept by the compiler, since its address is taken.
        "unused": files(more=UNUSED + "int (*const kept_unused)(int) = unused;\n"),
        "order": files(sources="other.c work.c"),
        "path": files(program="a-server-whose-name-is-so-long-that-its-stack-begins-elsewhere"),
        "environment": files(padding=3000),
    }


def repository(top: Path) -> Path:
    """The repository, made where it is missing or of another source."""
    wanted = revisions()
    if (top / ".git").exists() and git(top, "show", "base:work.c") == wanted["base"][
        "work.c"
    ].strip():
        return top
    shutil.rmtree(top, ignore_errors=True)
    new_repository(top, {"README": "A server."})
    for tag, files in wanted.items():
        commit(top, files, tag)
        git(top, "tag", tag)
    return top


@contextmanager
def at_work(cores: tuple[int, ...], code: str) -> Iterator[None]:
    """Within it a process on each of these cores runs Python's `code`, without an end."""
    pinned = "import os; os.sched_setaffinity(0, {%d}); bench = os.getppid()\n%s"
    running = [subprocess.Popen([sys.executable, "-c", pinned % (core, code)]) for core in cores]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


HALF_OF_THE_TIME = """
import time
while os.getppid() == bench:
    until_s = time.monotonic() + 0.2
    while time.monotonic() < until_s: sum(range(1000))
    time.sleep(0.2)
"""
MEMORY = """
import time
block = bytearray(64 << 20)
while os.getppid() == bench:
    for _ in range(2): block[:32 << 20] = block[32 << 20:]
    time.sleep(0.05)
"""
