"""What is printed fits terminals that have few signs or few columns."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.cli.output import ASCII
from tests.cli.conftest import race
from tests.runs.world import World


def typed(*words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    argv = [sys.executable, "-m", "bakeoff", *words]
    package = {"PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        argv, capture_output=True, check=True, timeout=60, env={**os.environ, **package, **env}
    )


@pytest.fixture
def raced(world: World) -> None:
    world.requests_per_s["schön"] = 100_000.0
    assert race("schön=fast", "slow", "-d", "3").exit_code == 0


LACKING = [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}]


@pytest.mark.parametrize("env", LACKING)
@pytest.mark.usefixtures("raced")
def test_bars_signs_and_help_fall_back_to_ascii(env: dict[str, str]) -> None:
    usual, plain = (typed("report", "runs/latest", **each).stdout for each in ({}, env))
    assert plain.isascii() and len(plain.splitlines()) == len(usual.splitlines())
    for sign in "●×":
        assert usual.decode().count(sign) > 1
        assert plain.decode().count(ASCII[sign]) >= usual.decode().count(sign)
    assert typed("race", "--help", **env).stdout.isascii()


@pytest.mark.parametrize("env", LACKING)
@pytest.mark.usefixtures("raced")
def test_json_is_in_utf_8_whatever_the_terminal_takes(env: dict[str, str]) -> None:
    result = json.loads(typed("report", "runs/latest", "--json", "-", **env).stdout)
    assert result["entries"][0]["name"] == "schön"


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.usefixtures("raced")
def test_a_result_fits_its_terminal(columns: int) -> None:
    said = typed("report", "runs/latest", COLUMNS=str(columns)).stdout.decode()
    *lines, report = said.splitlines()
    assert report.startswith("Report: ")
    assert max(map(len, lines)) <= columns
