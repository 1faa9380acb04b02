"""Whatever dies, nothing is left running on any machine, what was measured is kept, and goes on.

At a random moment of a race, from its first step to its last, each kind of loss happens
CLUSTER_KILLS times (once, where that isn't set). A failure prints its seed, which KILLS_SEED takes.
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bakeoff import open_run
from bakeoff.model.errors import Status
from tests.cluster.machines import ADDRESSES, LEFT_MAX_S, Machines, Name
from tests.cluster.test_race import RACE
from tests.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("cluster")]
BLOCKS = 3
MEASURED_S = "6"
EARLY_S = 8.0
"""About what joining, starts and warm-ups take."""
LATE_BLOCKS = 20
"""Of about 26 that the race has."""
EARLY_SHARE = 0.3
CUT_S = 10.0
MACHINES: tuple[Name, ...] = ("head", "server", "load")


@dataclass(frozen=True)
class Loss:
    """What happens to a race, and what its user does about it before it is resumed.

    `happens` says whether there was anything to be lost at that moment. Where `is_survived`, the
    race may go on to its end.
    """

    happens: Callable[[Machines, "subprocess.Popen[str]"], bool]
    mends: Callable[[Machines], None] = lambda _: None
    is_survived: bool = False


def _bakeoff(_cluster: Machines, racing: "subprocess.Popen[str]") -> bool:
    os.killpg(racing.pid, signal.SIGKILL)
    return True


def _process(name: Name, program: str) -> Callable[[Machines, "subprocess.Popen[str]"], bool]:
    return lambda cluster, _: cluster.kill(name, program)


def _cut(name: Name) -> Callable[[Machines, "subprocess.Popen[str]"], bool]:
    def happens(cluster: Machines, _racing: "subprocess.Popen[str]") -> bool:
        cluster.cut(name)
        time.sleep(CUT_S)
        cluster.mend(name)
        return True

    return happens


def _again(*names: Name) -> Callable[[Machines], None]:
    """Ray is started again on those machines."""

    def mends(cluster: Machines) -> None:
        for name in names:
            cluster.stop(name)
        for name in names:
            cluster.start(name)

    return mends


LOSSES = {
    "bakeoff": Loss(_bakeoff),
    "server agent": Loss(_process("server", "ray::Agent")),
    "load agent": Loss(_process("load", "ray::Agent")),
    "server host": Loss(_process("server", "bakeoff.cluster.host")),
    "load host": Loss(_process("load", "bakeoff.cluster.host")),
    # One engine that dies ends a race early, as on one machine.
    "engine": Loss(_process("load", "volley"), is_survived=True),
    "server raylet": Loss(_process("server", "/raylet/raylet"), _again("server")),
    "load raylet": Loss(_process("load", "/raylet/raylet"), _again("load")),
    "head": Loss(_process("head", "gcs_server"), _again(*MACHINES)),
    # Before the race has a node, and once it is over, there is nothing that a cut could end.
    "server cut": Loss(_cut("server"), is_survived=True),
    "load cut": Loss(_cut("load"), is_survived=True),
}
TIMES = int(os.environ.get("CLUSTER_KILLS") or 1)


def tries() -> Iterator[Any]:
    for number in range(TIMES):
        for kind in LOSSES:
            yield pytest.param(kind, number, id=f"{kind} {number}")


@pytest.mark.slow
def test_bakeoff_is_killed_once_it_measures(cluster: Machines, place: Path) -> None:
    racing = _begun(cluster, place)
    wait_for(lambda: _blocks(place) >= BLOCKS or racing.poll() is not None, 180)
    assert racing.poll() is None, racing.communicate()
    os.killpg(racing.pid, signal.SIGKILL)
    racing.communicate()
    cluster.wait_until_nothing_is_left()
    assert _blocks(place) >= BLOCKS
    _goes_on(cluster, place)


@pytest.mark.slow
def test_ctrl_c(cluster: Machines, place: Path) -> None:
    racing = _begun(cluster, place)
    wait_for(lambda: _blocks(place) >= BLOCKS or racing.poll() is not None, 180)
    os.killpg(racing.pid, signal.SIGINT)
    _, err = racing.communicate(timeout=90)
    assert racing.returncode == 130, err
    assert "to go on: bakeoff resume" in err
    cluster.wait_until_nothing_is_left()


# By how long Ray takes to be imported, the head is not reached yet, or joined, or has agents.
@pytest.mark.slow
@pytest.mark.parametrize("after_s", [1.5, 2.0, 2.5, 3.0])
def test_the_head_goes_while_it_is_joined(cluster: Machines, place: Path, after_s: float) -> None:
    racing = _begun(cluster, place)
    time.sleep(after_s)
    _ends_with_the_head(cluster, racing)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["server", "load"])
def test_the_head_goes_when_an_agent_is_there(cluster: Machines, place: Path, name: Name) -> None:
    racing = _begun(cluster, place)
    agent = f"{name}: ray::Agent"
    wait_for(lambda: any(each.startswith(agent) for each in cluster.ours()), 60)
    _ends_with_the_head(cluster, racing)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "number"), list(tries()))
def test_a_loss_at_any_moment(cluster: Machines, place: Path, kind: str, number: int) -> None:
    seed = os.environ.get("KILLS_SEED") or f"{random.randrange(10**8)}"
    chance = random.Random(f"{seed}/{kind}/{number}")
    loss = LOSSES[kind]
    racing = _begun(cluster, place)
    if chance.random() < EARLY_SHARE:
        time.sleep(chance.uniform(0, EARLY_S))
    else:
        blocks = chance.randint(1, LATE_BLOCKS)
        wait_for(lambda: _blocks(place) >= blocks or racing.poll() is not None, 180)
    over = racing.poll() is not None
    happened = not over and loss.happens(cluster, racing)
    out, err = racing.communicate(timeout=120)
    left_s = cluster.wait_until_nothing_is_left()
    before = _blocks(place)
    print(
        f"KILLS_SEED={seed} {kind} {number}: "
        f"{'it happened' if happened else 'nothing to be lost'}, {racing.returncode}, "
        f"{before} blocks, gone within {left_s:.1f} s"
    )
    assert "Traceback" not in err, err
    assert racing.returncode == 0 or happened, out + err
    if happened and not loss.is_survived:
        assert racing.returncode != 0 or open_run(place / "runs" / "latest").is_complete()
    if happened:
        loss.mends(cluster)
    _goes_on(cluster, place)
    assert _blocks(place) >= before


@pytest.mark.slow
def test_a_race_goes_on_with_the_load_nodes_that_are_left(cluster: Machines, place: Path) -> None:
    cluster.start("more")
    try:
        racing = _begun(cluster, place)
        wait_for(lambda: _blocks(place) >= BLOCKS or racing.poll() is not None, 180)
        cluster.stop("more")
        _, err = racing.communicate(timeout=120)
        assert "Traceback" not in err
        cluster.wait_until_nothing_is_left()
        # At once, when Ray doesn't know yet that it is gone.
        _goes_on(cluster, place)
    finally:
        cluster.stop("more")
    blocks = [
        each for each in open_run(place / "runs" / "latest").records() if each.type == "block"
    ]
    names = [{share.loader for share in each.slices[0].loaders} for each in blocks]
    both = {ADDRESSES["load"], ADDRESSES["more"]}
    assert names[0] == both
    assert names[-1] in (both, set())


def _begun(cluster: Machines, place: Path) -> "subprocess.Popen[str]":
    return cluster.bakeoff(place, *RACE, "-d", MEASURED_S, "--cluster", cluster.address)


def _ends_with_the_head(cluster: Machines, racing: "subprocess.Popen[str]") -> None:
    """The head is killed: bakeoff says so in its last line, and nothing is left anywhere."""
    happened = LOSSES["head"].happens(cluster, racing)
    try:
        _, err = racing.communicate(timeout=LEFT_MAX_S)
        cluster.wait_until_nothing_is_left()
    finally:
        racing.kill()
        LOSSES["head"].mends(cluster)
    assert happened and racing.returncode == Status.NO_VERDICT
    line = err.splitlines()[-1]
    # Before it is reached nobody answers there, and afterwards it is gone.
    not_reached = f"bakeoff: --cluster {cluster.address}: nothing answers at "
    gone = f"bakeoff: the cluster's head {cluster.address} is gone (Connection refused); "
    assert line.startswith((not_reached, gone)), err
    assert "Traceback" not in err and "StackTrace" not in err


def _goes_on(cluster: Machines, place: Path) -> None:
    """What was measured is there, and the run goes on to its end; one that had not begun begins."""
    run = place / "runs" / "latest"
    if (run / "plan.json").exists():
        if open_run(run).is_complete():
            return
        before = _blocks(place)
        going_on = cluster.bakeoff(place, "resume", "runs/latest")
    else:
        before, going_on = 0, _begun(cluster, place)
    out, err = going_on.communicate(timeout=240)
    assert going_on.returncode == 0, out + err
    assert open_run(run).is_complete()
    assert _blocks(place) > before
    cluster.wait_until_nothing_is_left()


def _blocks(place: Path) -> int:
    samples = place / "runs" / "latest" / "samples.jsonl"
    return samples.read_text().count('{"type":"block"') if samples.exists() else 0
