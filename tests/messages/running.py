"""Run a case in this process, and see what it says, and where in the product that was made."""

import html
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, closing, contextmanager
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

import pytest

import bakeoff
from bakeoff import history, runs, satellites
from bakeoff.cli.output import err, out
from bakeoff.history.place import sqlite_url
from bakeoff.history.results import found_in, indexed_path
from bakeoff.model.errors import BakeoffError
from tests.e2e.conftest import Place
from tests.explore.visitor import Visitor
from tests.messages.case import Case, Scene, Section
from tests.messages.sites import met

PROGRAMS = ("sh", "sleep", "git", "ls", "env", "cat", "true", "false")
"""What every machine of ours has; a case sees nothing else of what is installed."""
PYTHON = ">>> "
GET = "GET "


@dataclass(frozen=True)
class Said:
    """What a case printed, its exit status, and the names of the sites that made it."""

    text: str
    status: int | None
    sites: frozenset[str]


def run(case: Case, section: Section) -> Said:
    with tempfile.TemporaryDirectory(prefix="messages-") as top, ExitStack() as until_end:
        scene = Scene(Path(top) / "folder", pytest.MonkeyPatch(), until_end)
        until_end.callback(scene.patch.undo)
        _furnish(scene, Path(top), {**section.files, **case.files})
        seen = until_end.enter_context(_seen())
        until_end.enter_context(chdir(scene.folder))
        for situation in case.situations:
            situation(scene)
        scene.patch.setattr(sys, "stdin", StringIO())
        case = replace(case, shows=case.shows or section.shows)
        said, status = _input(case)(case, scene)
        assert "Traceback" not in said, f"{case.typed}\n{said}"
        if case.shows:
            found = [line for line in said.splitlines() if re.search(case.shows, line)]
            said = "\n".join(found)
        assert said.strip(), f"{case.typed} ({case.given}) says nothing; status {status}"
        return Said(normal(said, Path(top)), status, frozenset(seen))


def _furnish(scene: Scene, top: Path, files: Mapping[str, str | bytes]) -> None:
    """A folder, and a home, in which nothing is but what the case says."""
    for name in ("folder", "home", "bin"):
        (top / name).mkdir()
    for name in PROGRAMS:
        found = shutil.which(name)
        assert found, f"this machine has no {name}"
        (top / "bin" / name).symlink_to(found)
    for name in [name for name in os.environ if name.startswith(("XDG_", "GIT", "CI", "BAKEOFF"))]:
        scene.patch.delenv(name)
    for name, value in {
        "HOME": str(top / "home"),
        "PATH": str(top / "bin"),
        "TMPDIR": str(top),
        "BAKEOFF_HISTORY": "",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C",
    }.items():
        scene.patch.setenv(name, value)
    for console in (out, err):
        scene.patch.setattr(console, "_width", 500)
    scene.patch.setattr(satellites, "real_stages", _nothing_is_raced)
    scene.patch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    for name, content in files.items():
        scene.write(name, content)


class _Nothing:
    """A stage of a run that nobody meant to measure."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AssertionError("this gets as far as a run: give it a world of tests/runs")


def _nothing_is_raced() -> runs.Stages:
    nothing: Any = _Nothing()
    return runs.Stages(*[nothing] * 7)


@contextmanager
def _seen() -> Iterator[set[str]]:
    seen: set[str] = set()

    def made(self: BakeoffError, *args: object) -> None:
        Exception.__init__(self, *args)
        seen.update(met(sys._getframe(1)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BakeoffError, "__init__", made)
        yield seen


def _input(case: Case) -> Callable[[Case, Scene], tuple[str, int | None]]:
    """What it is that a case has: Python, an address of the explorer, or words of the shell."""
    if case.typed.startswith(PYTHON):
        return _python
    return _visited if case.typed.startswith(GET) else _typed


def _typed(case: Case, scene: Scene) -> tuple[str, int]:
    typed = case.typed
    for shown, word in scene.stands_for.items():
        typed = typed.replace(shown, word)
    ended = Place(scene.folder).bakeoff_here(*shlex.split(typed))
    return ended.err if not case.shows else ended.err + ended.out, ended.status


def _visited(case: Case, scene: Scene) -> tuple[str, int]:
    """What the explorer shows of the runs in FOLDER; RUN in an address is the only one's id."""
    with closing(history.open_index(sqlite_url(scene.folder.parent / "index.sqlite"))) as index:
        indexed = [indexed_path(path) for path in found_in([scene.folder / "runs"])]
        index.add(*indexed)
        for change in scene.until_asked:
            change()
        path = case.typed.removeprefix(GET).replace("RUN", indexed[0].id)
        path = path.replace("OTHER", indexed[-1].id)
        answer = Visitor.let_in(index).ask(path)
    alarm = re.search(r'class="alarm" role="note">([^<]*)<', answer.text)
    return html.unescape(alarm[1]) if alarm else "", answer.status_code


def _python(case: Case, _scene: Scene) -> tuple[str, None]:
    """What Python says in the end, without its traceback."""
    names: dict[str, object] = {"bakeoff": bakeoff, "Path": Path}
    try:
        exec(case.typed.replace(PYTHON, ""), names)
    except BakeoffError as error:
        return f"{type(error).__name__}: {error}", None
    raise AssertionError(f"{case.typed} raises nothing")


def normal(text: str, top: Path) -> str:
    """The text without what differs from machine to machine and from run to run."""
    text = text.replace(str(top / "folder"), "FOLDER").replace(str(top / "home"), "HOME")
    text = text.replace(str(top / "bin"), "BIN")
    for pattern, name in (
        (re.escape(str(top)), "TEMPORARY"),
        (re.escape(bakeoff.__version__), "VERSION"),
        (r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ", "TIME"),
        (r"(?<=127\.0\.0\.\d:)[1-9]\d{3,4}\b", "PORT"),
        (r"(?<=\bport )\d{5}\b", "PORT"),
        (r"\b\d+\.\d s(?=, before it answered| after its start)", "0.0 s"),
        (r"(?<=built, )\d+ s", "0 s"),
        (r"\(Linux \S+, glibc \S+\)", "(MACHINE)"),
        (r"(?<=/bakeoff/ci/folder-)[0-9a-f]{8}/[0-9a-f]{16}", "COMMIT"),
        (r"\b\d+(?=-tls\b)", "PID"),
        (r"(?<=taken by )\S+", "PROGRAM"),
        (r"(?<=\bpid )\d+\b", "PID"),
    ):
        text = re.sub(pattern, name, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
