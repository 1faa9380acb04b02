"""Commands that the engine reads itself get their words as they were typed."""

from collections.abc import Sequence

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.load import engine_path

NAMES = ["load", "ab", "wrk", "wrk2", "webbench"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["-h"],
        ["-t2", "-c", "8", "http://a/", "-d1s"],
        ["-s", "a.lua", "http://a/", "--", "-x", "--help", "--"],
        ["--", "--json"],
        ["-H", "", "-C", "a=b c", "-"],
        ["--version", "--install-completion"],
    ],
)
def test_the_engine_gets_every_word(
    name: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    became: list[tuple[object, Sequence[str]]] = []
    monkeypatch.setattr("os.execv", lambda path, argv: became.append((path, argv)))
    done = CliRunner().invoke(app, [name, *words])
    assert (done.exit_code, done.output) == (0, "")
    assert became == [(engine_path(), ["volley", name, *words])]


def test_our_help_lists_them() -> None:
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100"}).output
    for name in NAMES:
        assert f"│ {name} " in listed
