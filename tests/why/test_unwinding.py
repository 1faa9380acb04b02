"""How callers are found: by what a process is made of."""

import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from bakeoff.why.profiler import with_tables

IN_FILES = """\
55d0-55d1 r-xp 00000000 08:01 99   /home/a b/server
7ff0-7ff1 rw-p 00000000 00:00 0
7ffd-7ffe r-xp 00000000 00:00 0    [vdso]
"""
IN_MEMORY = "3f20-3f21 rwxp 00000000 00:00 0\n"
IN_A_NAMELESS_FILE = "3f20-3f21 r-xp 00000000 00:01 7    /memfd:jit (deleted)\n"


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Process 1 of a /proc of its own."""
    proc = tmp_path / "proc"
    (proc / "1").mkdir(parents=True)
    (proc / "1" / "exe").write_bytes(b"\x7fELF")
    (proc / "1" / "maps").write_text(IN_FILES)
    monkeypatch.setattr("bakeoff.why.profiler.PROC", proc)
    return proc / "1"


pytestmark = pytest.mark.skipif(not which("perf"), reason="perf is not here")


def test_code_that_lies_in_files_has_tables(process: Path) -> None:
    assert with_tables([1, 2]) == {1}, "2 is gone"
    (process / "exe").write_bytes(b"\x7fELF" + b"\x04\0\0\0S\0\0\0\x04\0\0\0Go\0\0build")
    assert not with_tables([1]), "Go keeps frame pointers"


@pytest.mark.parametrize("more", [IN_MEMORY, IN_A_NAMELESS_FILE])
def test_code_that_was_compiled_meanwhile_has_none(process: Path, more: str) -> None:
    (process / "maps").write_text(IN_FILES + more)
    assert not with_tables([1])


def test_this_interpreter_has_tables() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as running:
        assert with_tables([running.pid]) == {running.pid}
        running.kill()
