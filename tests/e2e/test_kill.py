"""`kill -9` at a random moment: nothing is left, no finished block is lost, and it goes on."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from bakeoff.race.folder import RunFolder, measured_s
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e
KILLS = 20
SEED = 20261121


def cgroups() -> set[Path]:
    """Control groups of ours, wherever they may be."""
    root = Path("/sys/fs/cgroup")
    return {path for path in root.rglob("bakeoff-*") if path.is_dir()}


def test_twenty_kills_leave_nothing_and_lose_nothing(place: Place) -> None:
    chance = random.Random(SEED)
    words = [place.server("a"), place.server("b"), "--boots", "1", "--no-twin"]
    before = cgroups()
    kept = 0.0
    for _ in range(KILLS):
        process = place.begin("race", *words, "-d", "60")
        time.sleep(chance.uniform(0.3, 6.0))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        place.wait_until_nothing_is_left(timeout_s=6)
        assert cgroups() == before
        run = place.path / "runs" / "latest"
        if (run / "samples.jsonl").exists():
            kept = max(kept, measured_s(RunFolder.open(run).records()))
    assert kept > 0, "no kill came late enough for a block to be finished"


def test_a_killed_race_is_resumed_to_its_end(place: Place) -> None:
    words = [place.server("a"), place.server("b"), "--boots", "2", "--no-twin", "-d", "3"]
    process = place.begin("race", *words)
    samples = place.path / "runs" / "latest" / "samples.jsonl"
    until = time.monotonic() + 30
    while not (samples.exists() and samples.read_text().count('"type":"block"') > 5):
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    place.wait_until_nothing_is_left(timeout_s=6)
    before = RunFolder.open(samples.parent).records()
    ended = place.bakeoff("resume", "runs/latest")
    assert ended.status == 0, ended.err
    folder = RunFolder.open(samples.parent)
    assert folder.records()[: len(before)] == before
    assert measured_s(folder.records()) == pytest.approx(3, abs=1)
    assert folder.verdict().complete
    assert not (folder.path / "scratch").exists()
