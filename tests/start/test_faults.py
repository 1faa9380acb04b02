"""How a fault of a contender is worded."""

import errno
from pathlib import Path

import pytest

from bakeoff.start import faults
from bakeoff.start.faults import Log


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (0, "exited with status 0"),
        (1, "exited with status 1"),
        (-11, "was killed by signal SIGSEGV"),
        (-40, "was killed by signal 40"),
    ],
)
def test_an_ending(status: int, text: str) -> None:
    assert faults.ending(status) == text


def test_a_core_that_is_not_there() -> None:
    text = faults.unstartable("pin", errno.EINVAL, "node", "/x")
    assert text.startswith("it can't be pinned to its cores: Invalid argument")


def test_the_tail_has_the_last_lines_of_a_long_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x" * 50_000 + b"\n" + b"\n".join(b"line %d" % n for n in range(99)) + b"\xff")
    text = faults.with_tail("died", Log(log, 0)).splitlines()
    assert text[0] == "died; the end of its log:"
    assert text[1:3] == ["  line 84", "  line 85"]
    assert text[-1] == "  line 98�"


def test_the_tail_is_that_of_the_process_whose_log_begins_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("of an earlier process\n")
    own = Log.now(log)
    with log.open("a") as file:
        file.write("its own\n")
    assert faults.with_tail("died", own) == "died; the end of its log:\n  its own"
    log.write_text("cut\n")
    assert faults.with_tail("died", own) == "died; the end of its log:\n  cut"


AFTER = "3.2 s after its start"


@pytest.mark.parametrize(
    ("status", "answers", "doing", "said"),
    [
        (7, 20_000, "", f"exited with status 7 after 20,000 answers to the load, {AFTER}"),
        (-9, 1, "", f"was killed by signal SIGKILL after 1 answer to the load, {AFTER}"),
        (0, None, "while x", f"exited with status 0, {AFTER}, while x"),
    ],
)
def test_an_end_has_its_status_its_answers_and_its_time(
    status: int, answers: int | None, doing: str, said: str
) -> None:
    assert faults.ended(status, 3.21, answers, doing) == said


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_log_is_said(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "log").write_bytes(content)
    assert faults.with_tail("died", Log(tmp_path / "log", 0)) == "died (its log is empty)"
    assert faults.with_tail("died", Log(tmp_path / "none", 0)) == "died (its log is empty)"
    advised = faults.with_tail("died", Log(tmp_path / "none", 0), "; stay")
    assert advised == "died (its log is empty); stay"
