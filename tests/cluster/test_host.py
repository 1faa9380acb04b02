"""A node's side, as a child process, without Ray between."""

import subprocess
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.connection import Pipe as pipe
from pathlib import Path
from typing import NamedTuple

import pytest

from bakeoff.cluster import host as host_module
from bakeoff.cluster import route
from bakeoff.cluster.calls import Call, Failed, Resident
from bakeoff.model.errors import BadUsage, BakeoffError
from tests.load.jobs import job, target
from tests.waiting import wait_for

WITHIN_S = 60.0


class Running(NamedTuple):
    """A host, with what calls and renewals go by."""

    process: "subprocess.Popen[bytes]"
    calls: Connection
    lease: Connection

    def call(self, key: str, name: str, *arguments: object) -> object:
        self.calls.send(Call(key, name, arguments, {}))
        assert self.calls.poll(WITHIN_S)
        result: object = self.calls.recv()
        return result


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """One that may load 127.0.0.1 alone."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ours, theirs = pipe()
    lease, their_lease = pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "bakeoff.cluster.host"],
        stdin=theirs.fileno(),
        stdout=their_lease.fileno(),
    )
    theirs.close()
    their_lease.close()
    running = Running(process, ours, lease)
    ours.send(("127.0.0.1", ("127.0.0.1",)))
    assert ours.poll(WITHIN_S)
    assert ours.recv()["cpus"]
    yield running
    process.kill()
    process.wait()


def test_what_can_not_be_sent_stays_and_is_called_there(host: Running, tmp_path: Path) -> None:
    keeper = host.call("servers", "keeper", tmp_path / "ignored")
    assert isinstance(keeper, Resident)
    assert Path(f"/proc/{keeper.seen['pid']}").exists()
    failed = host.call(keeper.key, "pids", "nobody")
    assert isinstance(failed, Failed) and isinstance(failed.error, BakeoffError)
    assert host.call(keeper.key, "close") is None
    assert host.call(keeper.key, "close") is None
    assert not Path(f"/proc/{keeper.seen['pid']}").exists()


def test_nobody_else_is_loaded(host: Running) -> None:
    refused = host.call("loads", "connect", job(1, target("192.0.2.1:80")))
    assert isinstance(refused, Failed) and isinstance(refused.error, BadUsage)
    assert "--allow-host 192.0.2.1" in str(refused.error)


def test_a_fault_of_ours_is_told_and_the_host_goes_on(host: Running) -> None:
    failed = host.call("meters", "no_such_thing")
    assert isinstance(failed, Failed)
    assert "AttributeError" in str(failed.error)
    assert host.call("meters", "cores")


@pytest.mark.parametrize("ending", ["calls", "lease", "end"])
def test_it_ends_with_its_keeper_when_unused(host: Running, tmp_path: Path, ending: str) -> None:
    keeper = host.call("servers", "keeper", tmp_path)
    assert isinstance(keeper, Resident)
    if ending == "end":
        host.lease.send("end")
    else:
        getattr(host, ending).close()
    assert host.process.wait(WITHIN_S) == 0
    said = Path(f"/proc/{keeper.seen['pid']}/cmdline")
    wait_for(lambda: not said.exists() or not said.read_bytes(), WITHIN_S)
    assert not [*Path(tmp_path).rglob("run-*")]


def test_a_lease_that_nobody_renews_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(host_module, "LEASE_S", 0.05)
    monkeypatch.setattr("os._exit", ended.append)
    ours, theirs = pipe()
    ours.send("renew")
    host_module._hold(theirs, None)
    assert ours.recv() == []
    assert ended == [0]


def test_a_way_is_measured() -> None:
    port = route.open_echo("127.0.0.1")
    try:
        way = route.exchange("127.0.0.1", "127.0.0.1", port)
        carried = route.carried_bytes_per_s("127.0.0.1", port)
    finally:
        route.close_echo()
    assert way.exchanges == route.EXCHANGES
    assert 0 < way.rtt_us <= way.rtt_median_us
    # Both clocks are the same one.
    assert abs(way.offset_ns) <= way.error_ns
    assert carried > 0
