"""How long a contender takes to take up a turn: `python -m tests.ramp_bench NAME… --out FILE`.

A real race whose short slices have, block by block, ramps of another length, drawn at random and
the same for all in a block. How much less a contender answers in the window behind a short ramp
than behind the longest is what its turn begins with: cold caches, a runtime that wakes up. What all
of a block have in common, the weather included, cancels only between contenders, so this takes the
trimmed mean over blocks for each by itself, and its error with it. Quiet machine, please.

After it, `plan.schedule.RAMP_MS_MIN` was chosen (METHODOLOGY.md, rotation).
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from math import log, sqrt
from pathlib import Path
from statistics import stdev
from tempfile import TemporaryDirectory

import numpy as np

import bakeoff
from bakeoff import load, runs
from bakeoff.judge.trimmed import trimmed_mean
from bakeoff.load import engine_version
from bakeoff.measure import machine
from bakeoff.model.base import Contract
from bakeoff.model.engine import SliceCommand, SliceEvent
from bakeoff.model.samples import Block, Record
from bakeoff.plan import Environment, RaceOptions, plan_race
from bakeoff.progress import suitable_watch
from bakeoff.runs.stages import LoadGenerators, Stages

RAMPS_MS = (2, 5, 10, 20, 40, 80)
WINDOW_MS = 20
NAMES = ("libuv-http-parser", "brick", "nginx", "go-nethttp", "node-http", "uvicorn", "gunicorn")


class Beginning(Contract):
    """Answers in the window behind a ramp over those behind the longest one, in ln.

    `error` is the standard error of that difference, and `n` the blocks with this ramp.
    """

    contender: str
    ramp_ms: int
    less: float
    error: float
    n: int


def ramp_ms(block: int) -> int:
    """The ramp of a block."""
    return random.Random(f"ramp/{block}").choice(RAMPS_MS)


class _Engine(load.Engine):
    """The real one, asked for other ramps."""

    def slice(self, command: SliceCommand) -> SliceEvent:
        # Warm-ups have no ramp, and long slices keep theirs.
        if command.ramp_ms and command.duration_ms < 100:
            asked = {"ramp_ms": ramp_ms(command.block), "duration_ms": WINDOW_MS}
            command = command.model_copy(update=asked)
        return super().slice(command)


class _Generators(LoadGenerators):
    connect = _Engine


def beginnings(records: Sequence[Record]) -> list[Beginning]:
    """What a race with such ramps says of each contender."""
    answered: Mapping[str, dict[int, list[float]]] = defaultdict(partial(defaultdict, list))
    for record in records:
        if isinstance(record, Block) and record.kind == "short":
            for each in record.slices:
                if each.event.requests:
                    answered[each.entry][ramp_ms(record.block)].append(log(each.event.requests))
    found = []
    for name, by_ramp in sorted(answered.items()):
        level, level_error = _mean(by_ramp[RAMPS_MS[-1]])
        for ramp in RAMPS_MS[:-1]:
            mean, error = _mean(by_ramp[ramp])
            less, n = mean - level, len(by_ramp[ramp])
            both = sqrt(error**2 + level_error**2)
            found.append(Beginning(contender=name, ramp_ms=ramp, less=less, error=both, n=n))
    return found


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Their trimmed mean, and its standard error as if they were independent."""
    return trimmed_mean(np.array(values)), stdev(values) / sqrt(len(values))


def main() -> None:
    """Races, and writes what was found."""
    parser = argparse.ArgumentParser(
        prog="ramp-bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=list(NAMES), metavar="NAME")
    parser.add_argument("--seconds", type=float, default=120.0, help="of measuring")
    parser.add_argument("--out", type=Path, required=True, help="write the record there, as JSON")
    chosen = parser.parse_args()
    options = RaceOptions(duration=chosen.seconds, boots=1, twin=False)
    with TemporaryDirectory() as folder, suitable_watch() as watch:
        plan = plan_race(chosen.names, options, Environment.here(chosen.names))
        run = runs.execute(plan, Path(folder), Stages(loads=_Generators()), watch)
        found = beginnings(run.records())
    facts = machine(engine=engine_version(), bakeoff=bakeoff.__version__)
    record = {
        "what": "what a turn begins with, by ramp: python -m tests.ramp_bench",
        "machine": facts.model_dump(),
        "window_ms": WINDOW_MS,
        "against_ms": RAMPS_MS[-1],
        "beginnings": [each.model_dump() for each in found],
    }
    chosen.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
