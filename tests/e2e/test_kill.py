"""`kill -9`: nothing is left, no finished block is lost, and it goes on."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bakeoff.keeper.processes import runs
from bakeoff.runs import open_run
from bakeoff.runs.measuring.boot import measured_s
from tests.e2e.conftest import ARTICLE, QUICK, Place
from tests.e2e.kills import KINDS, Try
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
TRIES, A_PORTION, IN_MAKE_TEST = 200, 5, 2


def kill(process: "subprocess.Popen[str]", place: Place) -> None:
    """SIGKILL; nothing that it started outlives it for long."""
    process.kill()
    process.communicate()
    place.wait_until_nothing_is_left()


def portions() -> Iterator[Any]:
    for number in range(TRIES // A_PORTION):
        marks = [pytest.mark.slow] if number >= IN_MAKE_TEST else []
        yield pytest.param(number, marks=marks)


@pytest.mark.parametrize("portion", list(portions()))
def test_kills_leave_nothing_and_lose_nothing(
    tmp_path: Path, null_server: str, portion: int
) -> None:
    """Of bakeoff, keeper, engine and commands, of two at once, at any moment of any run.

    Each test run has moments of its own: a failure prints its seed, which KILLS_SEED takes.
    """
    seed = os.environ.get("KILLS_SEED") or f"{random.randrange(10**8)}"
    print(f"KILLS_SEED={seed}")
    for number in range(portion * A_PORTION, (portion + 1) * A_PORTION):
        folder = tmp_path / f"try {number}"
        folder.mkdir()
        kind = list(KINDS)[number % len(KINDS)]
        one = Try(Place(folder), kind, f"{seed}/{number}", null_server)
        one.run()
        print(f"{one}; {one.said or 'nothing had to be ended'}")


QUICKLY_TRIED = ("race", "setup")


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[] if kind in QUICKLY_TRIED else [pytest.mark.slow])
        for kind in KINDS
    ],
)
def test_ctrl_c_at_any_moment_tidies_up(tmp_path: Path, null_server: str, kind: str) -> None:
    seed = os.environ.get("KILLS_SEED") or f"{random.randrange(10**8)}"
    print(f"KILLS_SEED={seed}")
    folder = tmp_path / "a place"
    folder.mkdir(exist_ok=True)
    Try(Place(folder), kind, f"{seed}/{kind}", null_server).interrupt()


def test_a_race_goes_on_while_others_are_killed_and_swept(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at once of one user: each knows its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(place.path / "state"))
    first = place.begin("race", place.server("a"), *QUICK, "-d", "6")
    wait_for(lambda: place.blocks() > 2)
    run = (place.path / "runs" / "latest").resolve()
    second = place.begin("race", place.server("b"), *QUICK, "-d", "60", "--out", "others")
    wait_for(lambda: place.blocks("others/latest") > 2)
    keeper = next(p for p in psutil.Process(second.pid).children() if "keeper" in p.name())
    servers = [p.pid for p in keeper.children()]
    for process in (second, keeper):
        process.kill()
    second.communicate()
    assert place.bakeoff("--version").status == 0
    assert not any(map(runs, servers))
    _, err = first.communicate(timeout=120)
    assert first.returncode == 0, err
    assert open_run(run).result.complete


def test_a_killed_race_is_resumed_to_its_end(place: Place) -> None:
    words = (place.server("a"), place.server("b"), *QUICK, "--boots", "2")
    process = place.begin("race", *words, "-d", "3")
    wait_for(lambda: place.blocks() > 4)
    kill(process, place)
    run = place.path / "runs" / "latest"
    before = open_run(run).records()
    ended = place.bakeoff("resume", "runs/latest")
    assert ended.status == 0, ended.err
    whole = open_run(run)
    assert whole.records()[: len(before)] == before
    assert measured_s(whole.records()) == pytest.approx(3, abs=1.5)
    assert whole.result.complete
    assert not (whole.path / "scratch").exists()


@pytest.mark.slow
def test_a_killed_grid_is_reported_and_resumed(place: Place) -> None:
    process = place.begin("race", place.server("a"), *QUICK, "-c", "4,8", "-d", "2")
    wait_for(lambda: place.blocks("runs/latest/c8") > 2)
    kill(process, place)
    reported = place.bakeoff("report", "runs/latest")
    assert reported.status in (0, 1), reported.err
    grid = open_run(place.path / "runs" / "latest")
    assert [bool(cell.verdict) for cell in grid.result.cells] == [True, True]
    assert not grid.is_complete()
    first = (grid.path / "c4" / "samples.jsonl").read_bytes()
    resumed = place.bakeoff("resume", "runs/latest")
    assert resumed.status == 0, resumed.err
    assert open_run(grid.path).is_complete()
    assert (grid.path / "c4" / "samples.jsonl").read_bytes() == first


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("wrk"), reason="wrk is not installed")
def test_a_killed_crosscheck_is_reported_and_resumed(place: Place, null_server: str) -> None:
    process = place.begin(
        "crosscheck", null_server, "--tools", "wrk", "-c", "8", "-d", "1", "--rounds", "5"
    )
    wait_for(lambda: place.recorded("tool-run") > 4)
    kill(process, place)
    reported = place.bakeoff("report", "runs/latest")
    assert reported.status in (0, 1), reported.err
    run = place.path / "runs" / "latest"
    assert not open_run(run).result.complete
    assert (run / "report.html").exists()
    before = open_run(run).records()
    resumed = place.bakeoff("resume", "runs/latest")
    assert resumed.status == 0, resumed.err
    whole = open_run(run)
    assert whole.records()[: len(before)] == before
    assert whole.result.complete
    assert [loading.n for loading in whole.result.loadings] == [5, 5]


@pytest.mark.slow
def test_a_killed_replay_is_reported_and_resumed(place: Place) -> None:
    (place.path / "mine.toml").write_text(ARTICLE)
    process = place.begin("replay", "mine.toml")
    wait_for(lambda: place.blocks("runs/latest/ab") > 5)
    kill(process, place)
    reported = place.bakeoff("report", "runs/latest")
    assert "The replay ended early" in " ".join(reported.out.split())
    resumed = place.bakeoff("resume", "runs/latest", timeout_s=300)
    assert resumed.status in (0, 1), resumed.err
    assert open_run(place.path / "runs" / "latest").is_complete()
