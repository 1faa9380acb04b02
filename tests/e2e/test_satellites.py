"""The core races without the parts that rest on it, and says of a command which part it lacks."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import QUICK, Place
from tests.test_architecture import PACKAGE, SATELLITES, is_satellite

Python = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with the core alone."""
    clone = tmp_path_factory.mktemp("a clone without satellites")
    shutil.copytree(
        PACKAGE,
        clone / "bakeoff",
        ignore=lambda folder, names: {
            name for name in names if name == "__pycache__" or is_satellite(Path(folder, name))
        },
    )
    for name in ("brick", "catalogue", "engine"):
        (clone / name).symlink_to(PACKAGE.parent / name)
    return clone


@pytest.fixture
def python(core: Path, place: Place) -> Python:
    """Run Python with that clone's package, in the place's folder."""

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *words],
            cwd=place.path,
            env={**os.environ, "PYTHONPATH": str(core)},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run


def test_what_is_hidden_is_there() -> None:
    assert [name for name in SATELLITES if not (PACKAGE / name).exists()] == []


@pytest.mark.e2e
def test_the_core_races_from_the_command_line(python: Python, place: Place) -> None:
    servers = [place.server(name) for name in ("a", "b")]
    ended = python("-m", "bakeoff", "race", *servers, "-d", "1", *QUICK, "--json", "verdict.json")
    assert ended.returncode == 0, ended.stderr
    verdict = json.loads((place.path / "verdict.json").read_text())
    entries = {entry["name"]: entry["valid"] for entry in verdict["entries"]}
    assert entries == {"a.py": True, "b.py": True}
    again = python("-m", "bakeoff", "report", "runs/latest")
    assert (again.returncode, (place.path / "runs/latest/report.html").exists()) == (0, True)


@pytest.mark.e2e
def test_the_core_races_from_python(python: Python, place: Place) -> None:
    servers = [place.server(name) for name in ("a", "b")]
    program = f"""
import bakeoff
run = bakeoff.race(*{servers!r}, duration=1, connections=8, boots=1, twin=False, warm_up="1s")
print(run.verdict.pair("a.py", "b.py").ratio.n, len(run.parts))
try:
    bakeoff.race(*{servers!r}, cluster="127.0.0.1:1")
except bakeoff.MissingPiece as error:
    print(error)
"""
    ended = python("-c", program)
    assert ended.returncode == 0, ended.stderr
    blocks, parts, *fault = ended.stdout.split()
    assert int(blocks) > 1 and parts == "0" and "bakeoff.cluster," in fault


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("explore", "."), "history"),
        (("history",), "history"),
        (("publish", ".", "site"), "history"),
        (("cluster", "doctor", "127.0.0.1:1"), "cluster"),
        (("race", "true", "--cluster", "127.0.0.1:1"), "cluster"),
        (("workload", "from", "curl", "curl http://127.0.0.1:1/"), "traffic"),
        (("simulate",), "history"),
        (("draws", "true"), "plan."),
        (("crosscheck", "http://127.0.0.1:1/"), "plan."),
    ],
)
def test_a_command_of_a_missing_part_names_it_in_one_sentence(
    words: tuple[str, ...], part: str, python: Python
) -> None:
    ended = python("-m", "bakeoff", *words)
    assert ended.returncode == 3, ended.stderr
    assert ended.stderr.strip().splitlines()[-1].startswith(f"bakeoff: this needs bakeoff.{part}")
    assert "Traceback" not in ended.stderr
