"""A command runs to its end, to its time, or until it is told to stop; nothing outlives it."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from bakeoff.command import Ended, run
from tests.waiting import wait_for

CPU = min(os.sched_getaffinity(0))


def shell(script: str, **details: Any) -> Ended:
    return run(("sh", "-c", script), **{"timeout_s": 120, **details})


def wait_until_gone(pid: int) -> None:
    wait_for(
        lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    )


def test_both_streams_and_the_status_are_kept() -> None:
    assert shell("echo out; echo err >&2; exit 7") == Ended(7, "out\n", "err\n")
    assert shell("echo out; echo err >&2", one_stream=True) == Ended(0, "out\nerr\n", "")


def test_bytes_that_are_no_text_are_kept_as_far_as_they_can() -> None:
    assert shell(r"printf 'a\377b'").stdout == "a\ufffdb"


def test_a_signal_is_a_negative_status() -> None:
    assert shell("kill -SEGV $$").status == -signal.SIGSEGV


def test_another_program_may_be_executed_than_the_one_that_is_named() -> None:
    ended = run(("no such name", "-c", "echo $0"), program=Path("/bin/sh"), timeout_s=20)
    assert ended.stdout == "no such name\n"


def test_its_folder_and_environment(tmp_path: Path) -> None:
    ended = shell('pwd; echo "$ADDED $HOME"', folder=tmp_path, env={"ADDED": "yes"})
    assert ended.stdout == f"{tmp_path}\nyes {os.environ.get('HOME', '')}\n"


def test_it_runs_on_its_cores_or_where_we_do() -> None:
    ours = Path("/proc/self/status").read_text().partition("Cpus_allowed_list:")[2].split()[0]
    for cpus, allowed in (((CPU,), str(CPU)), ((), ours)):
        ended = shell("grep Cpus_allowed_list /proc/self/status", cpus=cpus)
        assert ended.stdout.split()[-1] == allowed


def test_it_may_open_as_many_files_as_it_needs() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = int(shell("ulimit -n", open_files=soft + 1).stdout)
    assert allowed == max(soft, min(soft + 1, hard))


def test_it_has_a_session_of_its_own() -> None:
    _, _, rest = shell("cat /proc/self/stat").stdout.rpartition(")")
    assert int(rest.split()[3]) != os.getsid(0)


def test_when_its_time_is_over_it_ends_with_its_children_and_its_output_is_kept() -> None:
    for limit_s in (0.2, 2, 30):  # A busy machine may take longer to begin.
        ended = shell("echo so far; sleep 600 & echo $!; wait", timeout_s=limit_s)
        assert ended.status is None
        if ended.stdout.count("\n") == 2:
            break
    line, child = ended.stdout.splitlines()
    assert line == "so far"
    wait_until_gone(int(child))


@contextmanager
def told_once_begun(folder: Path) -> Iterator[threading.Event]:
    """What tells a command to stop as soon as it has made the file `begun`."""
    stop = threading.Event()

    def tell() -> None:
        until = time.monotonic() + 60
        while not (folder / "begun").exists() and time.monotonic() < until:
            time.sleep(0.01)
        stop.set()

    threading.Thread(target=tell).start()
    yield stop


def test_told_to_stop_it_ends_even_if_it_ignores_that(tmp_path: Path) -> None:
    script = "trap '' INT; sleep 600 & echo $! > child; touch begun; while :; do sleep 0.05; done"
    with pytest.raises(KeyboardInterrupt), told_once_begun(tmp_path) as stop:
        shell(script, folder=tmp_path, timeout_s=600, interrupt_s=0.1, stop=stop)
    wait_until_gone(int((tmp_path / "child").read_text()))


def test_it_can_tidy_up_when_it_is_told_to_stop(tmp_path: Path) -> None:
    script = "trap 'rm half; exit 1' INT; touch half begun; while :; do sleep 0.05; done"
    with pytest.raises(KeyboardInterrupt), told_once_begun(tmp_path) as stop:
        shell(script, folder=tmp_path, timeout_s=600, interrupt_s=60, stop=stop)
    assert not (tmp_path / "half").exists()


def test_a_core_or_a_program_that_is_not_there() -> None:
    with pytest.raises(subprocess.SubprocessError):
        shell("true", cpus=(100_000,))
    with pytest.raises(FileNotFoundError):
        run(("no-such-program",), timeout_s=1)


@pytest.mark.parametrize("when", ["before", "after_in_parent"])
def test_an_interrupt_at_the_moment_of_a_fork_is_not_forgotten(when: str) -> None:
    script = f"""
import os, signal
from bakeoff.command import run
os.register_at_fork({when}=lambda: signal.raise_signal(signal.SIGINT))
try:
    run(("sleep", "600"), timeout_s=600)
except KeyboardInterrupt:
    print("interrupted")
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout == "interrupted\n", ended.stderr


def test_it_ends_with_us() -> None:
    script = "from bakeoff.command import run; run(('sleep', '600'), timeout_s=600)"
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
