"""The first minutes of a stranger: installed, raced, reported, and checked in a repository.

How long they take is printed, since no test depends on a speed; `pytest -s` shows it at once.
"""

import os
import re
import select
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.dist.conftest import Stranger
from tests.docs.conftest import blocks
from tests.repositories import WHO

pytestmark = [
    *(pytest.mark.e2e, pytest.mark.slow, pytest.mark.alone),
    pytest.mark.xdist_group("dist"),
]
SILENT_S_MAX = 30.0
"""5 s are promised on a machine that does nothing else."""


@dataclass(frozen=True)
class Watched:
    """What a command printed, and when."""

    text: str
    took_s: float
    first_s: float
    silent_s: float
    before: str
    """The line before the longest silence."""

    def __str__(self) -> str:
        return (
            f"{self.took_s:.1f} s, first output after {self.first_s:.1f} s, "
            f"silent for {self.silent_s:.1f} s at most, after: {self.before}"
        )


def watched(stranger: Stranger, script: str, path: str) -> Watched:
    """Paste a script into his shell, and watch until it has ended well."""
    began = last = time.monotonic()
    pieces: list[bytes] = []
    gaps: list[tuple[float, str]] = []
    with subprocess.Popen(
        stranger.words("bash", "-euo", "pipefail", "-c", script),
        cwd=stranger.home,
        # The history is his own: other tests count what is in theirs.
        env={**stranger.env, **WHO, "PATH": path, "XDG_DATA_HOME": str(stranger.home / "first")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout
        while select.select([process.stdout], [], [], 300)[0]:
            piece = os.read(process.stdout.fileno(), 65536)
            now = time.monotonic()
            gaps.append((now - last, b"".join(pieces).decode().strip().rpartition("\n")[2]))
            last = now
            if not piece:
                break
            pieces.append(piece)
    text = b"".join(pieces).decode()
    assert process.returncode == 0, text
    return Watched(text, last - began, gaps[0][0], *max(gaps))


def test_from_the_wheel_to_a_verdict_a_report_and_a_check_of_a_change(
    stranger: Stranger, wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, race, _, check = blocks("README.md", "sh")
    began = time.monotonic()
    scripts = stranger.install("first", wheel.name)
    installed_s = time.monotonic() - began
    path = f"{scripts}{os.pathsep}{stranger.env['PATH']}"
    raced = watched(stranger, files + race, path)
    (report,) = re.findall(r"^Report: (.+)$", raced.text, re.MULTILINE)
    page = (stranger.home / report).read_text()
    assert "plain.js" in page and "busy.js" in page
    checked = watched(stranger, check, path)
    assert re.search(r"^Report: runs/", checked.text, re.MULTILINE)
    with capsys.disabled():
        print(f"\ninstalled: {installed_s:.1f} s\nrace: {raced}\nci: {checked}")
    assert max(raced.silent_s, checked.silent_s) < SILENT_S_MAX
