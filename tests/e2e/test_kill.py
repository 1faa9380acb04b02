"""`kill -9`: nothing is left, no finished block is lost, and it goes on."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bakeoff.runs import open_run
from bakeoff.runs.measuring.boot import measured_s
from tests.e2e.conftest import ARTICLE, QUICK, Place, wait_for
from tests.e2e.kills import KINDS, Try

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


@pytest.mark.parametrize("portion", portions())
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
