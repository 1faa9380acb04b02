"""What went over this machine's network, as the kernel counts it."""

import socket
from pathlib import Path

import psutil

from bakeoff.measure.kernel import parse_counters
from bakeoff.model.readings import NetworkUse

UNKNOWN_MBIT_PER_S = 65_535
"""What interfaces without a speed say (SPEED_UNKNOWN, ethtool(8), as 16 bits)."""


def read_network() -> NetworkUse | None:
    """What went over all interfaces but the loopback since the network namespace began.

    None where the kernel doesn't say.
    """
    try:
        received, sent = parse_interfaces(Path("/proc/net/dev").read_text())
        tcp = parse_counters(Path("/proc/net/snmp").read_text())["Tcp"]
        return NetworkUse(
            bytes_in=received,
            bytes_out=sent,
            segments_out=tcp["OutSegs"],
            retransmits=tcp["RetransSegs"],
        )
    except (OSError, KeyError, ValueError):
        return None


def parse_interfaces(text: str) -> tuple[int, int]:
    """The bytes received and sent in /proc/net/dev, over all interfaces but `lo`."""
    received = sent = 0
    for line in text.splitlines()[2:]:
        name, _, counters = line.partition(":")
        if name.strip() != "lo":
            values = counters.split()
            received, sent = received + int(values[0]), sent + int(values[8])
    return received, sent


def read_link_bytes_per_s(address: str) -> float | None:
    """The speed of the interface that has `address`; None where it doesn't say, as virtual ones."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    speeds = psutil.net_if_stats()
    for name, addresses in psutil.net_if_addrs().items():
        if any(each.family == family and each.address == address for each in addresses):
            mbit_per_s = speeds[name].speed if name in speeds else 0
            return mbit_per_s * 1e6 / 8 if mbit_per_s not in (0, UNKNOWN_MBIT_PER_S) else None
    return None
