"""What watching costs the race: `python -m tests.watching_bench --rounds 12 --out FILE`.

Pairs of races of two equal small servers: one with a page of the explorer that follows it, one
without an explorer, in an order drawn anew for each pair. What is told is the throughput of the
watched race over that of the other, the geometric mean over the pairs with Student's interval; and
the CPU time of the explorer and of the judge that it begins, as shares of one core over the race.
Quiet machine, please: one hears oneself otherwise.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from http.cookiejar import CookieJar
from math import exp, log, sqrt
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

import psutil
import scipy

from bakeoff.measure import machine
from bakeoff.model.base import Contract
from bakeoff.model.verdict import Verdict
from tests.judge_bench.planted import command, fetch

BAKEOFF = [sys.executable, "-m", "bakeoff"]
EVERY_S = 0.5
"""Between two readings of CPU times: of the last of a process so much is missed at most."""


class Watching(Contract):
    """CPU of the explorer and of its judge, as shares of a core, and how often the page changed."""

    explorer: float
    judge: float
    events: int


class Raced(Contract):
    """A race: requests per second, the geometric mean of both servers."""

    requests_per_s: float
    valid: bool
    watching: Watching | None = None


class Costs(Contract):
    """Watched over not watched, with a 95 % interval over `n` pairs of races; None: of one pair."""

    ratio: float
    low: float | None
    high: float | None
    n: int


def costs(pairs: Sequence[tuple[Raced, Raced]]) -> Costs:
    """What pairs, each watched and not, say together."""
    logs = [log(watched.requests_per_s / left.requests_per_s) for watched, left in pairs]
    n, middle = len(logs), fmean(logs)
    if n < 2:
        return Costs(ratio=exp(middle), low=None, high=None, n=n)
    half = float(scipy.special.stdtrit(n - 1, 0.975)) * stdev(logs) / sqrt(n)
    return Costs(ratio=exp(middle), low=exp(middle - half), high=exp(middle + half), n=n)


def race(folder: Path, duration_s: float, *, watch: bool) -> Raced:
    """One race in `folder`. Raises `SystemExit` where it gives no verdict."""
    said = folder / "verdict.json"
    said.unlink(missing_ok=True)
    words = ["race", command(), command(), "-d", f"{duration_s:g}", "--json", said.name]
    env = {**os.environ, "BAKEOFF_HISTORY": ""}
    with ExitStack() as ending:
        # Before the race: that the explorer begins is no part of what watching costs.
        explorer = ending.enter_context(_explorer(folder)) if watch else None
        process = ending.enter_context(
            subprocess.Popen(
                [*BAKEOFF, *words],
                cwd=folder,
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        try:
            watching = _watched(*explorer, process) if explorer else None
            _, trouble = process.communicate()
        except BaseException:
            process.terminate()
            raise
    if not said.exists():
        sys.exit(f"the race gave no verdict:\n{trouble}")
    verdict = Verdict.read_json(said)
    rates = [each.requests_per_s for each in verdict.entries if each.requests_per_s]
    mean = exp(fmean(map(log, rates)))
    return Raced(requests_per_s=mean, valid=verdict.valid, watching=watching)


def _watched(
    explorer: psutil.Process,
    opener: urllib.request.OpenerDirector,
    base: str,
    process: "subprocess.Popen[str]",
) -> Watching:
    """Follow the race that `process` measures until it is over."""
    name = _running(opener, base, process)
    events = [0]
    reader = threading.Thread(
        target=_follow, args=(opener, f"{base}/live/{name}", events), daemon=True
    )
    reader.start()
    began_s, before = time.monotonic(), _cpu_s(explorer)
    last = before
    while process.poll() is None:
        last = _cpu_s(explorer)
        time.sleep(EVERY_S)
    took_s = time.monotonic() - began_s
    reader.join(timeout=60)
    shares = {role: (last[role] - before[role]) / took_s for role in last}
    return Watching(explorer=shares["explorer"], judge=shares["judge"], events=events[0])


@contextmanager
def _explorer(folder: Path) -> Iterator[tuple[psutil.Process, urllib.request.OpenerDirector, str]]:
    """An explorer of the races in `folder`, who was let in, and its address."""
    env = {**os.environ, "BAKEOFF_HISTORY": ""}
    words = [*BAKEOFF, "explore", "runs"]
    with subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            link = server.stdout.readline().strip()
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
            opener.open(link).read()
            yield psutil.Process(server.pid), opener, link.partition("/?")[0]
        finally:
            server.terminate()


def _running(
    opener: urllib.request.OpenerDirector, base: str, process: "subprocess.Popen[str]"
) -> str:
    """The name of the race that goes on, once the explorer sees it."""
    while process.poll() is None:
        with opener.open(f"{base}/") as answer:
            page: str = answer.read().decode()
        _, found, rest = page.partition('href="/live/')
        if found:
            return rest.partition('"')[0]
        time.sleep(EVERY_S)
    sys.exit("the race was over before the explorer saw it")


def _follow(opener: urllib.request.OpenerDirector, page: str, events: list[int]) -> None:
    """Count what a browser would be told."""
    with suppress(OSError), opener.open(f"{page}/events") as stream:
        for line in stream:
            events[0] += line.startswith(b"event:")


def _cpu_s(explorer: psutil.Process) -> dict[str, float]:
    """CPU time so far, s, of the explorer and of the judge that it began."""
    own = explorer.cpu_times()
    judge = 0.0
    with suppress(psutil.Error):
        for child in explorer.children(recursive=True):
            times = child.cpu_times()
            judge += times.user + times.system
    return {"explorer": own.user + own.system, "judge": judge}


def record(pairs: Sequence[tuple[Raced, Raced]], duration_s: float) -> dict[str, Any]:
    watching = [watched.watching for watched, _ in pairs if watched.watching]
    return {
        "schema": "bakeoff.watching-bench/1",
        "machine": machine(engine="", bakeoff="").model_dump(mode="json"),
        "duration_s": duration_s,
        "watched_over_not": costs(pairs).model_dump(),
        "share_of_a_core": {
            role: median(getattr(each, role) for each in watching) for role in ("explorer", "judge")
        },
        "pairs": [
            {"watched": watched.model_dump(), "not": left.model_dump()} for watched, left in pairs
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="watching_bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--duration", type=float, default=30.0, help="of each race, s")
    parser.add_argument("--seed", type=int, default=1, help="of the order within each pair")
    parser.add_argument("--kept", type=Path, default=Path("build/watching-bench"))
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    fetch(given.kept)
    # The explorer is told of a folder, which the first race would make too late.
    (given.kept / "runs").mkdir(exist_ok=True)
    chance = random.Random(given.seed)
    race(given.kept, 2.0, watch=False)
    pairs: list[tuple[Raced, Raced]] = []
    for _ in range(given.rounds):
        done = {
            watch: race(given.kept, given.duration, watch=watch)
            for watch in chance.sample([True, False], 2)
        }
        pairs.append((done[True], done[False]))
        given.out.write_text(json.dumps(record(pairs, given.duration), indent=1) + "\n")
        told = costs(pairs)
        interval = f" ({told.low:.4f} to {told.high:.4f})" if told.low and told.high else ""
        print(f"watched over not: {told.ratio:.4f}{interval}, n = {told.n}", flush=True)


if __name__ == "__main__":
    main()
