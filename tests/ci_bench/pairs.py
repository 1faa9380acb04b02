"""Pairs of commits: equals that differ by a comment, and one that does more work."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import bakeoff
from bakeoff.model.base import Contract
from bakeoff.model.ci import Ci
from tests.brick.conftest import BUILD
from tests.judge_bench.planted import BASE_LOOPS, SERVER
from tests.repositories import WHO, commit, new_repository

PACKAGE = str(Path(bakeoff.__file__).parents[1])
PROJECT = 'contender = "./serve.sh"\nwarm_up = "1s"\n'
SCRIPT = "#!/bin/sh\n# {comment}\nexec {server} --port $PORT --loops {loops}\n"


class Raced(Contract):
    """What came of one pair, and how long it took; `alarm`: a gate failed.

    `cpu_ratio` is that of requests per second of server CPU, None where it was not seen, and
    `cpu_decided` whether both made the same calls, so that a gate was decided by it. Of at most
    `duration_s` it measured for `measured_s`; from its start to its end it took `took_s`.
    """

    kind: str
    noisy: bool
    status: int
    outcome: str
    alarm: bool
    ratio: float | None
    low: float | None
    high: float | None
    cpu_ratio: float | None
    cpu_low: float | None
    cpu_high: float | None
    cpu_decided: bool
    detectable: float | None
    draws: int | None
    duration_s: float
    measured_s: float
    took_s: float
    steal_share: float


def repository(kept: Path, loops: int) -> Path:
    """A repository whose commits are tagged `base`, `equal` and `planted`."""
    top = kept / "repository"
    shutil.rmtree(top, ignore_errors=True)
    shutil.rmtree(kept / "cache", ignore_errors=True)
    server = BUILD / SERVER

    def script(comment: str, more: int) -> dict[str, str]:
        text = SCRIPT.format(comment=comment, server=server, loops=BASE_LOOPS + more)
        return {"serve.sh": text, "bakeoff.toml": PROJECT}

    new_repository(top, {"README": "A shop."})
    for tag, files in (
        ("base", script("One comment.", 0)),
        ("equal", script("Another comment.", 0)),
        ("planted", script("More work.", loops)),
    ):
        (top / "serve.sh").touch(mode=0o755)
        commit(top, files, tag)
        subprocess.run(["git", "tag", tag], cwd=top, check=True)
    return top


def race(top: Path, kind: str, noisy: bool, duration_s: float) -> Raced:
    """`bakeoff ci` on one pair, as people type it. Ends the program where there is no result."""
    began_s = time.monotonic()
    said = top.parent / "ci.json"
    said.unlink(missing_ok=True)
    words = ["ci", "--base", "base", "--head", kind, "-d", f"{duration_s:g}"]
    done = subprocess.run(
        [sys.executable, "-m", "bakeoff", *words, "--json", str(said)],
        cwd=top,
        # The package that this bench belongs to, whatever else is installed.
        env={
            **os.environ,
            "BAKEOFF_HISTORY": "",
            **WHO,
            "PYTHONPATH": PACKAGE,
            "XDG_CACHE_HOME": str(top.parent / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 130:
        raise KeyboardInterrupt
    if not said.exists():
        sys.exit(f"bakeoff {' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
    result = Ci.read_json(said)
    shutil.rmtree(top / "runs", ignore_errors=True)
    return of(result, kind, noisy, done.returncode, duration_s, time.monotonic() - began_s)


def of(result: Ci, kind: str, noisy: bool, status: int, duration_s: float, took_s: float) -> Raced:
    """What is kept of a result."""
    race, gates = result.race, result.race.gates
    pair = race.pair("head", "base")
    cpu = pair.cpu_ratio if pair else None
    return Raced(
        kind=kind,
        noisy=noisy,
        status=status,
        outcome=result.outcome,
        alarm=any(each.outcome == "fails" for each in gates),
        ratio=pair.ratio.ratio if pair else None,
        low=pair.ratio.low if pair else None,
        high=pair.ratio.high if pair else None,
        cpu_ratio=cpu.ratio if cpu else None,
        cpu_low=cpu.low if cpu else None,
        cpu_high=cpu.high if cpu else None,
        cpu_decided=any(each.by and each.outcome != "doesn't decide" for each in gates),
        detectable=pair.minimum_detectable_effect if pair else None,
        draws=pair.ratio.draws if pair else None,
        duration_s=duration_s,
        measured_s=race.measured_s,
        took_s=took_s,
        steal_share=race.steal_share or 0,
    )
