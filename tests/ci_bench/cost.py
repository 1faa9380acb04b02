"""What bakeoff itself costs beside the servers: `python -m tests.ci_bench.cost`.

A race of two copies of brick-yardstick with 10 µs of work a request. Twice a second the CPU time
and memory of each process are read, and at the end those of driver, keeper, engine and servers are
given, as a share of one core over the race, with the cores they ran on. What a process did after
it was last read is missed: half a second at most of each of the servers' processes.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import psutil

from tests.judge_bench.planted import command, fetch

EVERY_S = 0.5


def role(words: Iterable[str], driver: bool) -> str:
    """What a process is for, by its command line."""
    text = " ".join(words)
    if driver:
        return "driver"
    return "keeper" if "keeper" in text else "engine" if "volley" in text else "servers"


def observed(process: "subprocess.Popen[bytes]") -> dict[str, dict[str, Any]]:
    """For each role its CPU time, s, and its largest memory, MiB, until the race ends."""
    cpu_s: dict[tuple[str, int], float] = {}
    found: dict[str, dict[str, Any]] = {}
    root = psutil.Process(process.pid)
    while process.poll() is None:
        now: dict[str, float] = {}
        for each in [root, *root.children(recursive=True)]:
            try:
                name = role(each.cmdline(), each == root)
                times = each.cpu_times()
                now[name] = now.get(name, 0) + each.memory_info().rss / 2**20
                cores = each.cpu_affinity() or []
            except psutil.Error:
                continue
            cpu_s[name, each.pid] = times.user + times.system
            found.setdefault(name, {})["cores"] = cores
        for name, mib in now.items():
            found[name]["memory_mib"] = round(max(found[name].get("memory_mib", 0), mib), 1)
        time.sleep(EVERY_S)
    for name, facts in found.items():
        facts["cpu_s"] = round(sum(s for (whose, _), s in cpu_s.items() if whose == name), 2)
    return found


def main() -> None:
    """One race, and what it cost."""
    parser = argparse.ArgumentParser(prog="cost", description=__doc__)
    parser.add_argument("--duration", type=float, default=30.0)
    parser.add_argument("--kept", type=Path, default=Path("build/ci-bench"))
    chosen = parser.parse_args()
    fetch(chosen.kept)
    words = [sys.executable, "-m", "bakeoff", "race", command(), command()]
    words += ["-d", f"{chosen.duration:g}", "--json", "cost.json"]
    before, began_s = psutil.cpu_times(percpu=True), time.monotonic()
    process = subprocess.Popen(words, cwd=chosen.kept, stdout=subprocess.DEVNULL)
    roles = observed(process)
    took_s = time.monotonic() - began_s
    after = psutil.cpu_times(percpu=True)
    for each in roles.values():
        each["share_of_a_core"] = round(each["cpu_s"] / took_s, 3)
    busy = [
        round(1 - (end.idle - start.idle) / took_s, 3)
        for start, end in zip(before, after, strict=True)
    ]
    result = {"took_s": round(took_s, 1), "status": process.returncode, "roles": roles}
    print(json.dumps({**result, "busy_share_of_cores": busy}, indent=1))


if __name__ == "__main__":
    main()
