"""The real programs and ours, run in the same way."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.installation import engine_path

TIMEOUT_S = 30.0
PACKAGES = {"ab": "apache2-utils", "wrk": "wrk"}
# Real against real: proves that the masks hold for two runs, and that no case is a matter of luck.
AGAINST = "PERSONALITY_AGAINST"


@dataclass(frozen=True)
class Program:
    """A program by the name that it is called by, whatever file it is."""

    name: str
    path: Path


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str


def real(name: str) -> Program:
    found = shutil.which(name)
    assert found, f"{name} isn't here; run: apt-get install {PACKAGES[name]}"
    return Program(name, Path(found))


def ours(name: str) -> Program:
    """volley under that name; the original too where the tests are to be tested."""
    if os.environ.get(AGAINST) == "real":
        return real(name)
    return Program(name, Path(os.environ.get("VOLLEY") or engine_path()))


def run(
    program: Program, words: Sequence[str], folder: Path, interrupted_after_s: float | None = None
) -> Ended:
    with subprocess.Popen(
        [program.name, *words],
        executable=program.path,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        if interrupted_after_s is not None:
            time.sleep(interrupted_after_s)
            process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return Ended(process.returncode, out.decode("latin-1"), err.decode("latin-1"))
