"""Servers that somebody else runs."""

import os

from bakeoff.model.plan import Attached, Entry
from bakeoff.start import attach


def entry(pid: int | None) -> Entry:
    attached = Attached(host="it.example", port=80, address="192.0.2.1:80", path="/", pid=pid)
    return Entry(name="it", title="it", origin="url", attached=attached, path="/")


def test_without_a_pid_nothing_can_be_counted() -> None:
    handle = attach(entry(None))
    assert (handle.address, handle.port) == ("192.0.2.1:80", 80)
    assert (handle.cpu.kind, handle.cpus, handle.pid) == ("none", (), None)


def test_with_a_pid_its_tree_is_counted_and_its_cores_are_known() -> None:
    handle = attach(entry(os.getpid()))
    assert (handle.cpu.kind, handle.cpu.pid) == ("tree", os.getpid())
    assert handle.cpus == tuple(sorted(os.sched_getaffinity(0)))


def test_a_pid_that_is_gone_has_no_cores() -> None:
    assert attach(entry(2**22 + 1)).cpus == ()
