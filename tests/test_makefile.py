"""The Makefile's list of targets, and who installs bakeoff."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GROUPS = ("start", "check", "measure", "release")
NEEDED = ("bash", "date", "find")
"""What the Makefile itself runs."""


def make(target: str, path: str) -> str:
    """Its output; `path` is where programs are looked for."""
    program = shutil.which("make")
    assert program
    done = subprocess.run(
        [program, "--no-print-directory", target],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_help_has_each_target_with_a_description_once_in_a_group() -> None:
    listed = make("help", os.environ["PATH"])
    assert tuple(re.findall(r"^(\w+):$", listed, re.MULTILINE)) == GROUPS
    text = "".join((ROOT / name).read_text() for name in ("Makefile", "bench.mk"))
    described = re.findall(r"^([a-z-]+):.*## ", text, re.MULTILINE)
    assert sorted(re.findall(r"^  make ([a-z-]+)  +\S", listed, re.M)) == sorted(described)


@pytest.mark.parametrize(
    ("there", "words"),
    [
        (("uv", "pipx", "python3"), "uv tool install --force --reinstall ."),
        (("pipx", "python3"), "pipx install --force ."),
        (("python3",), "python3 -m pip install --user ."),
    ],
)
def test_install_takes_the_first_tool_that_is_there_and_names_it(
    tmp_path: Path, there: tuple[str, ...], words: str
) -> None:
    for name in NEEDED:
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    for name in there:
        (tmp_path / name).write_text(f"#!/bin/bash\necho it was {name} $*\n")
        (tmp_path / name).chmod(0o755)
    said, done = make("install", str(tmp_path)).splitlines()
    assert said.endswith(f": {words}")
    assert done == f"it was {words}"
