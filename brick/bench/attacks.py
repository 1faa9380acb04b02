"""What attackers cost the others: their latency, the server's CPU time and its memory.

    .venv/bin/python brick/bench/attacks.py --out records/DATE-brick-attacks.json

Each attack meets a server of its own, with the library's own limits, on epoll and on io_uring.
While the attackers are at it, 16 connections of an open loop ask for hello; the same without
attackers comes first and last, since a machine with other work is slow without them too. What
floods take of the cores that server, attackers and load share is in the latency: beside it stands
how long the server ran and waited for a core. Two minutes.

It needs `make brick-programs setup`; 100,000 idle clients need root, or the limit of open files.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "build" / "brick" / "brick-besieged"
ATTACKERS = Path(__file__).with_name("attackers.py")
PEACE = "nobody"
# How many clients; of those that come and go, how many are there at once.
ATTACKS = {
    "slow head": 1000,
    "slow body": 1000,
    "slow reader": 100,  # The kernel holds up to 4 MB for each.
    "idle": 10_000,
    "resets": 100,
    "connects": 1,
    "nonsense": 1,
    "unread answers": 16,
}
RATE = 1000
SETTLE_S = 1


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=ATTACKS, default=list(ATTACKS))
    parser.add_argument("--io", nargs="+", choices=["epoll", "uring"], default=["uring", "epoll"])
    parser.add_argument("--idle", type=int, default=ATTACKS["idle"], help="idle clients")
    parser.add_argument("--seconds", type=int, default=4, help="of each measurement")
    parser.add_argument("--volley", default=str(Path(sys.executable).parent / "volley"))
    parser.add_argument("--out", type=Path, help="write all figures there, as JSON")
    return parser.parse_args()


def raise_limit(clients: int) -> None:
    """Of open files, for the server and the attackers to inherit: as far as we may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(most, clients + 1000)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
    except (ValueError, PermissionError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Server:
    """brick-besieged, seen from outside."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        line = process.stdout.readline()
        port = re.search(r":(\d+)/ by", line)
        if not port:
            sys.exit(f"attacks: brick-besieged doesn't start: {line}{process.communicate()[1]}")
        self.port = int(port[1])
        self.proc = Path(f"/proc/{process.pid}")

    def cpu_s(self) -> tuple[float, float]:
        """How long it has run, and how long it has waited for a core."""
        told = [(task / "schedstat").read_text().split() for task in (self.proc / "task").iterdir()]
        return sum(int(each[0]) for each in told) / 1e9, sum(int(each[1]) for each in told) / 1e9

    def pss_bytes(self) -> int:
        rollup = (self.proc / "smaps_rollup").read_text()
        return int(re.search(r"^Pss: +(\d+)", rollup, re.M)[1]) * 1024  # type: ignore[index]

    def connections(self) -> int:
        """Its sockets, but for the one that listens."""
        count = -1
        for path in (self.proc / "fd").iterdir():
            try:
                count += str(path.readlink()).startswith("socket:")
            except FileNotFoundError:  # Closed meanwhile.
                continue
        return count


@contextmanager
def server(io: str, clients: int) -> Iterator[Server]:
    words = [
        str(SERVER),
        "--port",
        "0",
        "--io",
        io,
        "--connections",
        str(max(65_536, clients + 1000)),
    ]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Server(process)
        finally:
            process.kill()


@contextmanager
def attackers(name: str, port: int, count: int) -> Iterator[int]:
    """While they attack: how many have come to stay."""
    if name == PEACE:
        yield 0
        return
    words = [sys.executable, str(ATTACKERS), name, str(port), str(count)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        try:
            yield int(process.stdout.readline() or sys.exit("attacks: the attackers failed"))
        finally:
            process.kill()


def others(volley: str, port: int, seconds: int) -> dict[str, Any]:
    """What the others met, by volley."""
    words = [
        volley,
        "load",
        "--json",
        "-R",
        str(RATE),
        "-c",
        "16",
        "-d",
        f"{seconds}s",
        "-w",
        "500ms",
    ]
    done = subprocess.run(
        [*words, f"http://127.0.0.1:{port}/"], capture_output=True, text=True, check=False
    )
    if not done.stdout:
        sys.exit(f"attacks: volley failed: {done.stderr}")
    return dict(json.loads(done.stdout))


def tcp_bytes() -> int:
    """What all TCP sockets of this machine hold in buffers."""
    found = re.search(r"^TCP: .* mem (\d+)", Path("/proc/net/sockstat").read_text(), re.M)
    assert found
    return int(found[1]) * os.sysconf("SC_PAGE_SIZE")


def measured(chosen: argparse.Namespace, io: str, name: str) -> dict[str, Any]:
    count = chosen.idle if name == "idle" else ATTACKS.get(name, 0)
    with server(io, count) as besieged:
        others(chosen.volley, besieged.port, 1)  # What it takes once, it has now.
        at_first, tcp = besieged.pss_bytes(), tcp_bytes()
        with attackers(name, besieged.port, count) as came:
            time.sleep(SETTLE_S)  # What they cost once, when they come, is behind us.
            before, began = besieged.cpu_s(), time.monotonic()
            met = others(chosen.volley, besieged.port, chosen.seconds)
            taken_s = time.monotonic() - began
            ran, waited = (
                (now - then) / taken_s for now, then in zip(besieged.cpu_s(), before, strict=True)
            )
            return {
                "io": io,
                "attack": name,
                "clients": count,
                "came": came,
                "connections": besieged.connections(),
                "requests": met["requests"],
                "errors": met["errors"],
                "misses": met["misses"],
                "service_us": met["service_us"],
                "latency_us": met["latency_us"],
                "server_ran": round(ran, 4),
                "server_waited": round(waited, 4),
                "memory_bytes": besieged.pss_bytes(),
                "memory_grown_bytes": besieged.pss_bytes() - at_first,
                "tcp_grown_bytes": tcp_bytes() - tcp,
            }


HEADING = (
    f"{'io':7}{'attack':16}{'clients':>8}{'answered':>9}{'failed':>7}{'p50 µs':>9}{'p99 µs':>9}"
    f"{'max µs':>10}{'ran':>7}{'waited':>8}{'memory KiB':>12}{'grown':>8}{'TCP':>9}"
)


def shown(row: dict[str, Any]) -> str:
    nothing = {"p50": math.nan, "p99": math.nan, "max": math.nan}
    took = row["service_us"] or nothing  # None where nobody was answered.
    failed = sum(row["errors"].values()) + row["misses"]
    return (
        f"{row['io']:7}{row['attack']:16}{row['came']:8}{row['requests']:9}{failed:7}"
        f"{took['p50']:9.0f}{took['p99']:9.0f}{took['max']:10.0f}{row['server_ran']:7.1%}"
        f"{row['server_waited']:8.1%}"
        f"{row['memory_bytes'] >> 10:12}{row['memory_grown_bytes'] >> 10:8}"
        f"{row['tcp_grown_bytes'] >> 10:9}"
    )


def main() -> None:
    """Measures what was asked, and prints a line for each attack."""
    chosen = options()
    if not SERVER.exists():
        sys.exit("attacks: there is no build/brick/brick-besieged; run `make brick-programs`")
    raise_limit(chosen.idle)
    rows = []
    print(HEADING, flush=True)
    for io in chosen.io:
        for name in [PEACE, *chosen.only, PEACE]:
            rows.append(measured(chosen, io, name))
            print(shown(rows[-1]), flush=True)
    if chosen.out:
        record = {
            "schema": "bakeoff.brick-attacks/1",
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": {
                "kernel": platform.release(),
                "cores": os.cpu_count(),
                "load_1_min": os.getloadavg()[0],
            },
            "rate_per_s": RATE,
            "attacks": rows,
        }
        chosen.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
