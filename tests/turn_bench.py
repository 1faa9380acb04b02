"""How long a turn of the rotation should be: `python -m tests.turn_bench ramps|slices --out FILE`.

Real races whose short slices have, block by block, a ramp and a window of another length, drawn at
random and the same for all in a block. Quiet machine, please.

  ramps   all NAMEs in one race, the same window behind ramps of several lengths. How much less a
          contender answers behind a short ramp than behind the longest is what its turn begins
          with: cold caches, a runtime that wakes up. What all of a block have in common, the
          weather included, cancels only between contenders, so this takes the trimmed mean over
          blocks for each by itself, and its error with it. `plan.schedule.RAMP_MS_MIN` is from it.
  slices  each NAME against itself, windows of several lengths behind the usual ramp. How far the
          ratio of one second of measuring is off by chance, in windows of that length, without and
          with the ramp that each window costs. `model.plan.SLICE_MS_MIN` is from it.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import log, sqrt
from pathlib import Path
from statistics import stdev
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

import bakeoff
from bakeoff import load, runs
from bakeoff.installation import engine_version
from bakeoff.judge.spread import degrees_of_freedom, trimmed_groups, trimmed_mean
from bakeoff.measure import machine
from bakeoff.model.base import Contract
from bakeoff.model.engine import SliceCommand, SliceEvent
from bakeoff.model.samples import Block, Record
from bakeoff.plan import Environment, RaceOptions, plan_race
from bakeoff.plan.schedule import RAMP_MS_MIN
from bakeoff.progress import suitable_watch
from bakeoff.runs.stages import LoadGenerators, Stages


class Turn(NamedTuple):
    """A ramp, and the window behind it."""

    ramp_ms: int
    window_ms: int


TURNS = {
    "ramps": [Turn(ramp_ms, 20) for ramp_ms in (2, 5, 10, 20, 40, 80)],
    "slices": [Turn(RAMP_MS_MIN, window_ms) for window_ms in (10, 20, 40, 80)],
}
NAMES = {
    "ramps": [
        "libuv-http-parser",
        "brick",
        "nginx",
        "go-nethttp",
        "node-http",
        "uvicorn",
        "gunicorn",
    ],
    "slices": ["libuv-http-parser", "brick", "go-nethttp", "node-http"],
}
SECONDS = 120.0
SURE = 0.95


class Beginning(Contract):
    """Answers in the window behind a ramp over those behind the longest one, in ln.

    `error` is the standard error of that difference, and `n` the blocks with this ramp.
    """

    contender: str
    ramp_ms: int
    less: float
    error: float
    n: int


class Worth(Contract):
    """The sd of a contender's ratio to itself after a second in windows of one length, in ln.

    Of measured time alone (`sd`, with its interval), and of a second with the ramps in it
    (`sd_with_ramps`); from `n` blocks.
    """

    contender: str
    window_ms: int
    sd: float
    low: float
    high: float
    sd_with_ramps: float
    n: int


def turn(turns: Sequence[Turn], block: int) -> Turn:
    return random.Random(f"turn/{block}").choice(turns)


def loads(turns: Sequence[Turn]) -> LoadGenerators:
    """The real engine, asked for other turns."""

    class Engine(load.Engine):
        def slice(self, command: SliceCommand) -> SliceEvent:
            # Warm-ups have no ramp, and long slices keep theirs.
            if command.ramp_ms and command.duration_ms < 200:
                ramp_ms, window_ms = turn(turns, command.block)
                asked = {"ramp_ms": ramp_ms, "duration_ms": window_ms}
                command = command.model_copy(update=asked)
            return super().slice(command)

    class Generators(LoadGenerators):
        connect = Engine

    return Generators()


def raced(names: Sequence[str], question: str, seconds: float) -> Sequence[Record]:
    options = RaceOptions(duration=seconds, boots=1, twin=False)
    with TemporaryDirectory() as folder, suitable_watch() as watch:
        plan = plan_race(names, options, Environment.here(names))
        stages = Stages(loads=loads(TURNS[question]))
        return runs.execute(plan, Path(folder), stages, watch).records()


def short(records: Sequence[Record]) -> Iterator[Block]:
    """Blocks of short slices, all of them with answers."""
    for record in records:
        if (
            isinstance(record, Block)
            and record.kind == "short"
            and all(each.event.requests for each in record.slices)
        ):
            yield record


def beginnings(records: Sequence[Record]) -> list[Beginning]:
    """What a race with several ramps says of each contender."""
    turns = TURNS["ramps"]
    answered: Mapping[str, dict[int, list[float]]] = defaultdict(partial(defaultdict, list))
    for block in short(records):
        for each in block.slices:
            rate = log(each.event.requests)
            answered[each.entry][turn(turns, block.block).ramp_ms].append(rate)
    found = []
    for name, by_ramp in sorted(answered.items()):
        level, level_error = _mean(by_ramp[turns[-1].ramp_ms])
        for ramp_ms, _ in turns[:-1]:
            mean, error = _mean(by_ramp[ramp_ms])
            less, n = mean - level, len(by_ramp[ramp_ms])
            both = sqrt(error**2 + level_error**2)
            found.append(Beginning(contender=name, ramp_ms=ramp_ms, less=less, error=both, n=n))
    return found


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Their trimmed mean, and its standard error as if they were independent."""
    return trimmed_mean(np.array(values)), stdev(values) / sqrt(len(values))


def worths(name: str, records: Sequence[Record]) -> list[Worth]:
    """What a race of a contender against itself says of windows.

    Ratios are held against those of the same draw: another draw's processes are others.
    """
    by_draw: Mapping[int, list[tuple[int, float]]] = defaultdict(list)
    for block in short(records):
        if len(block.slices) == 2:
            one, other = sorted(block.slices, key=lambda each: each.entry)
            ratio = log(one.event.requests_per_s / other.event.requests_per_s)
            window_ms = turn(TURNS["slices"], block.block).window_ms
            by_draw[block.draw].append((window_ms, ratio))
    by_window: Mapping[int, list[float]] = defaultdict(list)
    for ratios in by_draw.values():
        level = trimmed_mean(np.array([ratio for _, ratio in ratios]))
        for window_ms, ratio in ratios:
            by_window[window_ms].append(ratio - level)
    found = []
    for ramp_ms, window_ms in TURNS["slices"]:
        values = np.array(by_window[window_ms])
        n, df = len(values), degrees_of_freedom(len(values))
        _, squares = trimmed_groups(values, np.zeros(n, np.int64))
        of_block = sqrt(float(squares[0]) / (n - 1))
        sd = of_block * sqrt(2 * window_ms / 1000)
        low, high = (sqrt(df / chi2.ppf((1 + sign * SURE) / 2, df)) for sign in (1, -1))
        found.append(
            Worth(
                contender=name,
                window_ms=window_ms,
                sd=sd,
                low=sd * low,
                high=sd * high,
                sd_with_ramps=of_block * sqrt(2 * (window_ms + ramp_ms) / 1000),
                n=n,
            )
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="turn-bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("question", choices=TURNS)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each race (120)")
    parser.add_argument("--out", type=Path, required=True, help="write the record there, as JSON")
    chosen = parser.parse_args()
    question, names = chosen.question, chosen.names or NAMES[chosen.question]
    found: list[Beginning] | list[Worth]
    if question == "ramps":
        found = beginnings(raced(names, question, chosen.seconds))
    else:
        found = [
            worth
            for name in names
            for worth in worths(name, raced([name, name], question, chosen.seconds))
        ]
    facts = machine(engine=engine_version(), bakeoff=bakeoff.__version__)
    record = {
        "what": f"how long turns should be: python -m tests.turn_bench {question}",
        "machine": facts.model_dump(),
        "turns": [each._asdict() for each in TURNS[question]],
        question: [each.model_dump() for each in found],
    }
    chosen.out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
