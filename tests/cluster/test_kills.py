"""Whatever dies, nothing is left running on any machine, what was measured is kept, and goes on."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff import open_run
from tests.cluster.machines import NAMES, Machines, Name, wait_for
from tests.cluster.test_race import RACE

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("cluster")]
BLOCKS = 3
MEASURED_S = "6"


def test_bakeoff_is_killed(cluster: Machines, place: Path) -> None:
    racing = _racing(cluster, place)
    os.killpg(racing.pid, signal.SIGKILL)
    racing.communicate()
    cluster.wait_until_nothing_is_left()
    _resumes(cluster, place)


@pytest.mark.slow
def test_ctrl_c(cluster: Machines, place: Path) -> None:
    racing = _racing(cluster, place)
    os.killpg(racing.pid, signal.SIGINT)
    _, err = racing.communicate(timeout=90)
    assert racing.returncode == 130, err
    assert "to go on: bakeoff resume" in err
    cluster.wait_until_nothing_is_left()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("server", "ray::Agent"),
        ("load", "ray::Agent"),
        ("server", "bakeoff.cluster.host"),
        ("load", "bakeoff.cluster.host"),
    ],
)
def test_a_process_on_a_node_is_killed(
    cluster: Machines, place: Path, name: Name, program: str
) -> None:
    _is_lost(cluster, place, lambda: cluster.kill(name, program))
    _resumes(cluster, place)


@pytest.mark.slow
def test_the_engine_is_killed_which_ends_a_race_early_as_on_one_machine(
    cluster: Machines, place: Path
) -> None:
    racing = _racing(cluster, place)
    cluster.kill("load", "volley")
    out, err = racing.communicate(timeout=90)
    assert "Traceback" not in err
    assert "the race was cut short" in out
    cluster.wait_until_nothing_is_left()
    _resumes(cluster, place)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["server", "load"])
def test_a_raylet_is_killed(cluster: Machines, place: Path, name: Name) -> None:
    _is_lost(cluster, place, lambda: cluster.kill(name, "/raylet/raylet"))
    cluster.stop(name)
    cluster.start(name)
    _resumes(cluster, place)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["server", "load"])
def test_the_network_is_cut_for_ten_seconds(cluster: Machines, place: Path, name: Name) -> None:
    def cut() -> None:
        cluster.cut(name)
        time.sleep(10)
        cluster.mend(name)

    _is_lost(cluster, place, cut)
    _resumes(cluster, place)


@pytest.mark.slow
def test_the_head_is_killed(cluster: Machines, place: Path) -> None:
    _is_lost(cluster, place, lambda: cluster.kill("head", "gcs_server"))
    for name in NAMES:
        cluster.stop(name)
    for name in NAMES:
        cluster.start(name)
    _resumes(cluster, place)


def _racing(cluster: Machines, place: Path) -> "subprocess.Popen[str]":
    """A race that has measured some blocks."""
    racing = cluster.bakeoff(place, *RACE, "-d", MEASURED_S, "--cluster", cluster.address)
    wait_for(lambda: _blocks(place) >= BLOCKS or racing.poll() is not None, 180)
    assert racing.poll() is None, racing.communicate()
    return racing


def _is_lost(cluster: Machines, place: Path, happens: Callable[[], None]) -> None:
    """Something happens while it races: bakeoff says so and ends, and nothing is left."""
    racing = _racing(cluster, place)
    happens()
    out, err = racing.communicate(timeout=90)
    assert racing.returncode != 0, out
    assert "Traceback" not in err
    cluster.wait_until_nothing_is_left()


def _resumes(cluster: Machines, place: Path) -> None:
    """What was measured is there, and the run goes on to its end."""
    before = _blocks(place)
    assert before >= BLOCKS
    resuming = cluster.bakeoff(place, "resume", "runs/latest")
    out, err = resuming.communicate(timeout=240)
    assert resuming.returncode == 0, out + err
    run = open_run(place / "runs" / "latest")
    assert run.is_complete()
    assert _blocks(place) > before
    cluster.wait_until_nothing_is_left()


def _blocks(place: Path) -> int:
    samples = place / "runs" / "latest" / "samples.jsonl"
    return samples.read_text().count('{"type":"block"') if samples.exists() else 0
