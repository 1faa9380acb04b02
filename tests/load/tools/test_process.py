"""Running a program that makes load."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bakeoff.load.tools.process import OWN_FILES, Ended, run

SH = Path("/bin/sh")
CPU = min(os.sched_getaffinity(0))


def shell(script: str, *, connections: int = 1, timeout_s: float = 20) -> Ended:
    words = ("sh", "-c", script)
    return run(words, SH, cpus=(CPU,), connections=connections, timeout_s=timeout_s)


def test_both_streams_and_the_status_are_kept() -> None:
    assert shell("echo out; echo err >&2; exit 7") == Ended(7, "out\n", "err\n")


def test_bytes_that_are_no_text_are_kept_as_far_as_they_can() -> None:
    assert shell(r"printf 'a\377b'").stdout == "a\ufffdb"


def test_a_signal_is_a_negative_status() -> None:
    assert shell("kill -SEGV $$").status == -signal.SIGSEGV


def test_it_runs_on_its_cores() -> None:
    assert shell("grep Cpus_allowed_list /proc/self/status").stdout.split()[-1] == str(CPU)


def test_without_cores_it_runs_where_we_do() -> None:
    words = ("grep", "Cpus_allowed_list", "/proc/self/status")
    ended = run(words, Path("/bin/grep"), cpus=(), connections=1, timeout_s=20)
    ours = next(
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith(words[1])
    )
    assert ended.stdout.strip() == ours


def test_it_may_open_a_file_for_each_connection() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    connections = soft + 1
    allowed = int(shell("ulimit -n", connections=connections).stdout)
    assert allowed == max(soft, min(connections + OWN_FILES, hard))


def test_it_has_a_session_of_its_own() -> None:
    _, _, rest = shell("cat /proc/self/stat").stdout.rpartition(")")
    assert int(rest.split()[3]) != os.getsid(0)


def test_when_its_time_is_over_it_ends_with_its_children_and_what_it_said_is_kept() -> None:
    began = time.monotonic()
    ended = shell("echo so far; sleep 60 & echo $!; wait", timeout_s=0.2)
    assert ended.status is None
    said, child = ended.stdout.splitlines()
    assert said == "so far"
    assert time.monotonic() - began < 30
    wait_until_gone(int(child))


def test_a_core_that_is_not_there() -> None:
    with pytest.raises(subprocess.SubprocessError):
        run(("true",), Path("/bin/true"), cpus=(100_000,), connections=1, timeout_s=1)


def test_it_ends_with_us() -> None:
    script = (
        "from pathlib import Path; from bakeoff.load.tools.process import run;"
        " run(('sleep', '60'), Path('/bin/sleep'), cpus=(), connections=1, timeout_s=60)"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as parent:
        pid = child_of(parent.pid)
        parent.kill()
    wait_until_gone(pid)


def child_of(pid: int) -> int:
    """The pid of the one child of `pid`, as soon as it has become the program."""
    for _ in range(2000):
        for child in psutil.Process(pid).children():
            if child.name() == "sleep":
                return child.pid
        time.sleep(0.01)
    raise AssertionError(f"{pid} has no child")


def wait_until_gone(pid: int) -> None:
    for _ in range(1000):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return
        except psutil.NoSuchProcess:
            return
        time.sleep(0.01)
    raise AssertionError(f"{pid} is still there")
