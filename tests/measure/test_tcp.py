"""What the kernel counts of TCP."""

from bakeoff.measure import read_tcp
from bakeoff.measure.tcp import parse_counters

NETSTAT = """TcpExt: SyncookiesSent ListenOverflows ListenDrops
TcpExt: 0 12 13
IpExt: InNoRoutes InOctets
IpExt: 0 99
"""


def test_names_and_values_stand_in_lines_of_their_own() -> None:
    assert parse_counters(NETSTAT) == {
        "TcpExt": {"SyncookiesSent": 0, "ListenOverflows": 12, "ListenDrops": 13},
        "IpExt": {"InNoRoutes": 0, "InOctets": 99},
    }
    assert parse_counters("") == {}


def test_this_machine_counts_and_never_backwards() -> None:
    before, after = read_tcp(), read_tcp()
    assert before and after
    assert after.since(before).retransmits >= 0
    assert before.since(after).listen_drops == 0
