"""The activity of the whole machine, as the kernel counts it."""

import resource
import socket
import struct
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from bakeoff.keeper import cgroups
from bakeoff.measure.cpu import TICK_NS
from bakeoff.model.readings import CoreTime, NetworkUse, Received, TcpTrouble


def read_cores() -> tuple[CoreTime, ...]:
    """The activity of each processor since the machine started.

    psutil leaves out the processors' numbers, which differ from positions if one is offline.
    """
    return parse_cores(Path("/proc/stat").read_text())


def read_used_ns(cpus: Collection[int]) -> int | None:
    """CPU time that all processes together have had on `cpus`, ns; None: it can't be known.

    The root group of version 1 counts it to the ns. /proc/stat has ticks of 10 ms, and
    /proc/pressure can't tell threads of a server that wait for each other from one that is held up.
    """
    try:
        used_ns = Path("/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu").read_text().split()
        return sum(int(used_ns[cpu]) for cpu in cpus)
    except (OSError, IndexError):
        return None


def read_tcp() -> TcpTrouble | None:
    """TCP's troubles since the network namespace began; None: the kernel doesn't report them."""
    try:
        extended = parse_counters(Path("/proc/net/netstat").read_text())["TcpExt"]
        plain = parse_counters(Path("/proc/net/snmp").read_text())["Tcp"]
        return TcpTrouble(
            listen_overflows=extended["ListenOverflows"],
            listen_drops=extended["ListenDrops"],
            retransmits=plain["RetransSegs"],
            tracking_drops=read_tracking_drops(),
        )
    except (OSError, KeyError):
        return None


_TRACKING = Path("/proc/net/stat/nf_conntrack")


def read_tracking_drops(path: Path = _TRACKING) -> int:
    """The packets that connection tracking (nf_conntrack) dropped since the network namespace
    began; 0 where nothing is tracked. The file has a line of hexadecimal numbers per processor."""
    try:
        names, *processors = (line.split() for line in path.read_text().splitlines())
        return sum(int(numbers[names.index("drop")], 16) for numbers in processors)
    except (OSError, ValueError, IndexError):
        return 0


def read_tracking() -> tuple[int, int] | None:
    """The connections that the kernel tracks, and how many it has room for; None: it tracks none.

    A connection is in the table for minutes after its end (nf_conntrack_tcp_timeout_time_wait).
    """
    path = "/proc/sys/net/netfilter/nf_conntrack_"
    try:
        tracked, room = (int(Path(path + name).read_text()) for name in ("count", "max"))
    except (OSError, ValueError):
        return None
    return (tracked, room) if tracked else None


def read_received() -> Received | None:
    """What was received since the network namespace began; None: the kernel doesn't report it.

    Packets are counted by their marks of congestion (ECN): those counters count each piece of a
    send, and the others count 64 KB of GSO as one.
    """
    try:
        extended = parse_counters(Path("/proc/net/netstat").read_text())["IpExt"]
        udp = parse_counters(Path("/proc/net/snmp").read_text())["Udp"]
        of_6 = Path("/proc/net/snmp6")
        lines = of_6.read_text().splitlines() if of_6.exists() else []
        six = {name: int(value) for name, value in map(str.split, lines)}
        kinds = ("NoECTPkts", "ECT1Pkts", "ECT0Pkts", "CEPkts")
        return Received(
            packets=sum(extended[f"In{kind}"] + six.get(f"Ip6In{kind}", 0) for kind in kinds),
            dropped=udp["RcvbufErrors"] + six.get("Udp6RcvbufErrors", 0),
        )
    except (OSError, KeyError, ValueError):
        return None


def read_udp_drops(port: int) -> int | None:
    """The datagrams for which sockets bound to a UDP port had no room, since they were bound. None:
    there are no such sockets, or the kernel doesn't report it."""
    try:
        lines = [
            line.split()
            for name in ("udp", "udp6")
            if (table := Path("/proc/net", name)).exists()
            for line in table.read_text().splitlines()[1:]
        ]
        drops = [int(line[-1]) for line in lines if int(line[1].rpartition(":")[2], 16) == port]
    except (OSError, ValueError, IndexError):
        return None
    return sum(drops) if drops else None


def parse_cores(text: str) -> tuple[CoreTime, ...]:
    """The lines `cpuN` of /proc/stat. Older kernels end a line before steal.

    Nice time counts as user, hard interrupts as system, waiting for a disk as idle.
    """
    cores = []
    for line in text.splitlines():
        label, *ticks = line.split() or [""]
        if not (label.startswith("cpu") and label[3:].isdigit()):
            continue
        user, nice, system, idle, iowait, irq, softirq, steal = (
            int(tick) * TICK_NS / 1e9 for tick in (*ticks, *"00000")[:8]
        )
        cores.append(
            CoreTime(
                cpu=int(label[3:]),
                user_s=user + nice,
                system_s=system + irq,
                softirq_s=softirq,
                steal_s=steal,
                idle_s=idle + iowait,
            )
        )
    return tuple(cores)


def parse_counters(text: str) -> dict[str, dict[str, int]]:
    """Pairs of lines as in /proc/net/netstat and snmp: `Group: names`, `Group: values`."""
    groups: dict[str, dict[str, int]] = {}
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=False):
        group, *keys = names.split()
        groups[group.rstrip(":")] = dict(zip(keys, map(int, values.split()[1:]), strict=False))
    return groups


_POWERCAP = Path("/sys/class/powercap")


def read_energy_uj(powercap: Path = _POWERCAP) -> int | None:
    """The energy of all packages since some moment, µJ; None: not counted, or not readable for us.

    A counter begins anew after minutes at full power: a difference below zero means nothing.
    """
    try:
        # `intel-rapl:0` is a package (AMD's too); `intel-rapl:0:1` is a part of it.
        packages = [
            path
            for path in powercap.glob("intel-rapl:*")
            if path.name.count(":") == 1 and (path / "name").read_text().startswith("package")
        ]
        return sum(int((path / "energy_uj").read_text()) for path in packages) if packages else None
    except (OSError, ValueError):
        return None


UNKNOWN_MBIT_PER_S = 65_535
"""The value of interfaces without a speed (SPEED_UNKNOWN, ethtool(8), as 16 bits)."""


def read_network() -> NetworkUse | None:
    """The traffic of all interfaces except the loopback since the network namespace began.

    None where the kernel doesn't report it.
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
    """The bytes received and sent in /proc/net/dev, over all interfaces except `lo`."""
    received = sent = 0
    for line in text.splitlines()[2:]:
        name, _, counters = line.partition(":")
        if name.strip() != "lo":
            values = counters.split()
            received, sent = received + int(values[0]), sent + int(values[8])
    return received, sent


def read_link_bytes_per_s(address: str) -> float | None:
    """The speed of the interface with `address`; None where it has none, as virtual ones."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    speeds = psutil.net_if_stats()
    for name, addresses in psutil.net_if_addrs().items():
        if any(each.family == family and each.address == address for each in addresses):
            mbit_per_s = speeds[name].speed if name in speeds else 0
            return mbit_per_s * 1e6 / 8 if mbit_per_s not in (0, UNKNOWN_MBIT_PER_S) else None
    return None


def read_free_memory_mib() -> float:
    """Memory that is available without swapping, MiB: of the machine, and of our control groups."""
    free = [psutil.virtual_memory().available]
    groups = cgroups.groups()
    for name, limit, used in (
        ("", "memory.max", "memory.current"),
        ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        folder = groups.get(name)
        for group in [folder, *folder.parents] if folder else []:
            rest = left(group / limit, group / used)
            if rest is not None:
                free.append(rest)
    return max(0, min(free)) / 2**20


def left(limit: Path, used: Path) -> int | None:
    """Bytes between two files' numbers; None: a file or a limit is missing."""
    try:
        return int(limit.read_text()) - int(used.read_text())
    except (OSError, ValueError):
        return None


def read_free_files() -> int:
    """How many more files this process may open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return 1 << 30
    return max(0, limit - len(list(Path("/proc/self/fd").iterdir())))


NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
REQUEST, DUMP = 0x1, 0x300
MESSAGE_DONE, MESSAGE_ERROR = 3, 2
LISTEN = 10
_HEADER = struct.Struct("=IHHII")
# inet_diag_req_v2: family, protocol, extensions, states, and a socket id that selects all.
_REQUEST = struct.Struct("=BBBxI48x")
# inet_diag_msg: the source port, and the two queues. For a listening socket the second is the
# length that listen(2) requested, limited to net.core.somaxconn.
_ANSWER = struct.Struct("=4x2s50xII8x")


def read_listen_queue(port: int) -> int | None:
    """The places in the queues of all sockets that listen on a TCP port of this network namespace.

    None where no socket listens there, or the kernel doesn't report it.
    """
    places = [
        places
        for family in (socket.AF_INET, socket.AF_INET6)
        for source, places in _listening(family)
        if source == port
    ]
    return sum(places) if places else None


def _listening(family: int) -> Iterator[tuple[int, int]]:
    """Port and places of each listening socket (inet_diag, sock_diag(7))."""
    request = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 1 << LISTEN)
    header = _HEADER.pack(_HEADER.size + len(request), SOCK_DIAG_BY_FAMILY, REQUEST | DUMP, 0, 0)
    with (
        suppress(OSError),
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as kernel,
    ):
        kernel.settimeout(1.0)
        kernel.sendto(header + request, (0, 0))
        while True:
            answer, at = kernel.recv(1 << 16), 0
            while at + _HEADER.size <= len(answer):
                length, kind, *_ = _HEADER.unpack_from(answer, at)
                if kind in (MESSAGE_DONE, MESSAGE_ERROR):
                    return
                port, _, places = _ANSWER.unpack_from(answer, at + _HEADER.size)
                yield int.from_bytes(port, "big"), places
                at += length + -length % 4
