"""Processes that are stopped for a while do nothing, and go on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from bakeoff.start import Freezer

BUSY = "print(flush=True)\nwhile True: pass"


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline()
        yield process
        process.kill()


def state(process: subprocess.Popen[bytes], *wanted: str) -> str:
    """How it is, once that is as `wanted`: signals arrive a moment later."""
    until_s = time.monotonic() + 5
    while (now := psutil.Process(process.pid).status()) not in wanted:
        assert time.monotonic() < until_s, now
    return now


def test_frozen_processes_stand_still_until_they_are_thawed(busy: subprocess.Popen[bytes]) -> None:
    freezer = Freezer([busy.pid])
    freezer.freeze()
    assert state(busy, "stopped")
    freezer.thaw()
    assert state(busy, "running", "sleeping")
    freezer.freeze()
    freezer.close()
    assert state(busy, "running", "sleeping")


def test_those_that_have_ended_are_nobody_s_trouble(busy: subprocess.Popen[bytes]) -> None:
    freezer = Freezer([busy.pid, 2**22 + 1])
    busy.kill()
    busy.wait()
    freezer.freeze()
    freezer.close()
    freezer.close()


def test_a_frozen_one_can_be_killed(busy: subprocess.Popen[bytes]) -> None:
    Freezer([busy.pid]).freeze()
    os.kill(busy.pid, signal.SIGKILL)
    assert busy.wait(5) == -signal.SIGKILL
