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
from bakeoff.cli.options import PANELS
from bakeoff.cli.verbatim import PERSONALITIES
from bakeoff.model.errors import STATUSES, BadUsage
from bakeoff.plan import Catalogue

HEAVY = {*("filelock", "h11", "hdrh", "jinja2", "narwhals"), *("numpy", "psutil", "pydantic")}
"""What we run on, but for the two that draw our help."""


VERBS = """
Accept Add Allow Audit Authenticate Build Compare Compress Connect Continue End Hold Keep Leave Let
Limit Listen Make Measure Offer Open Overwrite Pin Print Race Repeat Require Restart Rotate Run
Scale Search Send Set Show Simulate Space Start Take Use Vary Verify Write
"""


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


def shown(words: str, width: int = 80) -> str:
    done = CliRunner().invoke(app, words.split(), env={"COLUMNS": str(width)})
    assert done.exit_code == 0
    return done.output


EVERY = ["", *COMMANDS, "cluster doctor", "workload from har", "history rebuild", "history nginx"]


@pytest.mark.parametrize("words", EVERY)
def test_the_whole_help_has_exit_statuses_variables_and_every_option(words: str) -> None:
    said = " ".join(shown(f"{words} --help").split())
    for status, text in STATUSES.items():
        assert f"{int(status)} {text[:1].upper()}{text[1:]}" in said
    assert "NO_COLOR" in said
    assert ("GITHUB_BASE_REF" in said) == (words in ("", "ci"))
    if words in COMMANDS:
        for option in _options(words):
            assert next(name for name in option.opts if name.startswith("--")) in said


@pytest.mark.parametrize("words", EVERY)
def test_the_short_help_is_one_screen_and_names_the_other(words: str) -> None:
    lines = shown(f"{words} -h").splitlines()
    assert len(lines) <= 45
    assert "--help" in lines[-1]


@pytest.mark.parametrize("words", EVERY)
@pytest.mark.parametrize("length", ["-h", "--help"])
def test_help_fits_a_narrow_terminal_but_for_commands_to_copy(words: str, length: str) -> None:
    lines = shown(f"{words} {length}", width=40).splitlines()
    assert [
        line
        for line in lines
        if len(line) > 40 and "bakeoff " not in line and " " in line.strip() and "--" not in line
    ] == []


def test_every_command_is_in_a_group() -> None:
    commands = _command().commands.values()
    assert {getattr(command, "rich_help_panel", None) for command in commands} == {*GROUPS, "Load"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_option_begins_with_a_verb_and_ends_with_its_default(name: str) -> None:
    for option in _options(name):
        text = option.help or ""
        assert text.split(" ")[0] in VERBS.split(), option.name
        assert "(default: " not in text or text.endswith(")"), option.name
        assert option.is_flag or option.metavar, f"{option.name}: says not what it takes"


@pytest.mark.parametrize("name", ["race", "ci", "capacity", "day", "draws"])
def test_options_are_under_headings_in_one_order(name: str) -> None:
    headings = re.findall(r"^(\S.*):$", shown(f"{name} --help"), re.MULTILINE)
    found = [heading for heading in headings if heading in PANELS]
    assert found == [panel for panel in PANELS if panel in found]
    assert {"Load", "Traffic", "Time and precision", "Placement", "Output"} <= {*found}


@pytest.mark.parametrize("words", EVERY)
def test_help_names_no_types_of_python(words: str) -> None:
    said = shown(f"{words} --help", width=200)
    assert not re.findall(r"<\w+(?: range)?>|list\[|<\w+\||\]\.\.\.\]|\{[A-Z]+\}", said)


@pytest.mark.parametrize(
    ("words", "same"),
    [("help", "--help"), ("", "-h"), ("help race", "race --help"), ("-V", "--version")],
)
def test_help_and_version_have_short_names(words: str, same: str) -> None:
    assert shown(words) == shown(same)


@pytest.mark.parametrize(
    ("alias", "option"),
    [
        ("-X", "--method"),
        ("-m", "--method"),
        ("-k", "--insecure"),
        ("--cacert", "--ca"),
        ("--data", "--body"),
        ("--warmup", "--warm-up"),
        ("--threshold", "--gate"),
        ("--inconclusive", "--cant-tell"),
        ("--i-may-load", "--allow-host"),
    ],
)
def test_names_of_the_field_and_former_ones_are_taken_not_shown(alias: str, option: str) -> None:
    (declared,) = (each for each in _options("race") if option in each.opts)
    assert alias in declared.opts
    shown_names = re.findall(r"(?<=\s)--?[a-zA-Z0-9-]+", shown("race --help"))
    assert (alias in shown_names) == (alias in ("-X", "-k"))


def _without_a_letter(option: str) -> str:
    return option[: len(option) // 2 + 1] + option[len(option) // 2 + 2 :]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_mistyped_option_is_one_line_with_the_one_that_was_meant(name: str) -> None:
    for option in _options(name):
        long = next(each for each in option.opts if each.startswith("--"))
        done = CliRunner().invoke(app, [name, _without_a_letter(long)])
        assert isinstance(done.exception, BadUsage)
        assert long in str(done.exception) and "\n" not in str(done.exception)


@pytest.mark.parametrize("words", [["--help"], [], ["--version"]])
def test_help_and_the_version_import_nothing_but_what_draws_help(words: list[str]) -> None:
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
    assert rooms <= {"__main__", "cli", "installation", "keeper", "model", "satellites"}


def test_what_imports_made_is_looked_through_neither_meanwhile_nor_at_the_end() -> None:
    # What is registered first is called last.
    script = (
        "import atexit, gc; count = lambda: gc.get_stats()[0]['collections']; before = count(); "
        "atexit.register(lambda: print(count() - before, gc.get_freeze_count())); "
        "import bakeoff.cli, bakeoff.runs"
    )
    counted = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    collections, frozen = map(int, counted.stdout.split())
    assert collections < 20
    assert frozen > 50_000


def test_the_version_is_ours_and_the_engines() -> None:
    lines = CliRunner().invoke(app, ["--version"]).output.splitlines()
    assert lines[0] == f"bakeoff {bakeoff.__version__}"
    assert lines[1].startswith(f"volley {bakeoff.__version__}  /")


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


def test_an_interrupt_in_a_callback_is_not_lost() -> None:
    script = """
import os, signal, time, weakref
from bakeoff import cli
class Module: pass
def app(prog_name):
    module = Module()
    seen = weakref.ref(module, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del module
    time.sleep(30)
    raise SystemExit(0)
cli.app = app
cli.main()
"""
    words = [sys.executable, "-c", script]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (130, "")
