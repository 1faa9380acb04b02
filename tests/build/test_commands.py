"""A command runs to its end, to its time, or until it is told to stop; nothing outlives it."""

import threading
import time
from pathlib import Path

import pytest

from bakeoff.build.commands import run


def gone(pid_file: Path) -> bool:
    """Whether the process whose pid was written is no more, within ten seconds."""
    pid = int(pid_file.read_text())
    until = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.01)
    return not Path(f"/proc/{pid}").exists()


def test_both_streams_are_kept(tmp_path: Path) -> None:
    outcome = run(["sh", "-c", "echo one; echo two >&2; exit 3"], tmp_path, timeout_s=20)
    assert (outcome.status, outcome.output, outcome.first_line) == (3, "one\ntwo\n", "one")


def test_the_first_line_has_no_colours(tmp_path: Path) -> None:
    outcome = run(["printf", r"\033[1mApache Maven\033[m 3.8.7\n"], tmp_path, timeout_s=10)
    assert outcome.first_line == "Apache Maven 3.8.7"


def test_past_its_time_it_is_ended_with_its_children_and_its_output_stays(tmp_path: Path) -> None:
    script = "echo begun; sleep 600 & echo $! > child; wait"
    outcome = run(["sh", "-c", script], tmp_path, timeout_s=0.3)
    assert (outcome.status, outcome.timed_out) == (124, True)
    assert outcome.output == "begun\nsh: did not end within 0.3 s"
    assert gone(tmp_path / "child")


def test_told_to_stop_it_ends_though_it_would_not_hear_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bakeoff.build.commands.GRACE_S", 0.2)
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    script = "trap '' INT; sleep 600 & echo $! > child; while :; do sleep 0.05; done"
    with pytest.raises(KeyboardInterrupt):
        run(["sh", "-c", script], tmp_path, timeout_s=600, stop=stop)
    assert gone(tmp_path / "child")


def test_its_work_is_tidied_up_when_it_is_told_to_stop(tmp_path: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    script = "trap 'rm half; exit 1' INT; touch half; while :; do sleep 0.05; done"
    with pytest.raises(KeyboardInterrupt):
        run(["sh", "-c", script], tmp_path, timeout_s=600, stop=stop)
    assert not (tmp_path / "half").exists()
