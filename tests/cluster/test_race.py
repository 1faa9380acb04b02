"""A race whose servers are on one machine and whose generator is on another."""

import json
from pathlib import Path

import pytest

from bakeoff import open_run
from bakeoff.model.samples import Block, BootEnd, BootStart
from tests.cluster.machines import ADDRESSES, AHEAD_S, Machines

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("cluster")]
RACE = (
    *("race", "a=python3 serve.py", "b=python3 serve.py", "--cpus", "server=0,client=1"),
    *("-c", "8", "--warm-up", "1s", "--no-twin"),
)


def test_a_race_of_two_commands(cluster: Machines, place: Path) -> None:
    racing = cluster.bakeoff(place, *RACE, "-d", "3", "--cluster", cluster.address, "--json", "v")
    out, err = racing.communicate(timeout=180)
    assert racing.returncode == 0, out + err
    assert cluster.wait_until_nothing_is_left() < 10
    run = open_run(place / "runs" / "latest")
    facts = run.plan.cluster
    assert facts.server.address == ADDRESSES["server"] == run.plan.host
    assert [each.address for each in facts.loads] == [ADDRESSES["load"]]
    (way,) = facts.routes
    assert 0 < way.rtt_us <= way.rtt_median_us and way.error_ns <= way.rtt_us * 500 + 1
    assert way.bytes_per_s and way.bytes_per_s > 1e6
    verdict = json.loads((place / "v").read_text())
    assert verdict["cores"] == {"server": [0], "client": [1], "apart": True}
    for entry in verdict["entries"]:
        assert entry["valid"] and entry["requests"] > 100
        assert entry["cpu_us_per_request"]["server"] > 0
        assert entry["memory_mib"]["loaded"] > 1
        assert entry["slice_ms"] >= facts.slice_ms_min >= 100
    started = next(each for each in run.records() if isinstance(each, BootStart)).started
    assert {each.address.partition(":")[0] for each in started} == {ADDRESSES["server"]}
    end = next(each for each in run.records() if isinstance(each, BootEnd))
    assert end.network
    assert end.network.server.bytes_out > 13 * 100 and end.network.load.segments_out > 100
    assert (place / "runs" / "latest" / "logs").is_dir()
    assert "generator on core 1 of another machine" in out


@pytest.mark.slow
def test_two_machines_load_together(cluster: Machines, place: Path) -> None:
    cluster.start("more")
    try:
        racing = cluster.bakeoff(place, *RACE, "-d", "4", "--cluster", cluster.address)
        out, err = racing.communicate(timeout=240)
        assert racing.returncode == 0, out + err
    finally:
        cluster.stop("more")
    assert cluster.wait_until_nothing_is_left() < 10
    run = open_run(place / "runs" / "latest")
    names = {ADDRESSES["load"], ADDRESSES["more"]}
    assert {each.address for each in run.plan.cluster.loads} == names
    assert {each.load for each in run.plan.cluster.routes} == names
    blocks = [each for each in run.records() if isinstance(each, Block)]
    for block in blocks:
        for slice_ in block.slices:
            assert {share.loader for share in slice_.loaders} == names
            requests = sum(share.event.requests for share in slice_.loaders)
            assert requests == slice_.event.requests
            first, second = sorted(slice_.loaders, key=lambda share: share.loader)
            ahead_ns = second.offset_ns - first.offset_ns - AHEAD_S.get("more", 0) * 10**9
            assert abs(ahead_ns) <= first.clock_error_ns + second.clock_error_ns
            assert not first.clock_jumped and not second.clock_jumped
    assert {each.name for each in run.result.loaders} == names


@pytest.mark.slow
def test_only_the_clusters_own_servers_are_loaded(cluster: Machines, place: Path) -> None:
    url = f"http://{ADDRESSES['head']}:8000/"
    ended = cluster.bakeoff(place, "race", url, "--cluster", cluster.address)
    _, err = ended.communicate(timeout=90)
    assert ended.returncode == 2
    assert f"{ADDRESSES['head']} is not a server node of the cluster" in err
    assert f"--allow-host {ADDRESSES['head']}" in err


@pytest.mark.slow
def test_cores_are_those_of_each_machine(cluster: Machines, place: Path) -> None:
    words = ("race", "python3 serve.py", "--cluster", cluster.address, "--cpus")
    ended = cluster.bakeoff(place, *words, "server=99,client=0")
    _, err = ended.communicate(timeout=90)
    assert ended.returncode == 2
    assert "the server node has no core 99" in err
