"""Who measures in a folder: found while it does, never taken for another, ended as by Ctrl-C."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.runs.holder import FILE, Holder, holder_of, holding
from tests.runs.conftest import Measure
from tests.runs.world import World

HOLDS = """
import pathlib, signal, sys, time
from bakeoff.runs.holder import holding

def interrupt(*_):
    raise KeyboardInterrupt

{before}
folder = pathlib.Path(sys.argv[1])
with holding(folder):
    try:
        print("holds", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        (folder / "interrupted").touch()
"""


@contextmanager
def held(folder: Path, before: str = "") -> "Iterator[subprocess.Popen[str]]":
    """Another process that measures in `folder`."""
    words = [sys.executable, "-c", HOLDS.format(before=before), str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "holds\n"
        yield process
        process.kill()


def found(folder: Path) -> Holder:
    holder = holder_of(folder)
    assert holder is not None
    return holder


def test_a_run_has_a_holder_while_it_is_measured_and_none_afterwards(measure: Measure) -> None:
    seen = list[Holder | None]()

    class Watching(World):
        def measured(self, done_s: float, of_s: float, text: str, rates: Any = None) -> None:
            seen.append(holder_of(next(measure.parent.glob("t-*"))))

    run = measure.race(Watching({"fast": 100_000.0}), "fast", duration=1.0)
    assert {each.pid for each in seen if each} == {os.getpid()}
    assert holder_of(run.path) is None
    assert not (run.path / FILE).exists()


def test_who_was_killed_holds_nothing(tmp_path: Path) -> None:
    with held(tmp_path) as process:
        assert found(tmp_path).pid == process.pid
        process.kill()
        process.wait()
        assert (tmp_path / FILE).exists()
        assert holder_of(tmp_path) is None


def test_a_pid_that_was_given_again_is_another_process(tmp_path: Path) -> None:
    with holding(tmp_path):
        me = found(tmp_path)
    (tmp_path / FILE).write_text(f"{me.pid} {me.started - 1}\n")
    assert holder_of(tmp_path) is None
    with pytest.raises(BadUsage, match="has ended by itself"):
        Holder(me.pid, me.started - 1).interrupt()


@pytest.mark.parametrize("text", ["", "1", "a b", "1 2 3", "99999999999999999999 1"])
def test_a_file_that_says_nothing_is_no_holder(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert holder_of(tmp_path) is None


@pytest.mark.parametrize(
    "before",
    [
        "signal.signal(signal.SIGINT, signal.default_int_handler)",
        # As a shell starts its background jobs, and as our command line answers SIGTERM.
        "signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, interrupt)",
    ],
)
def test_it_is_ended_as_by_ctrl_c(tmp_path: Path, before: str) -> None:
    with held(tmp_path, before) as process:
        found(tmp_path).interrupt()
        assert process.wait(20) == 0
    assert (tmp_path / "interrupted").exists()
    assert not (tmp_path / FILE).exists()


def test_who_would_lose_its_verdict_is_left_alone(tmp_path: Path) -> None:
    before = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    with held(tmp_path, before) as process:
        with pytest.raises(BadUsage, match="ignores SIGINT"):
            found(tmp_path).interrupt()
        assert process.poll() is None
