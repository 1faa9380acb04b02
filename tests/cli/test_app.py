"""The list of commands: what it says and costs, what a shell completes, and the manual page."""

import inspect
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup, TyperOption
from typer.testing import CliRunner

import bakeoff
from bakeoff.cli.app import COMMANDS, GROUPS, app
from bakeoff.cli.manual import manual
from bakeoff.cli.options import FEW, PANELS
from bakeoff.cli.verbatim import PERSONALITIES
from bakeoff.model.errors import STATUSES
from bakeoff.plan import Catalogue

HEAVY = {
    *("filelock", "h11", "hdrh", "jinja2", "narwhals"),
    *("numpy", "psutil", "pydantic", "scipy"),
}
"""What we run on, but for the two that draw our help."""


VERBS = {
    *("Accept", "Add", "Allow", "Audit", "Build", "Compare", "Connect", "Continue", "End", "Keep"),
    *("Leave", "Limit", "Listen", "Make", "Measure", "Offer", "Open", "Overwrite", "Pin", "Print"),
    *("Race", "Restart", "Rotate", "Run", "Search", "Send", "Set", "Show", "Simulate", "Space"),
    *(
        "Authenticate",
        "Let",
        "Repeat",
        "Require",
        "Scale",
        "Start",
        "Take",
        "Use",
        "Vary",
        "Verify",
        "Write",
    ),
}


def _command() -> TyperGroup:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def _options(name: str) -> list[TyperOption]:
    group = _command()
    _, command, _ = group.resolve_command(typer.Context(group), [name])
    assert command
    return [each for each in command.params if isinstance(each, TyperOption)]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    module, line = COMMANDS[name]
    command = getattr(import_module(f"bakeoff.cli.{module}"), name)
    text = command.info.help if isinstance(command, typer.Typer) else inspect.getdoc(command)
    assert (text or "").splitlines()[0] == line


@pytest.mark.parametrize("name", ["", *COMMANDS, "cluster doctor", "workload from"])
def test_each_help_has_the_exit_statuses(name: str) -> None:
    said = " ".join(CliRunner().invoke(app, [*name.split(), "--help"]).output.split())
    for status, text in STATUSES.items():
        assert f"{int(status)} {text}" in said


def test_every_command_is_in_a_group() -> None:
    commands = _command().commands.values()
    assert {getattr(command, "rich_help_panel", None) for command in commands} == {*GROUPS, "Load"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_option_begins_with_a_verb(name: str) -> None:
    texts = {option.name: option.help or "" for option in _options(name)}
    assert {name: text for name, text in texts.items() if text.split(" ")[0] not in VERBS} == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_many_options_are_under_headings(name: str) -> None:
    options = _options(name)
    if len(options) > FEW:
        assert {option.rich_help_panel for option in options} <= PANELS.keys()


@pytest.mark.parametrize(
    "words", ["", *COMMANDS, "workload from har", "history rebuild", "history nginx"]
)
def test_help_names_no_types_of_python(words: str) -> None:
    said = CliRunner().invoke(app, [*words.split(), "--help"], env={"COLUMNS": "200"}).output
    assert not re.findall(r"<\w+(?: range)?>|<?list\[|<\w+\|", said)


@pytest.mark.parametrize(
    ("words", "same"),
    [("help", "--help"), ("-h", "--help"), ("help race", "race --help"), ("-V", "--version")],
)
def test_help_and_version_have_short_names(words: str, same: str) -> None:
    said, whole = (CliRunner().invoke(app, each.split()) for each in (words, same))
    assert (said.exit_code, said.output) == (0, whole.output)


@pytest.mark.parametrize("words", [["--help"], []])
def test_help_imports_nothing_but_what_draws_it(words: list[str]) -> None:
    times = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "bakeoff", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    ).stderr
    names = {line.rpartition("|")[2].strip() for line in times.splitlines() if "|" in line}
    packages = {name.partition(".")[0] for name in names}
    assert {"typer", "rich"} <= packages
    assert all(find_spec(name) for name in HEAVY)
    assert not packages & HEAVY
    rooms = {name.split(".")[1] for name in names if name.startswith("bakeoff.")}
    assert rooms <= {"__main__", "cli", "keeper", "model", "satellites"}


def test_the_version_is_ours_and_the_engines() -> None:
    lines = CliRunner().invoke(app, ["--version"]).output.splitlines()
    assert lines[0] == f"bakeoff {bakeoff.__version__}"
    assert lines[1].startswith(f"volley {bakeoff.__version__}  /")


def test_an_unknown_command_is_one_line_with_what_was_meant() -> None:
    done = CliRunner().invoke(app, ["rase"])
    assert done.exit_code == 2
    assert "No such command 'rase'. Did you mean 'race'" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("bakeoff rep", ["replay", "report"]),
        ("bakeoff race node-", [name for name in Catalogue.shipped().names() if "node-" in name]),
        ("bakeoff race --work", ["--workload", "--workers"]),
        ("bakeoff setup no-such", []),
        ("bakeoff replay hello", ["hello-world-2013"]),
    ],
)
def test_a_shell_completes(typed: str, completed: list[str]) -> None:
    asked = {
        "_BAKEOFF_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    # In a process of its own, by the name that the shell's script calls.
    program = "from bakeoff.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert sorted(done.stdout.split()) == sorted(completed)


def test_the_manual_page_has_every_command_and_option(tmp_path: Path) -> None:
    page = manual().replace("\\-", "-")
    for name in (*COMMANDS, *PERSONALITIES, "load"):
        assert f".SS bakeoff {name}" in page
    for flag in ("-c, --connections NUMBER,…", "--gate", "--slo", "--links DIR", "--json FILE|-"):
        assert f".B {flag}" in page
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed: it reads the page for faults")
    (tmp_path / "bakeoff.1").write_text(manual())
    argv = [groff, "-ww", "-man", "-K", "utf8", "-Tutf8", str(tmp_path / "bakeoff.1")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    assert "the default line-up" in done.stdout


def test_an_interrupt_that_a_library_made_an_error_of_is_still_one() -> None:
    script = """
import os, signal, sys
from bakeoff import cli
def app(prog_name):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise ValueError("KeyboardInterrupt: ")
cli.app = app
cli.main()
"""
    words = [sys.executable, "-c", script]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 130
    assert ended.stderr == "bakeoff: interrupted; `bakeoff resume` goes on with a run\n"
