"""Commands that the engine reads itself get their words as they were typed."""

import subprocess
import sys
from collections.abc import Sequence

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.cli.verbatim import PERSONALITIES
from bakeoff.installation import engine_path

NAMES = ["load", *PERSONALITIES]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "words",
    [
        [],
        ["-h", "http://a/"],
        ["-t2", "-c", "8", "http://a/", "-d1s"],
        ["-s", "a.lua", "http://a/", "--", "-x", "--help", "--"],
        ["--", "--json"],
        ["-H", "", "-C", "a=b c", "-"],
        ["--version", "--install-completion"],
    ],
)
def test_the_engine_gets_all(name: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    became: list[tuple[object, Sequence[str]]] = []
    monkeypatch.setattr("os.execv", lambda path, argv: became.append((path, argv)))
    done = CliRunner().invoke(app, [name, *words])
    assert (done.exit_code, done.output) == (0, "")
    assert became == [(str(engine_path()), ["bakeoff", name, *words])]


@pytest.mark.parametrize("words", [["--help"], ["-h"]])
@pytest.mark.parametrize("name", PERSONALITIES)
def test_those_that_stand_in_for_a_program_have_a_help(name: str, words: list[str]) -> None:
    done = CliRunner().invoke(app, [name, *words])
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: bakeoff {name} [OPTIONS] URL\n")
    assert f"  bakeoff {name} -" in done.output and "bakeoff setup --links" in done.output
    assert " -c" in done.output, "its own options"


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["http://127.0.0.1:1/"], ["--speed"], []])
def test_the_load_tool_calls_itself_by_the_name_that_was_typed(words: list[str]) -> None:
    argv = [sys.executable, "-m", "bakeoff", "load", *words]
    said = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert "volley" not in said.stdout + said.stderr
    assert "bakeoff" in said.stdout + said.stderr
