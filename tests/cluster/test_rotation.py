"""Two server nodes: contenders change machines from boot to boot, and the twin is on the other."""

import os
import signal
from pathlib import Path

import pytest

from bakeoff import open_run
from bakeoff.model.samples import BootEnd, BootStart
from tests.cluster.machines import ADDRESSES, Machines, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("cluster"), pytest.mark.slow]
SERVERS = [ADDRESSES["server"], ADDRESSES["other"]]
RACE = (
    *("race", "a=python3 serve.py", "b=python3 serve.py", "--cpus", "server=0,client=1"),
    *("-c", "8", "--warm-up", "1s", "-d", "8", "--server-nodes", "2"),
)


def test_contenders_are_rotated_over_two_machines_and_go_on_after_a_kill(
    cluster: Machines, place: Path
) -> None:
    lone = cluster.bakeoff(place, *RACE, "--cluster", cluster.address)
    _, err = lone.communicate(timeout=90)
    assert lone.returncode == 3
    assert "--server-nodes 2: the cluster has 1 with the resource `server`" in err
    cluster.start("other")
    try:
        racing = cluster.bakeoff(place, *RACE, "--cluster", cluster.address)
        wait_for(lambda: _boots(place) > 0 or racing.poll() is not None, 180)
        os.killpg(racing.pid, signal.SIGKILL)
        racing.communicate()
        cluster.wait_until_nothing_is_left()
        resuming = cluster.bakeoff(place, "resume", "runs/latest")
        out, err = resuming.communicate(timeout=240)
        assert resuming.returncode == 0, out + err
        assert cluster.wait_until_nothing_is_left() < 15
    finally:
        cluster.stop("other")
    run = open_run(place / "runs" / "latest")
    assert [each.address for each in run.plan.cluster.servers] == SERVERS
    starts = {each.boot: each for each in run.records() if isinstance(each, BootStart)}
    assert len(starts) >= 2
    for boot, start in starts.items():
        where = {each.name: each.address.partition(":")[0] for each in start.started}
        here, beside = SERVERS[boot % 2], SERVERS[(boot + 1) % 2]
        assert where == {"a": here, "b": here, "a (twin)": beside}
    for end in run.records():
        if isinstance(end, BootEnd):
            assert set(end.loaded) == {"a", "b", "a (twin)"}
    for entry in run.result.entries:
        assert entry.valid, entry.reasons
        assert entry.cpu_us_per_request.server > 0
    (machines,) = run.result.machines
    assert (machines.contender, machines.over, machines.machine) == ("a", *SERVERS)
    assert machines.low < machines.ratio < machines.high
    assert "Do the machines differ?" in out


def _boots(place: Path) -> int:
    samples = place / "runs" / "latest" / "samples.jsonl"
    return samples.read_text().count('"type":"boot-end"') if samples.exists() else 0
