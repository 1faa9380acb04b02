"""`bakeoff setup`: what can be built is, what can't is named, and Ctrl-C leaves nothing."""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import Result

from bakeoff.model.errors import BadUsage, Status
from bakeoff.plan import Catalogue
from tests.cli.conftest import bakeoff
from tests.waiting import wait_for

CONTENDER = """
name = "{name}"
title = "T"
language = "sh"
kind = "server"
[build]
command = {command}
[run]
command = "true"
[version]
command = "echo {name} 1.0"
[serves]
hello = "/"
"""
HANG = ["sh -c 'echo $$ > pid; sleep 600 & echo $! > child-pid; touch {out}/half; wait'"]
NEEDS_NOTHING_REAL = '[requires.nocc]\ncheck = "nocc --version"\napt = ["nocc-dev"]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are typed; nobody is root there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    return tmp_path


def contender(parent: Path, name: str, command: object, more: str = "") -> None:
    (parent / name).mkdir(parents=True)
    text = CONTENDER.format(name=name, command=repr(command)) + more
    (parent / name / "contender.toml").write_text(text)


def setup(*arguments: str) -> Result:
    return bakeoff("setup", *arguments)


def test_versions_on_one_side_progress_on_the_other(folder: Path) -> None:
    contender(folder, "a", "true")
    done = setup("./a")
    assert done.exit_code == 0
    assert done.stdout == "a: a 1.0\n1 of 1 ready\n"
    assert re.fullmatch(r"building a\na: built, \d+ s\n", done.stderr)
    assert setup("./a").stderr == "", "it is built already"


def test_what_fails_is_named_with_its_log_and_the_rest_goes_on(folder: Path) -> None:
    contender(folder, "bad", "ls nowhere")
    contender(folder, "good", "true")
    contender(folder, "toolless", "true", NEEDS_NOTHING_REAL)
    done = setup("./bad", "./good", "./toolless", "--jobs", "1")
    assert done.exit_code == Status.CONTENDER_OUT
    log = folder / "bad" / ".out" / "build.log"
    failed = f"its build failed: `ls nowhere` ended with status 2 (whole log: {log})"
    assert f"bad is out: {failed}\n    ls: " in done.stderr
    assert "toolless is out: needs nocc: apt-get install nocc-dev" in done.stderr
    assert done.stdout.splitlines() == [
        "good: good 1.0",
        f"1 of 3 ready; not: bad ({failed}), toolless (needs nocc: apt-get install nocc-dev)",
    ]


def test_where_nothing_is_ready_the_status_says_why(folder: Path) -> None:
    contender(folder, "bad", "false")
    contender(folder, "toolless", "true", NEEDS_NOTHING_REAL)
    assert setup("./bad").exit_code == Status.NO_VERDICT
    assert setup("./toolless").exit_code == Status.NO_VERDICT


def test_all_is_the_whole_catalogue(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("c", "b", "a"):
        contender(folder / "contenders", name, "true")
    monkeypatch.setattr(Catalogue, "shipped", classmethod(lambda _: Catalogue(folder)))
    done = setup("--all", "--jobs", "1")
    assert done.stdout.splitlines() == ["a: a 1.0", "b: b 1.0", "c: c 1.0", "3 of 3 ready"]
    began = [line for line in done.stderr.splitlines() if line.startswith("building")]
    assert began == ["building a", "building b", "building c"]
    assert isinstance(setup("a", "--all").exception, BadUsage)


def test_a_disk_that_is_nearly_full_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contender(folder, "a", "true")
    monkeypatch.setattr("bakeoff.cli.setup.DISK_GIB", 1 << 40)
    assert "GiB are free where" in setup("./a").stderr
    assert "GiB are free where" not in setup("./a").stderr, "there is nothing to build any more"


def started(folder: Path) -> "subprocess.Popen[str]":
    """bakeoff with a build that hangs and one that is waiting for its turn."""
    contender(folder, "hangs", HANG)
    contender(folder, "waits", "touch ../began")
    program = "from bakeoff.cli import main; main()"
    arguments = ["setup", "./hangs", "./waits", "--jobs", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(lambda: (folder / "hangs" / ".out" / "half").exists())
    return process


def alive(pid_file: Path) -> bool:
    return Path(f"/proc/{int(pid_file.read_text())}").exists()


def test_an_interrupt_ends_what_is_being_built_and_begins_nothing(tmp_path: Path) -> None:
    process = started(tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert not alive(tmp_path / "hangs" / "pid")
    wait_for(lambda: not alive(tmp_path / "hangs" / "child-pid"))
    assert [path.name for path in (tmp_path / "hangs" / ".out").iterdir()] == ["build.log"]
    assert not (tmp_path / "began").exists()


def test_a_build_ends_with_a_bakeoff_that_is_killed(tmp_path: Path) -> None:
    process = started(tmp_path)
    process.kill()
    process.communicate(timeout=30)
    wait_for(lambda: not alive(tmp_path / "hangs" / "pid"))
    with suppress(ProcessLookupError):
        os.kill(int((tmp_path / "hangs" / "child-pid").read_text()), signal.SIGKILL)
    assert not (tmp_path / "hangs" / ".out" / "receipt.json").exists()


def test_links_alone_build_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = setup("--links", "a folder")
    assert done.exit_code == 0
    where = folder / "a folder"
    assert done.stdout.splitlines() == [
        "ab, wrk, wrk2, webbench in a folder are the engine",
        "this shell finds others (ab is not found, wrk is not found, wrk2 is not found, "
        "webbench is not found) until it is told:",
        f"  export PATH='{where}':$PATH",
    ]
    assert (where / "wrk2").is_symlink()
    monkeypatch.setenv("PATH", str(where))
    assert setup("--links", "a folder").stdout.splitlines() == done.stdout.splitlines()[:1]


def test_links_and_contenders_in_one_go(folder: Path) -> None:
    contender(folder, "a", "true")
    done = setup("./a", "--links", "links")
    assert done.exit_code == 0
    assert done.stdout.endswith("a: a 1.0\n1 of 1 ready\n")
    assert (folder / "links" / "ab").is_symlink()


def test_links_that_would_overwrite_are_refused_before_anything_is_built(folder: Path) -> None:
    contender(folder, "a", "touch {out}/built")
    (folder / "ab").write_text("")
    assert isinstance(setup("./a", "--links", ".").exception, BadUsage)
    assert not list(folder.rglob("built"))
