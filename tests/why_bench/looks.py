"""Looks for causes, the truth that they are held against, and runs that are judged again."""

import json
import os
import random
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory

from bakeoff.installation import engine_path
from bakeoff.judge.quantiles import t_quantile
from bakeoff.model.errors import NoVerdict
from bakeoff.model.plan import Plan
from bakeoff.model.why import Why
from bakeoff.plan import Environment, RaceOptions, explaining, plan_race
from bakeoff.runs import execute
from bakeoff.runs.stages import Servers, Stages
from tests.brick.conftest import running
from tests.why_bench.causes import Planted
from tests.why_bench.counting import Truth

SIDES = ("left", "right")
LOOKS = 3
"""Further pairs of processes, of which the middle one is the truth: others may have the machine
while one of them is measured."""
CLOCKED, CLOCKED_S = 4, 0.5
"""Processes that time themselves, and how long each is loaded."""


class _Quiet:
    live = False

    def __getattr__(self, _name: str) -> object:
        return lambda *_, **__: None


def look(
    words: Sequence[str],
    parent: Path,
    options: Mapping[str, object],
    stages: Stages | None = None,
) -> tuple[Why, Path]:
    """A look for causes of the first of `words`' contenders against the second, and its folder."""
    chosen = {"twin": False, "seed": random.randrange(10**6), "probes": False, **options}
    environment = Environment.here(("bakeoff", "why", *words))
    plan = plan_race(words, RaceOptions.model_validate(chosen), environment)
    assert isinstance(plan, Plan)
    run = execute(explaining(plan), parent, stages or Stages(), _Quiet())  # type: ignore[arg-type]
    return run.result, run.path


def truth(planted: Planted, commands: Mapping[str, str], side: str, rate: float) -> Truth:
    """What the cause costs a request at that rate, measured apart from the look."""
    with TemporaryDirectory() as folder:
        if planted.is_clocked:
            return _by_its_clock(planted, rate, Path(folder))
        return _by_the_whole(commands, side, rate, Path(folder))


def _by_its_clock(planted: Planted, rate: float, folder: Path) -> Truth:
    clock, log = folder / "clock.json", folder / "log"
    cores = Environment.here(()).cores_for(None)
    found_us = []
    for _ in range(CLOCKED):
        with running(
            [*planted.clocked(log, clock)], lambda: os.sched_setaffinity(0, cores.server)
        ) as server:
            client = ",".join(map(str, cores.client))
            load = [
                str(engine_path()),
                "load",
                f"http://127.0.0.1:{server.port}/",
                "--cpus",
                client,
            ]
            how = ["-R", f"{rate:.0f}", "--arrivals", "poisson", "-d", f"{CLOCKED_S}s"]
            subprocess.run([*load, *how], check=True, capture_output=True)
        found_us.append(json.loads(clock.read_text())["ns_per_request"] / 1000)
        log.unlink(missing_ok=True)
    error = stdev(found_us) / CLOCKED**0.5
    return Truth(us=fmean(found_us), half_us=t_quantile(CLOCKED - 1, 0.975) * error)


def _by_the_whole(commands: Mapping[str, str], side: str, rate: float, folder: Path) -> Truth:
    servers = Servers()
    servers.profiler = None
    other = next(each for each in SIDES if each != side)
    words = [f"{name}={commands[name]}" for name in SIDES]
    looks = [
        look(words, folder, {"reference": other, "rate": rate}, Stages(servers))[0]
        for _ in range(LOOKS)
    ]
    cpu = sorted((pair.cpu for result in looks for pair in result.pairs), key=lambda cpu: cpu.more)
    if len(cpu) < LOOKS:
        raise NoVerdict("; ".join(result.given_up for result in looks))
    middle = cpu[LOOKS // 2]
    return Truth(us=middle.more, half_us=(middle.high - middle.low) / 2)
