"""What an engine writes to stderr neither blocks it nor gets lost. The engine is a script."""

import shlex
import sys
from pathlib import Path

import pytest

from bakeoff.load import Engine, engine
from bakeoff.load.engine import ERRORS_KEPT, EngineFailed
from tests.load.jobs import CLOSED, job

# Each time it has more to say than a pipe holds (64 KiB): as it begins, in a slice, as it ends.
TALKATIVE = """
import json, sys
def warn():
    sys.stderr.write("a warning\\n" * 20_000)
def answer(event):
    sys.stdin.readline()
    warn()
    print(json.dumps(event), flush=True)
answer({
    "type": "ready", "protocol": 4, "engine": "0", "io": "epoll", "threads": 1,
    "targets": [{"name": "hello", "open": 1, "error": None}],
})
sys.stdin.readline()
warn()
sys.exit("the last word")
"""


@pytest.fixture(autouse=True)
def talkative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, path = tmp_path / "talkative.py", tmp_path / "volley"
    script.write_text(TALKATIVE)
    # A path in a line #! has no spaces.
    path.write_text(f"#!/bin/sh\nexec {shlex.join([sys.executable, str(script)])}\n")
    path.chmod(0o755)
    monkeypatch.setattr(engine, "engine_path", lambda: path)


def test_an_engine_is_not_blocked_by_what_nobody_read_of_its_stderr() -> None:
    with Engine(job(1)) as running, pytest.raises(EngineFailed) as caught:
        running.slice(CLOSED)
    assert str(caught.value).startswith("the load engine ended with status 1: ")
    assert str(caught.value).endswith("the last word")
    assert len(str(caught.value)) < 2 * ERRORS_KEPT


def test_an_engine_that_nobody_asks_goes_on_too() -> None:
    with Engine(job(1)) as running:
        running.begin(CLOSED)
        assert running._process.wait(60) == 1
