"""A soak finds what is wrong with a run: here bakeoff is a few lines that do it on purpose."""

import signal
import sys
from pathlib import Path
from typing import Literal

import psutil
import pytest

from tests.soak import expected, trial
from tests.soak.cases import RESULT, Case, Fault, Server
from tests.soak.trial import Outcome, Trial

RUN = """
import json, os, pathlib, subprocess, sys, time
command = sys.argv[1]
pathlib.Path("runs/latest").mkdir(parents=True, exist_ok=True)
"""
ENDS_WELL = f"pathlib.Path({RESULT!r}).write_text('{{}}')\n"
BAD = Server("bad", Fault("exits", "--at-start", status=7))


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "HUNG_AFTER_S", 0.5)
    monkeypatch.setattr(trial, "TIDY_WITHIN_S", 0.3)
    monkeypatch.setattr(trial, "LOOK_EVERY_S", 0.05)


def tried(
    folder: Path,
    product: str,
    *servers: Server,
    cut: Literal["", "interrupted", "killed"] = "",
    cut_after_s: float = 1.0,
) -> Outcome:
    """How a race ends with this product."""
    those = servers or (Server("good"), Server("fair"))
    words = ("race", *(each.operand for each in those))
    this = Trial(Case(1, "race", those, words, cut, cut_after_s), folder / "a place")
    (this.folder / "bakeoff.py").write_text(RUN + product)
    return this.run()


def only(outcome: Outcome) -> str:
    (problem,) = outcome.problems
    return problem


def test_a_run_that_ends_well_has_no_problem(tmp_path: Path) -> None:
    outcome = tried(tmp_path, ENDS_WELL)
    assert outcome.problems == []
    assert [(each.words[0], each.status) for each in outcome.typed] == [("race", 0), ("report", 0)]


def test_a_wrong_status_is_a_problem(tmp_path: Path) -> None:
    assert "status is 3; right is 0" in only(tried(tmp_path, "sys.exit(3)"))


def test_a_report_says_what_the_run_said(tmp_path: Path) -> None:
    product = f"{ENDS_WELL}sys.exit(3 if command == 'report' else 0)"
    assert "status of `report` is 3; right is 0" in only(tried(tmp_path, product))


def test_a_result_and_a_reason_are_missed(tmp_path: Path) -> None:
    assert only(tried(tmp_path, "")) == "there is no JSON result"
    struck = "pathlib.Path('counted-bad').mkdir(exist_ok=True)\n" + (
        "pathlib.Path('counted-bad/1').write_text('struck')\n"
    )
    outcome = tried(tmp_path / "unnamed", f"{struck}print('no verdict'); sys.exit(3)", BAD)
    assert only(outcome) == "the output doesn't name bad, which is out"
    assert outcome.struck == ("bad",)
    says = "print('bad is out: exited with status 7'); sys.exit(3)"
    assert tried(tmp_path / "named", struck + says, BAD).problems == []


def test_a_run_that_hangs_is_ended_and_its_stacks_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expected, "ALLOWANCE_S", 0.5)
    product = """
def stands_still():
    time.sleep(60)

if command == "race":
    print("about 0 s besides builds, 1 s at most", flush=True)
    stands_still()
"""
    outcome = tried(tmp_path, product)
    assert outcome.first.status is None
    assert outcome.first.took_s < 30
    assert "stands_still" in outcome.problems[0]
    assert "stands_still" in (tmp_path / "a place" / "evidence").read_text()


def test_a_run_that_takes_longer_than_announced_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expected, "ALLOWANCE_S", 0.0)
    monkeypatch.setattr(trial, "HUNG_AFTER_S", 60.0)
    late = "print('about 0 s besides builds, 1 s at most', flush=True); time.sleep(1.5)\n"
    product = f"if command == 'race': {late}\n{ENDS_WELL}"
    assert "s were its bound" in only(tried(tmp_path, product))


def test_what_is_left_is_a_problem(tmp_path: Path) -> None:
    sleeper = f"subprocess.Popen([{sys.executable!r}, '-c', 'import time; time.sleep(60)'])"
    product = f"""
if command == "race":
    {sleeper}
    pathlib.Path(os.environ["TMPDIR"], "bakeoff-scratch").touch()
    running = pathlib.Path(os.environ["XDG_STATE_HOME"], "bakeoff/running")
    running.mkdir(parents=True)
    (running / "1-2-3").touch()
{ENDS_WELL}"""
    outcome = tried(tmp_path, product)
    try:
        after_run = [each for each in outcome.problems if each.startswith("after the run")]
        assert [each.split()[5] for each in after_run] == ["process", "temporary", "entry"]
    finally:
        for each in psutil.process_iter(["environ"]):
            if (each.info["environ"] or {}).get("TMPDIR", "").startswith(str(tmp_path)):
                each.kill()


@pytest.mark.parametrize("how", ["interrupted", "killed"])
def test_a_run_that_is_cut_is_reported_and_resumed(
    tmp_path: Path, how: Literal["interrupted", "killed"]
) -> None:
    product = """
try:
    if command == "race":
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
"""
    outcome = tried(tmp_path, product, cut=how)
    assert outcome.problems == []
    status = 130 if how == "interrupted" else -signal.SIGKILL
    ended = [(each.words[0], each.status) for each in outcome.typed]
    assert ended == [("race", status), ("report", 0), ("resume", 0)]


def test_a_run_that_outlives_ctrl_c_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "INTERRUPTED_WITHIN_S", 0.3)
    product = """
import signal
if command == "race":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(60)
"""
    outcome = tried(tmp_path, product, cut="interrupted")
    assert outcome.first.status is None
    assert "it hung" in outcome.problems[0]
