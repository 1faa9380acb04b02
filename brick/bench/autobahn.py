"""Test brick's WebSocket by Autobahn's test suite, on epoll and on io_uring.

    python3 brick/bench/autobahn.py --out records/DATE-autobahn.json

The server is brick-besieged, at /socket, and messages may have the suite's 16 MiB. Cases 12 and 13
are left out: they are about permessage-deflate, which brick declines. Half a minute.

It needs `make brick-programs build/autobahn/bin/wstest`, as `make autobahn` has them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "build" / "brick" / "brick-besieged"
SUITE = ROOT / "build" / "autobahn"
AGENT = "brick"
CASES = ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "9.*", "10.*"]
PASSES = {"OK", "INFORMATIONAL"}
MESSAGE_BYTES = 16 * 1024 * 1024


@contextmanager
def server(io: str) -> Iterator[int]:
    """Gives its port."""
    words = [SERVER, "--port", "0", "--io", io, "--message-bytes", str(MESSAGE_BYTES)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            found = re.search(r":(\d+)/", process.stdout.readline())
            if not found:
                sys.exit(f"autobahn: brick-besieged did not start on {io}")
            yield int(found[1])
        finally:
            process.terminate()


def wstest(*words: str) -> str:
    """The suite's output. PYTHONUSERBASE is where its packages are."""
    return subprocess.run(
        [SUITE / "bin" / "wstest", *words],
        env={**os.environ, "PYTHONUSERBASE": str(SUITE)},
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout


def tested(port: int) -> dict[str, dict[str, str]]:
    """What the suite says of each case: of the server's behaviour, and of how it closed."""
    with TemporaryDirectory() as folder:
        specification = Path(folder) / "specification.json"
        described = {
            "outdir": folder,
            "servers": [{"agent": AGENT, "url": f"ws://127.0.0.1:{port}/socket"}],
            "cases": CASES,
            "exclude-cases": [],
            "exclude-agent-cases": {},
        }
        specification.write_text(json.dumps(described))
        wstest("--mode", "fuzzingclient", "--spec", str(specification))
        found = json.loads((Path(folder) / "index.json").read_text())[AGENT]
    return {
        case: {"behavior": said["behavior"], "close": said["behaviorClose"]}
        for case, said in sorted(found.items(), key=lambda one: place(one[0]))
    }


def place(case: str) -> list[int]:
    return [int(number) for number in case.split(".")]


def main() -> int:
    """Prints how many cases pass, and each that does not, which is status 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="write the result there, as JSON")
    out = parser.parse_args().out
    runs: dict[str, Any] = {}
    failed = 0
    for io in ("epoll", "uring"):
        with server(io) as port:
            runs[io] = tested(port)
        said = Counter(case["behavior"] for case in runs[io].values())
        print(f"{io}: " + ", ".join(f"{count} {name}" for name, count in said.most_common()))
        for case, results in runs[io].items():
            if not set(results.values()) <= PASSES:
                failed += 1
                print(f"  {case}: {results['behavior']}, closed {results['close']}")
    record = {
        "schema": "bakeoff.autobahn/1",
        "what": "what Autobahn's test suite says of brick's WebSocket, case by case",
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "suite": wstest("--autobahnversion").split("\n")[:2],
        "machine": {"kernel": platform.release(), "cores": os.cpu_count()},
        "message_bytes": MESSAGE_BYTES,
        "cases": runs,
    }
    out.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
