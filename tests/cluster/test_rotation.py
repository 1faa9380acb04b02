"""Two server nodes: contenders change machines from boot to boot, and the twin is on the other."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff import open_run
from bakeoff.model.samples import BootEnd, BootStart
from tests.cluster.machines import ADDRESSES, Machines
from tests.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("cluster"), pytest.mark.slow]
SERVERS = [ADDRESSES["server"], ADDRESSES["other"]]
RACE = (
    *("race", "a=python3 serve.py", "b=python3 serve.py", "--cpus", "server=0,client=1"),
    *("-c", "8", "--warm-up", "1s", "-d", "8", "--server-nodes", "2"),
)


def test_too_few_server_nodes_are_named(cluster: Machines, place: Path) -> None:
    lone = cluster.bakeoff(place, *RACE, "--cluster", cluster.address)
    _, err = lone.communicate(timeout=90)
    assert lone.returncode == 3
    assert "--server-nodes 2: the cluster has 1 with the resource `server`" in err


@pytest.fixture(scope="module")
def two_servers(cluster: Machines) -> Iterator[Machines]:
    """The cluster with a second server node."""
    cluster.start("other")
    yield cluster
    cluster.stop("other")


def test_contenders_rotate_on_two_machines_after_kills(two_servers: Machines, place: Path) -> None:
    cluster = two_servers
    racing = cluster.bakeoff(place, *RACE, "--cluster", cluster.address)
    wait_for(lambda: _boots(place) > 0 or racing.poll() is not None, 180)
    os.killpg(racing.pid, signal.SIGKILL)
    racing.communicate()
    cluster.wait_until_nothing_is_left()
    resuming = cluster.bakeoff(place, "resume", "runs/latest")
    out, err = resuming.communicate(timeout=240)
    assert resuming.returncode == 0, out + err
    assert cluster.wait_until_nothing_is_left() < 15
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


def test_over_tls_each_machine_has_its_own_certificate(two_servers: Machines, place: Path) -> None:
    words = ("race", "nginx", "--protocol", "h1-tls,h2", "--server-nodes", "2", "--confirm")
    short = ("-c", "8", "--warm-up", "1s", "-d", "4", "--no-twin", "--cpus", "server=0,client=1")
    racing = two_servers.bakeoff(place, *words, *short, "--cluster", two_servers.address)
    out, err = racing.communicate(timeout=300)
    assert racing.returncode == 0, out + err
    run = open_run(place / "runs" / "latest")
    confirmation = run.part("confirm")
    assert confirmation
    for part in (run, confirmation):
        starts = [each for each in part.records() if isinstance(each, BootStart)]
        where = {each.address.partition(":")[0] for start in starts for each in start.started}
        assert where == {*SERVERS}
        for entry in part.result.entries:
            assert entry.errors.total == 0
            assert entry.requests > 50


def _boots(place: Path) -> int:
    samples = place / "runs" / "latest" / "samples.jsonl"
    return samples.read_text().count('"type":"boot-end"') if samples.exists() else 0
