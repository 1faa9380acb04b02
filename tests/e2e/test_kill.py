"""`kill -9` at a random moment: nothing is left, no finished block is lost, and it goes on."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.race.folder import RunFolder, measured_s
from tests.e2e.conftest import Place

pytestmark = pytest.mark.e2e
KILLS = 6
SEED = 20261121


def cgroups() -> set[Path]:
    """Control groups of ours, wherever they may be."""
    root = Path("/sys/fs/cgroup")
    return {path for path in root.rglob("bakeoff-*") if path.is_dir()}


def blocks(run: Path) -> int:
    """How many finished blocks a run has on disk."""
    samples = run / "samples.jsonl"
    return samples.read_text().count('{"type":"block"') if samples.exists() else 0


def test_kills_leave_nothing_and_lose_nothing(
    place: Place, wait_for: Callable[[Callable[[], bool]], None]
) -> None:
    """Half of them at any moment of the start, half once blocks are being measured."""
    chance = random.Random(SEED)
    words = [place.server("a"), "-c", "8", "--boots", "1", "--no-twin", "--warm-up", "1s"]
    before = cgroups()
    for kill in range(KILLS):
        out = f"runs-{kill}"
        process = place.begin("race", *words, "-d", "60", "--out", out)
        run = place.path / out / "latest"
        until = time.monotonic() + 30
        while kill % 2 and blocks(run) < 3:
            assert time.monotonic() < until and process.poll() is None
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.3 if kill % 2 else 3))
        seen = blocks(run)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        place.wait_until_nothing_is_left(timeout_s=6)
        wait_for(lambda: cgroups() == before)
        if kill % 2:
            records = RunFolder.open(run).records()
            assert sum(record.type == "block" for record in records) >= seen > 2


@pytest.mark.slow
def test_a_killed_race_is_resumed_to_its_end(place: Place) -> None:
    words = [
        place.server("a"),
        place.server("b"),
        "-c",
        "8",
        "--boots",
        "2",
        "-d",
        "3",
        "--warm-up",
        "1s",
    ]
    process = place.begin("race", *words)
    run = place.path / "runs" / "latest"
    until = time.monotonic() + 30
    while blocks(run) < 5:
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    place.wait_until_nothing_is_left(timeout_s=6)
    before = RunFolder.open(run).records()
    ended = place.bakeoff("resume", "runs/latest")
    assert ended.status == 0, ended.err
    folder = RunFolder.open(run)
    assert folder.records()[: len(before)] == before
    assert measured_s(folder.records()) == pytest.approx(3, abs=1.5)
    assert folder.verdict().complete
    assert not (folder.path / "scratch").exists()
