"""volley against wrk: the same server, the same core, interleaved in random order.

Debian's nginx answers 13 bytes on core 0, the generator runs on core 1. In each round both
generators load it once, in an order drawn anew; what counts is the ratio within a round, since a
shared machine drifts. Prints a table and writes all raw figures with --out.

    .venv/bin/python engine/bench/versus_wrk.py --out records/DATE-engine-versus-wrk.json

On a machine with other work, run it in a session of its own with a larger share:
`setsid -w sh -c 'echo -15 > /proc/self/autogroup; exec .venv/bin/python …'`.

Needs nginx, wrk (apt-get install nginx-light wrk) and `cargo build --release` in engine/.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy import stats

ENGINE = Path(__file__).resolve().parent.parent
SERVER_CORE, GENERATOR_CORE = 0, 1
BODY = "Hello, World!"

NGINX_CONF = """
daemon off;
master_process off;
worker_processes 1;
pid {prefix}/nginx.pid;
error_log {prefix}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
  client_body_temp_path {prefix}/body;
  proxy_temp_path {prefix}/proxy;
  fastcgi_temp_path {prefix}/fastcgi;
  uwsgi_temp_path {prefix}/uwsgi;
  scgi_temp_path {prefix}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ default_type text/plain; return 200 "{body}"; }}
  }}
}}
"""


@dataclass(frozen=True)
class Run:
    """One load of the server by one generator."""

    round: int
    place: int
    generator: str
    connections: int
    requests_per_s: float
    cpu_us_per_request: float


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_nginx(prefix: Path, port: int) -> subprocess.Popen[bytes]:
    """nginx, alone in its folder and pinned; returns once it answers."""
    (prefix / "nginx.conf").write_text(NGINX_CONF.format(prefix=prefix, port=port, body=BODY))
    command = ["nginx", "-p", str(prefix), "-c", str(prefix / "nginx.conf")]
    server = subprocess.Popen(["taskset", "-c", str(SERVER_CORE), *command])
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return server
        except OSError:
            time.sleep(0.05)
    server.kill()
    sys.exit("nginx did not start; its error.log says why")


def commands(port: int, connections: int, seconds: float) -> dict[str, list[str]]:
    """What is run. volley warms up for 0.2 s more; wrk takes whole seconds."""
    url = f"http://127.0.0.1:{port}/"
    volley = str(ENGINE / "target" / "release" / "volley")
    pin = ["taskset", "-c", str(GENERATOR_CORE)]
    return {
        "volley": [
            *pin,
            volley,
            "load",
            "--json",
            "-c",
            str(connections),
            "-d",
            f"{seconds}s",
            url,
        ],
        "wrk": [*pin, "wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds:.0f}s", url],
    }


def measure(command: list[str]) -> tuple[str, float]:
    """Its standard output, and the CPU seconds that it used in all."""
    read_end, write_end = os.pipe()
    child = subprocess.Popen(command, stdout=write_end)
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        output = stream.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{shlex.join(command)} ended with status {child.returncode}:\n{output}")
    return output, usage.ru_utime + usage.ru_stime


def figures(generator: str, output: str) -> tuple[float, float]:
    """Requests per second, and how many requests its CPU time was spent on."""
    if generator == "volley":
        report = json.loads(output)
        if report["errors"]:
            sys.exit(f"volley met errors: {report['errors']}")
        # The CPU time covers the warm-up as well, at the same rate.
        return report["requests_per_s"], report["requests"] * (1 + 0.2 / report["duration_s"])
    if re.search(r"Socket errors|Non-2xx", output):
        sys.exit(f"wrk met errors:\n{output}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    requests = re.search(r"(\d+) requests in", output)
    if rate is None or requests is None:
        sys.exit(f"wrk printed something unknown:\n{output}")
    return float(rate[1]), float(requests[1])


def race(port: int, connections: int, options: argparse.Namespace, seed: int) -> list[Run]:
    """All rounds for one number of connections."""
    order = random.Random(seed)
    line = commands(port, connections, options.seconds)
    for command in line.values():
        measure(command)
    runs = []
    for number in range(options.rounds):
        for place, generator in enumerate(order.sample(sorted(line), len(line))):
            output, cpu_s = measure(line[generator])
            rate, requests = figures(generator, output)
            runs.append(Run(number, place, generator, connections, rate, cpu_s / requests * 1e6))
            print(f"  round {number:2d}  {generator:6s}  {rate:9.0f} requests/s", file=sys.stderr)
    return runs


def ratio(runs: list[Run], field: str, seed: int) -> dict[str, float]:
    """volley over wrk: trimmed mean of the rounds' log-ratios, bootstrap 95 % interval."""
    logs = {
        name: np.log([getattr(run, field) for run in runs if run.generator == name])
        for name in ("volley", "wrk")
    }
    differences = logs["volley"] - logs["wrk"]
    draws = np.random.default_rng(seed).choice(differences, (10_000, len(differences)))
    low, high = np.quantile(stats.trim_mean(draws, 0.2, axis=1), [0.025, 0.975])
    middle = stats.trim_mean(differences, 0.2)
    return {
        "ratio": float(np.exp(middle)),
        "low": float(np.exp(low)),
        "high": float(np.exp(high)),
        "n": len(differences),
    }


def machine() -> dict[str, object]:
    """What the figures depend on."""
    cpuinfo = Path("/proc/cpuinfo").read_text()
    models = re.findall(r"^model name\s*:\s*(.+)$", cpuinfo, re.M)
    return {
        "kernel": platform.release(),
        "cpu": models[0] if models else "unknown",
        "cores": os.cpu_count(),
        "nice": os.nice(0),
        "autogroup": Path("/proc/self/autogroup").read_text().strip(),
        "load_average": os.getloadavg(),
        "somaxconn": int(Path("/proc/sys/net/core/somaxconn").read_text()),
    }


def version(command: list[str]) -> str:
    """The first line that a program says about its version."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()[0]


def versions() -> dict[str, str]:
    """Of all programs that took part."""
    return {
        "volley": version([str(ENGINE / "target" / "release" / "volley"), "--version"]),
        "wrk": version(["wrk", "-v"]),
        "nginx": version(["nginx", "-v"]),
        "commit": version(["git", "-C", str(ENGINE), "rev-parse", "HEAD"]),
        "python": platform.python_version(),
    }


def print_table(results: list[dict[str, object]], runs: list[Run]) -> None:
    """Medians for orientation, ratios for the verdict."""
    print(
        f"{'connections':>11}  {'figure':24}  {'volley':>9}  {'wrk':>9}  ratio (95 % interval), n"
    )
    for result in results:
        field = str(result["field"])
        median = {
            name: np.median(
                [
                    getattr(run, field)
                    for run in runs
                    if run.generator == name and run.connections == result["connections"]
                ]
            )
            for name in ("volley", "wrk")
        }
        digits = 0 if field == "requests_per_s" else 2
        print(
            f"{result['connections']:>11}  {field:24}  {median['volley']:9.{digits}f}  "
            f"{median['wrk']:9.{digits}f}  {result['ratio']:.3f} "
            f"({result['low']:.3f} to {result['high']:.3f}), {result['n']}"
        )


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=12, help="per number of connections")
    parser.add_argument("--seconds", type=float, default=2, help="per run, whole for wrk's sake")
    parser.add_argument("--connections", type=int, nargs="+", default=[64, 512])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="write all figures there, as JSON")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    for program in ("nginx", "wrk", "taskset"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is missing: apt-get install nginx-light wrk util-linux")
    before, runs, port = machine(), [], free_port()
    with tempfile.TemporaryDirectory() as prefix:
        server = start_nginx(Path(prefix), port)
        try:
            for connections in chosen.connections:
                runs += race(port, connections, chosen, chosen.seed + connections)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
    results = []
    for connections in chosen.connections:
        own = [run for run in runs if run.connections == connections]
        for field in ("requests_per_s", "cpu_us_per_request"):
            found = ratio(own, field, chosen.seed)
            results.append({"connections": connections, "field": field, **found})
    print_table(results, runs)
    if chosen.out:
        line = commands(port, chosen.connections[0], chosen.seconds)
        record = {
            "schema": "bakeoff.engine-versus-wrk/1",
            "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "seed": chosen.seed,
            "seconds": chosen.seconds,
            "cores": {"server": SERVER_CORE, "generator": GENERATOR_CORE},
            "versions": versions(),
            "machine": {"before": before, "load_average_after": os.getloadavg()},
            "commands": {
                name: shlex.join(command).replace(str(ENGINE), "engine")
                for name, command in line.items()
            },
            "server": NGINX_CONF,
            "results": results,
            "runs": [asdict(run) for run in runs],
        }
        chosen.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
