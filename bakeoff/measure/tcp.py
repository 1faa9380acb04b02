"""What goes wrong in the kernel's TCP, over the whole network namespace."""

from pathlib import Path

from bakeoff.model.samples import TcpTrouble


def read_tcp() -> TcpTrouble | None:
    """Counted since the namespace began; None where the kernel doesn't say."""
    try:
        extended = parse_counters(Path("/proc/net/netstat").read_text())["TcpExt"]
        plain = parse_counters(Path("/proc/net/snmp").read_text())["Tcp"]
        return TcpTrouble(
            listen_overflows=extended["ListenOverflows"],
            listen_drops=extended["ListenDrops"],
            retransmits=plain["RetransSegs"],
        )
    except (OSError, KeyError):
        return None


def parse_counters(text: str) -> dict[str, dict[str, int]]:
    """Pairs of lines as /proc/net/netstat and snmp have them: `Group: names`, `Group: values`."""
    found: dict[str, dict[str, int]] = {}
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        group, *keys = names.split()
        found[group.rstrip(":")] = dict(zip(keys, map(int, values.split()[1:]), strict=False))
    return found
