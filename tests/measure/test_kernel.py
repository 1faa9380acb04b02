"""What the kernel counts over the whole machine, in the formats of several kernels."""

import os
import socket
import time
from pathlib import Path

import pytest

from bakeoff.measure import read_cores, read_received, read_tcp, read_udp_drops, read_used_ns
from bakeoff.measure.cpu import TICK_NS
from bakeoff.measure.kernel import parse_cores, parse_counters, read_tracking_drops

PROC_STAT = """\
cpu  18236 0 3485 197584 966 0 204 635 0 0
cpu0 5902 10 1478 102701 113 7 90 272 0 0
cpu1 12334 0 2006 94882 852 0 113 363 0 0
intr 299530 0 0
ctxt 5
"""
OLD_PROC_STAT = "cpu 1 2 3 4\ncpu0 100 20 300 4000\n"
NETSTAT = """TcpExt: SyncookiesSent ListenOverflows ListenDrops
TcpExt: 0 12 13
IpExt: InNoRoutes InOctets
IpExt: 0 99
"""


def test_each_core_has_its_line_and_the_sum_is_left_out() -> None:
    first, second = parse_cores(PROC_STAT)
    tick_s = TICK_NS / 1e9
    assert (first.cpu, second.cpu) == (0, 1)
    assert first.user_s == pytest.approx(5912 * tick_s)
    assert first.system_s == pytest.approx(1485 * tick_s)
    assert first.softirq_s == pytest.approx(90 * tick_s)
    assert first.steal_s == pytest.approx(272 * tick_s)
    assert first.idle_s == pytest.approx(102814 * tick_s)


def test_a_core_keeps_its_number_where_another_is_offline() -> None:
    assert [core.cpu for core in parse_cores(PROC_STAT.replace("cpu1", "cpu3"))] == [0, 3]


def test_a_kernel_without_steal_has_none() -> None:
    (core,) = parse_cores(OLD_PROC_STAT)
    assert core.steal_s == core.softirq_s == 0
    assert core.idle_s == pytest.approx(4000 * TICK_NS / 1e9)


def test_names_and_values_of_counters_are_on_lines_of_their_own() -> None:
    assert parse_counters(NETSTAT) == {
        "TcpExt": {"SyncookiesSent": 0, "ListenOverflows": 12, "ListenDrops": 13},
        "IpExt": {"InNoRoutes": 0, "InOctets": 99},
    }
    assert parse_counters("") == {}


def test_packets_that_connection_tracking_dropped_are_summed_over_processors(
    tmp_path: Path,
) -> None:
    tracked = tmp_path / "nf_conntrack"
    tracked.write_text("entries insert_failed drop\n0000030a 1 000002b1\n0000030a 0 0000000f\n")
    assert read_tracking_drops(tracked) == 0x2B1 + 0xF
    tracked.write_text("entries\n0000030a\n")
    assert read_tracking_drops(tracked) == 0
    assert read_tracking_drops(tmp_path / "gone") == 0


def test_datagrams_that_a_full_buffer_has_no_room_for_are_counted_by_port() -> None:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as server,
        socket.socket(type=socket.SOCK_DGRAM) as client,
    ):
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
        assert read_udp_drops(port) == 0
        for _ in range(100):
            client.sendto(bytes(1200), ("127.0.0.1", port))
        assert 0 < (read_udp_drops(port) or 0) < 100
    assert read_udp_drops(port) is None


def test_packets_are_counted_as_they_are_on_the_wire() -> None:
    before = read_received()
    with (
        socket.socket(type=socket.SOCK_DGRAM) as server,
        socket.socket(type=socket.SOCK_DGRAM) as client,
    ):
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        server.bind(("127.0.0.1", 0))
        client.connect(server.getsockname())
        # UDP_SEGMENT: one call, and one buffer of the kernel, for four datagrams.
        client.setsockopt(socket.SOL_UDP, 103, 1000)
        for _ in range(25):
            client.send(bytes(4000))
    after = read_received()
    if not before or not after:
        pytest.skip("this kernel doesn't say")
    seen = after.since(before)
    assert seen.packets >= 100 and seen.dropped > 0


def test_what_a_process_uses_is_used_on_its_core() -> None:
    (cpu, *_) = allowed = sorted(os.sched_getaffinity(0))
    before_ns = read_used_ns([cpu])
    if before_ns is None:
        pytest.skip("this machine has no cpuacct of version 1")
    began_ns = time.thread_time_ns()
    try:
        os.sched_setaffinity(0, [cpu])
        while time.thread_time_ns() < began_ns + 50_000_000:
            pass
    finally:
        os.sched_setaffinity(0, allowed)
    # A running thread's time is accounted at each tick, of 10 ms at most.
    assert (read_used_ns([cpu]) or 0) - before_ns >= 30_000_000
    assert read_used_ns([100_000]) is None


def test_this_machines_counters_never_run_backwards() -> None:
    before, after = read_tcp(), read_tcp()
    assert before and after
    assert after.since(before).retransmits >= 0
    assert before.since(after).listen_drops == 0
    numbers = [core.cpu for core in read_cores()]
    assert numbers and numbers == sorted(numbers)
