"""Calls of a child process, and the ends of both."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.cluster.calls import Calls, Ended, Refused
from tests.waiting import wait_for

CHILD = "tests.cluster.answering"
WITHIN_S = 30.0


@pytest.fixture
def calls() -> Iterator[Calls]:
    """Those of a child that answers."""
    made = Calls(CHILD)
    made.ready.result(WITHIN_S)
    yield made
    made.end()


def test_a_call_does_not_wait_for_those_before_it(calls: Calls) -> None:
    waits = calls.begin("wait")
    calls.begin("go_on").result(WITHIN_S)
    assert waits.result(WITHIN_S) == "waited"


def test_what_is_raised_in_the_child_is_named_here(calls: Calls) -> None:
    with pytest.raises(Refused) as error:
        calls.begin("fail").result(WITHIN_S)
    assert (error.value.kind, error.value.text) == ("LookupError", "not here")
    assert calls.begin("pid").result(WITHIN_S) != os.getpid()


def test_the_end_of_the_child_ends_all_calls(calls: Calls) -> None:
    waits = calls.begin("wait")
    calls.begin("die")
    with pytest.raises(Ended) as error:
        waits.result(WITHIN_S)
    assert error.value.last_line == "a last word"
    assert "status 7" in str(error.value)
    with pytest.raises(Ended):
        calls.begin("pid").result(WITHIN_S)


def test_a_child_that_can_not_start_says_why() -> None:
    calls = Calls("tests.cluster.no_such_module")
    with pytest.raises(Ended) as error:
        calls.ready.result(WITHIN_S)
    assert "No module named" in error.value.last_line
    calls.end()


def test_a_child_that_is_held_up_can_be_ended(calls: Calls) -> None:
    pid = calls.begin("pid").result(WITHIN_S)
    held_up = calls.begin("hold_up")
    calls.end()
    with pytest.raises(Ended):
        held_up.result(WITHIN_S)
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize("doing", ["wait", "hold_up"])
def test_a_child_ends_with_its_parent(doing: str) -> None:
    program = (
        "import sys; from bakeoff.cluster.calls import Calls; calls = Calls(sys.argv[1]); "
        "print(calls.begin('pid').result(), flush=True); calls.begin(sys.argv[2]).result()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, CHILD, doing],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout
    child = Path(f"/proc/{int(parent.stdout.readline())}")
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    said = child / "cmdline"
    wait_for(lambda: not said.exists() or not said.read_bytes(), WITHIN_S)
