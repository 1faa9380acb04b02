"""First bytes and gaps as the engine measures them, held against the packets' own times.

From a client's clock to its request's packet, and from the answer's packet to its clock again, it
takes the kernel some time, which a bare client has, too. Three things would add to it, and are kept
away. Other programs: the engine has real-time priority, and the packets are looked at afterwards.
Cores that wake up: a program of the idle class keeps them awake. And streams in step, as those of a
closed loop with one script are: the kernel takes the requests of 16 streams in one call, and the
last of them leaves some 100 µs after the clock was read. So streams begin at random moments.

`python -m tests.load.test_packets` prints by how much they differ on this machine.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil, sqrt
from statistics import mean, median, stdev

import pytest

from bakeoff.installation import engine_path
from bakeoff.judge.quantiles import t_quantile
from tests.brick.conftest import program, running
from tests.load.packets import Seen, captured

SCRIPT = "/events?events=20&gap=10ms&jitter=4ms&first=5ms"
FIRST_US, GAP_US = 5_000, 10_000
ROUNDS, ROUND_S = 10, 2
OFF_US, OFF_SHARE = 50, 0.01
"""What the engine may be off by: at the median, and at the p99."""
RATES = (75, 300)
"""Streams that begin in a second; each takes 0.2 s."""
BARE = 30
"""Streams of the bare client."""


AWAKE = """
import os, sys
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
os.sched_setaffinity(0, {int(sys.argv[1])})
parent = os.getppid()
while os.getppid() == parent: pass
"""


@contextmanager
def awake() -> Iterator[None]:
    """No core goes idle, for as long as this process lives at most."""
    words = [[sys.executable, "-c", AWAKE, str(cpu)] for cpu in os.sched_getaffinity(0)]
    spinning = [subprocess.Popen(each) for each in words]
    try:
        yield
    finally:
        for each in spinning:
            each.kill()
            each.wait()


def both(port: int, rate: int, seconds: float) -> dict[str, tuple[float, float]]:
    """Each quantile in µs, by the engine and by the packets of the same streams."""
    words = ["load", "--events", "--json", "-c", str(rate), "-R", str(rate), "--warm-up", "0s"]
    words += ["--arrivals", "poisson", "-n", str(round(rate * seconds))]
    url = f"http://127.0.0.1:{port}{SCRIPT}"
    with captured(port) as packets:
        command = ["chrt", "--fifo", "1", str(engine_path()), *words, url]
        ended = subprocess.run(command, capture_output=True, check=True)
    told, seen = json.loads(ended.stdout), Seen.of(packets, port)
    assert (len(seen.first_byte), told["errors"]) == (told["requests"], {})
    figures = {
        "first byte": (told["first_byte_us"], seen.first_byte),
        "gap": (told["events"]["gap_us"], seen.gaps),
    }
    return {
        f"{name} p{p}": (by_engine[f"p{p}"], sorted(ns)[ceil(p / 100 * len(ns)) - 1] / 1e3)
        for name, (by_engine, ns) in figures.items()
        for p in (50, 99)
    }


def bare_us(port: int) -> float:
    """By how much later than the packets a blocking socket's client sees an answer's first byte."""
    request = f"GET {SCRIPT} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    times_ns = []
    with (
        captured(port) as packets,
        socket.create_connection(("127.0.0.1", port)) as client,
    ):
        for _ in range(BARE):
            asked_ns = time.monotonic_ns()
            client.sendall(request)
            came = client.recv(65536)
            while b"data:" not in came:
                came += client.recv(65536)
            times_ns.append(time.monotonic_ns() - asked_ns)
            while not came.endswith(b"\r\n0\r\n\r\n"):
                came += client.recv(65536)
    return (median(times_ns) - median(Seen.of(packets, port).first_byte)) / 1e3


def compared(rate: int) -> tuple[float, dict[str, list[tuple[float, float]]]]:
    """What a bare client is late by, and both of several loads, one after another."""
    with awake(), running([program("brick-yardstick"), "--port", "0"]) as server:
        late_us = bare_us(server.port)
        rounds = [both(server.port, rate, ROUND_S) for _ in range(ROUNDS)]
    return late_us, {name: [each[name] for each in rounds] for name in rounds[0]}


def bias(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The mean of engine less packets, and the half-width of its 95 % interval."""
    off = [engine - packets for engine, packets in pairs]
    return mean(off), t_quantile(len(off) - 1, 0.975) * stdev(off) / sqrt(len(off))


@pytest.mark.e2e
def test_packets_tell_what_the_script_of_the_server_says() -> None:
    try:
        with running([program("brick-yardstick"), "--port", "0"]) as server:
            found = both(server.port, 20, 0.6)
    except PermissionError:
        pytest.skip("root alone sees packets")
    for by in (0, 1):
        assert found["first byte p50"][by] > FIRST_US
        assert 0.8 * GAP_US < found["gap p50"][by] < 1.4 * GAP_US


@pytest.mark.e2e
@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("rate", RATES)
def test_first_bytes_and_gaps_are_those_of_the_packets(rate: int) -> None:
    try:
        late_us, found = compared(rate)
    except PermissionError:
        pytest.skip("root alone sees packets")
    for name, pairs in found.items():
        off, half_width = bias(pairs)
        off -= late_us if name.startswith("first byte") else 0.0
        if name.endswith("p50"):
            assert abs(off) + half_width <= OFF_US, name
        else:
            of_packets_us = mean(packets for _, packets in pairs)
            assert abs(off) - half_width <= OFF_SHARE * of_packets_us, name


def main() -> None:
    for rate in RATES:
        late_us, found = compared(rate)
        print(f"a bare client sees the first byte {late_us:.1f} µs later than its packet")
        for name, pairs in found.items():
            off, half_width = bias(pairs)
            of_packets = mean(packets for _, packets in pairs)
            print(
                f"{rate:3} streams/s, {name:14}: packets {of_packets:9.1f} µs, "
                f"engine {off:+7.1f} ± {half_width:.1f} µs"
            )


if __name__ == "__main__":
    main()
