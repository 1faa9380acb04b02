"""What `bakeoff cluster doctor` says of a cluster, and that one run has a node at a time."""

import json
import sys
from pathlib import Path

import pytest

from bakeoff.model.errors import Status
from tests.cluster.machines import ADDRESSES, Machines

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("cluster"), pytest.mark.slow]
DASHBOARD = f"""
import socket
listening = socket.create_server(("{ADDRESSES["head"]}", 8265))
print("ready", flush=True)
while True:
    listening.accept()[0].close()
"""


def test_of_two_doctors_one_waits_both_warn_of_a_port(cluster: Machines, place: Path) -> None:
    dashboard = cluster.call("head", [sys.executable, "-c", DASHBOARD])
    try:
        assert dashboard.stdout and dashboard.stdout.readline() == "ready\n"
        words = ("cluster", "doctor", cluster.address, "--json")
        both = [cluster.bakeoff(place, *words, name) for name in ("one", "other")]
        said = [each.communicate(timeout=240) for each in both]
    finally:
        dashboard.kill()
        dashboard.communicate()
    assert [each.returncode for each in both] == [Status.NO_VERDICT] * 2, said
    assert not any("Traceback" in err for _, err in said), said
    waited = [err for _, err in said if "waiting: another run has the" in err]
    assert len(waited) == 1, said
    for out, _ in said:
        assert f"Ray's dashboard listens on {ADDRESSES['head']}:8265" in out
        assert "ray start --head --dashboard-host=127.0.0.1" in out
    report = json.loads((place / "one").read_text())
    assert report["cluster"]["server"]["address"] == ADDRESSES["server"]
    assert report["unused"] == [ADDRESSES["head"]]
    assert report["ceiling_requests_per_s"] > 100
    assert cluster.wait_until_nothing_is_left() < 10


def test_each_load_node_has_a_ceiling_of_its_own(cluster: Machines, place: Path) -> None:
    cluster.start("more")
    try:
        doctor = cluster.bakeoff(place, "cluster", "doctor", cluster.address, "--json", "report")
        said, err = doctor.communicate(timeout=240)
    finally:
        cluster.stop("more")
    # It warns of what the machine is like: niceness, clocks.
    assert doctor.returncode in {0, Status.NO_VERDICT}, err
    report = json.loads((place / "report").read_text())
    alone = report["ceilings_requests_per_s"]
    assert alone.keys() == {ADDRESSES["load"], ADDRESSES["more"]}
    assert all(each > 100 for each in alone.values())
    assert f"ceiling of {ADDRESSES['more']} alone: {alone[ADDRESSES['more']]:,.0f}" in said
