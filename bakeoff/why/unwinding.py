"""How a function's callers are found: by frame pointers, or by the tables that compilers write.

Go keeps frame pointers, and so does code that is compiled while it runs, which has no tables. What
C, C++ and Rust are compiled to has tables and seldom frame pointers: perf keeps the top of the
stack with each sample and looks them up afterwards.
"""

import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from bakeoff.command import run

BY_POINTERS, BY_TABLES = "fp", "dwarf,4096"
"""As perf calls them, with the bytes of the stack that it keeps."""
PROC = Path("/proc")
_GO = b"\x04\x00\x00\x00Go\x00\x00"
"""In the note of a Go program that has its build's number, among its first bytes."""
_HEAD = 1 << 16
_WITHOUT_FILE = ("/memfd:", "[anon")


def with_tables(pids: Collection[int]) -> set[int]:
    """Those of the processes whose callers are found by tables alone."""
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
