"""What went over the network, as the kernel counts it."""

import pytest

from bakeoff.measure import read_link_bytes_per_s, read_network
from bakeoff.measure.kernel import parse_interfaces

DEV = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo
    lo: 9000000      20    0    0    0     0          0         0  9000000      20    0    0    0
  eth0:     100       2    0    0    0     0          0         0       50       1    0    0    0
  eth1:       7       1    0    0    0     0          0         0        3       1    0    0    0
"""


def test_bytes_are_those_of_all_interfaces_but_the_loopback() -> None:
    assert parse_interfaces(DEV) == (107, 53)


def test_a_machine_without_a_network_counts_nothing() -> None:
    assert parse_interfaces("\n".join(DEV.splitlines()[:3])) == (0, 0)


def test_the_counters_of_this_machine_grow() -> None:
    before, after = read_network(), read_network()
    if not before or not after:
        pytest.skip("this kernel doesn't say")
    assert after.segments_out >= before.segments_out
    assert after.since(before).bytes_in >= 0


def test_an_address_that_no_interface_has_and_the_loopback_have_no_speed() -> None:
    assert read_link_bytes_per_s("192.0.2.1") is None
    assert read_link_bytes_per_s("127.0.0.1") is None
