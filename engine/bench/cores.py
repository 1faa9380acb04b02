"""What more cores give: servers of 1, 2 and 4 reactors, loaded by 1, 2 and 4 threads.

    .venv/bin/python engine/bench/cores.py --out records/DATE-engine-cores.json

The server is the brick's yardstick, the load `volley load` in a closed loop. First both share one
core, a thread each; then both share two cores, with twice as many connections and each number of
threads. Last, each of two cores has a server and a load of its own, which share nothing but the
machine: what those lose against one core is lost to the machine. Ratios are to one core. CPU time
of a request is what other work on the machine changes least.

It needs `make build/brick/brick-yardstick setup`.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import estimates
from machine import machine

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "build" / "brick" / "brick-yardstick"
NUMBERS = (1, 2, 4)
CONNECTIONS = 64
"""For each core."""
WARM_UP_S = 0.2
"""volley's, of which the server's CPU time is as well."""
FIGURES = ("requests_per_s", "server_us_per_request", "client_us_per_request", "us_per_request")


@dataclass(frozen=True)
class Layout:
    """What runs where."""

    reactors: int
    threads: int
    cores: int
    # Each core has a server and a load of its own, of so many reactors and threads.
    apart: bool = False

    def parts(self) -> list[tuple[str, int]]:
        """The cores of each server and its load, and how many connections these have."""
        if self.apart:
            return [(str(core), CONNECTIONS) for core in range(self.cores)]
        return [(",".join(map(str, range(self.cores))), CONNECTIONS * self.cores)]


ALONE = Layout(1, 1, 1)
LAYOUTS = [
    ALONE,
    *(Layout(reactors, threads, 2) for reactors in NUMBERS for threads in NUMBERS),
    Layout(1, 1, 2, apart=True),
]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1, help="per run")
    parser.add_argument("--seed", type=int, default=1, help="of the order, and of the bootstrap")
    parser.add_argument("--volley", default=str(Path(sys.executable).parent / "volley"))
    parser.add_argument("--out", type=Path, help="write all figures there, as JSON")
    return parser.parse_args()


@contextmanager
def server(reactors: int, cores: str) -> Iterator[tuple[int, str]]:
    """Its pid, and the address at which it listens."""
    words = [str(SERVER), "--port", "0", "--threads", str(reactors)]
    with subprocess.Popen(
        ["taskset", "-c", cores, *words], stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout is not None
            said = child.stdout.readline()
            yield child.pid, said.split()[0].removeprefix("http://").rstrip("/")
        finally:
            child.terminate()


def cpu_s(pid: int) -> float:
    """The CPU time of all threads of a process so far."""
    paths = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(path.read_text().split()[0]) for path in paths) / 1e9


def run(layout: Layout, volley: str, seconds: float) -> dict[str, float]:
    """Each part loads a server of its own, all at the same time."""
    with ExitStack() as servers:
        pids, loads = [], []
        for cores, connections in layout.parts():
            pid, address = servers.enter_context(server(layout.reactors, cores))
            words = ["load", "--json", "-c", str(connections), "-t", str(layout.threads)]
            words += ["-d", f"{seconds}s", "--expect-status", "200", f"http://{address}/"]
            loads.append(["taskset", "-c", cores, volley, *words])
            pids.append(pid)
        before = sum(map(cpu_s, pids))
        started = [subprocess.Popen(load, stdout=subprocess.PIPE, text=True) for load in loads]
        reports = [json.loads(load.communicate()[0]) for load in started]
        server_s = sum(map(cpu_s, pids)) - before
    requests = sum(report["requests"] for report in reports)
    counted = 1 + WARM_UP_S / reports[0]["duration_s"]
    server_us = server_s * 1e6 / (requests * counted)
    client_us = sum(
        report["client"]["cpu_us_per_request"] * report["requests"] / requests for report in reports
    )
    return {
        "requests_per_s": sum(report["requests_per_s"] for report in reports),
        "server_us_per_request": server_us,
        "client_us_per_request": client_us,
        "us_per_request": server_us + client_us,
    }


def main() -> None:
    """Runs all rounds, and prints what more threads and cores give."""
    chosen = options()
    order = random.Random(chosen.seed)
    runs: list[dict[str, object]] = []
    found = {layout: {figure: list[float]() for figure in FIGURES} for layout in LAYOUTS}
    conditions = machine()
    for number in range(chosen.rounds):
        for layout in order.sample(LAYOUTS, len(LAYOUTS)):
            figures = run(layout, chosen.volley, chosen.seconds)
            for figure, value in figures.items():
                found[layout][figure].append(value)
            runs.append({"round": number, **asdict(layout), **figures})
        print(f"round {number + 1} of {chosen.rounds}", file=sys.stderr)
    rows = []
    for layout, figure in product(LAYOUTS, FIGURES):
        ratio = estimates.ratio(found[layout][figure], found[ALONE][figure], chosen.seed)
        middle = statistics.median(found[layout][figure])
        rows.append({**asdict(layout), "figure": figure, "median": middle, "ratio": asdict(ratio)})
        words = f"{layout.reactors} reactors, {layout.threads} threads, {layout.cores} cores"
        print(
            f"{words}{', apart' if layout.apart else '':7}  {figure:22} {middle:10.6g}  "
            f"{ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"
        )
    if chosen.out:
        command = ["engine/bench/cores.py", "--rounds", str(chosen.rounds), "--seconds"]
        record = {
            "schema": "bakeoff.engine-cores/1",
            "what": "what more threads of the engine and reactors of the brick give",
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "command_line": [*command, str(chosen.seconds)],
            "machine": conditions,
            "rows": rows,
            "runs": runs,
        }
        chosen.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
