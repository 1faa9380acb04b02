"""What more cores give: servers of 1, 2 and 4 reactors, loaded by 1, 2 and 4 threads.

    .venv/bin/python engine/bench/cores.py --out records/DATE-engine-cores.json

The server is the brick's yardstick, the load `volley load` in a closed loop. First both share one
core, a thread each; then both share two cores, with twice as many connections and each number of
threads. Were anything in the threads' way, two of each on two cores would do less than twice what
one of each does on one: by requests per second, and by the CPU time of a request, which other work
on the machine changes less. The load of a core is the same, so a turn has as much to do.

It needs `make build/brick/brick-yardstick setup`.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import estimates
from machine import machine

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "build" / "brick" / "brick-yardstick"
NUMBERS = (1, 2, 4)
# Reactors, threads that load, cores.
ALONE = (1, 1, 1)
CELLS = [ALONE, *((reactors, threads, 2) for reactors in NUMBERS for threads in NUMBERS)]
CONNECTIONS = 64
"""For each core."""
WARM_UP_S = 0.2
"""volley's, of which the server's CPU time is as well."""
FIGURES = ("requests_per_s", "server_us_per_request", "client_us_per_request", "us_per_request")


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


def run(cell: tuple[int, int, int], volley: str, seconds: float) -> dict[str, float]:
    """One load of a server of its own."""
    reactors, threads, cores = cell
    on = ",".join(map(str, range(cores)))
    with server(reactors, on) as (pid, address):
        words = ["load", "--json", "-c", str(CONNECTIONS * cores), "-t", str(threads)]
        words += ["-d", f"{seconds}s", "--expect-status", "200", f"http://{address}/"]
        before = cpu_s(pid)
        done = subprocess.run(
            ["taskset", "-c", on, volley, *words], capture_output=True, text=True, check=True
        )
        server_s = cpu_s(pid) - before
    report = json.loads(done.stdout)
    server_us = server_s * 1e6 / (report["requests"] * (1 + WARM_UP_S / report["duration_s"]))
    client_us = report["client"]["cpu_us_per_request"]
    return {
        "requests_per_s": report["requests_per_s"],
        "server_us_per_request": server_us,
        "client_us_per_request": client_us,
        "us_per_request": server_us + client_us,
    }


def main() -> None:
    """Runs all rounds, and prints what more threads and cores give."""
    chosen = options()
    order = random.Random(chosen.seed)
    runs: list[dict[str, object]] = []
    found: dict[tuple[int, int, int], dict[str, list[float]]] = {
        cell: {figure: [] for figure in FIGURES} for cell in CELLS
    }
    conditions = machine()
    for number in range(chosen.rounds):
        for cell in order.sample(CELLS, len(CELLS)):
            figures = run(cell, chosen.volley, chosen.seconds)
            time.sleep(0.05)
            for figure, value in figures.items():
                found[cell][figure].append(value)
            reactors, threads, cores = cell
            runs.append(
                {
                    "round": number,
                    "reactors": reactors,
                    "threads": threads,
                    "cores": cores,
                    **figures,
                }
            )
        print(f"round {number + 1} of {chosen.rounds}", file=sys.stderr)
    rows = []
    for cell, figures_of in found.items():
        reactors, threads, cores = cell
        for figure in FIGURES:
            ratio = estimates.ratio(figures_of[figure], found[ALONE][figure], chosen.seed)
            middle = estimates.median(figures_of[figure], chosen.seed)
            rows.append(
                {
                    "reactors": reactors,
                    "threads": threads,
                    "cores": cores,
                    "figure": figure,
                    "median": middle.value,
                    "ratio": vars(ratio),
                }
            )
            print(
                f"{reactors} reactors, {threads} threads, {cores} cores  {figure:22} "
                f"{middle.value:10.6g}  {ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"
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
