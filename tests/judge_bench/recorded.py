"""Today's estimate of recorded races of equals: `python -m tests.judge_bench.recorded`.

Their truth is a ratio of 1. Prints, for each program and for all, the root mean square of ln ratio,
the median half-width of its 95 % interval, and how many intervals miss; --out keeps each race. A
second row has those of the estimate that pools all blocks, as a check. Then in how many pauses are
found where there are none, and where some of one copy's slices, drawn by chance, are slowed.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from bakeoff.judge.compare import MIN_BLOCKS, family, width
from bakeoff.judge.paired import Paired
from bakeoff.judge.pauses import Lost, Speeds
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.spread import (
    TRIM,
    Floats,
    Indices,
    degrees_of_freedom,
    estimate,
    exactness,
    trimmed_mean,
)
from bakeoff.model.ratio import Spread

RECORDS = Path(__file__).parents[2] / "records"
FILES = ("2026-11-24T14-11-blocks-of-equals.json", "2026-11-24T18-40-blocks-of-equals.json")
COLD = "vertx"
"""Its draws began cold in most of these races."""
POOLED = "pooled_"


@dataclass(frozen=True)
class Judged:
    """A race of equals: ln ratio, the half-width of its interval, what it varies by, and the first
    two by all blocks pooled."""

    at: str
    program: str
    ln_ratio: float
    half_width: float
    spread: Spread
    pooled: tuple[float, float]


def races() -> Iterator[dict[str, Any]]:
    """Those of all files, in the order of the files."""
    for name in FILES:
        record = json.loads((RECORDS / name).read_text())
        for part in record.values():
            if isinstance(part, list):
                yield from (race for race in part if race["program"] != COLD)


def blocks(race: dict[str, Any]) -> tuple[Floats, Indices, Indices]:
    """The ln ratio of each block of a recorded race, and the numbers of its draw and process."""
    draw, process, values = [], [], []
    numbers: dict[tuple[int, ...], int] = {}
    for each in race["draws"]:
        of_both = tuple(each.get("processes") or (each["process"],))
        for value in each["ln_ratio"]:
            values.append(value)
            draw.append(each["draw"])
            process.append(numbers.setdefault(of_both, len(numbers)))
    return np.array(values), np.array(draw), np.array(process)


def judged(race: dict[str, Any]) -> Judged:
    """A recorded race, judged by today's estimate, and by the pooled one."""
    values, draw, process = blocks(race)
    found = estimate(values, np.zeros(len(values), np.int64), draw, process)
    return Judged(
        at=race["at"],
        program=race["program"],
        ln_ratio=found.centre,
        half_width=width(found, 1).alone,
        spread=found.spread,
        pooled=pooled(race),
    )


def pooled(race: dict[str, Any]) -> tuple[float, float]:
    """ln ratio and half-width by one trimmed mean of all blocks of a recorded race, the widest of
    the errors by blocks, clusters of draws and of processes counting."""
    values, draw, process = blocks(race)
    n, cut = len(values), int(TRIM * len(values))
    ordered = np.sort(values)
    winsorised = np.clip(values, ordered[cut], ordered[n - 1 - cut])
    pulls = (winsorised - winsorised.mean()) / (1 - 2 * cut / n) / n
    freedom = degrees_of_freedom(n)
    error = sqrt(exactness(n) * n / (n - 1) * float((pulls**2).sum()))
    widths = [t_quantile(freedom, 0.975) * error]
    for cluster in (draw, process):
        sums = np.bincount(np.unique(cluster, return_inverse=True)[1], pulls)
        if (count := len(sums)) > 1:
            error = sqrt(count / (count - 1) * float((sums**2).sum()))
            widths.append(t_quantile(count - 1, 0.975) * error)
    return trimmed_mean(values), max(widths)


def lost(race: dict[str, Any], share: float = 0, speed: float = 1) -> list[Lost]:
    """What pauses took from each copy, where a share of the first one's slices have that speed.

    Each copy is given half of a block's ln ratio, since nothing else is on record.
    """
    rng = np.random.default_rng(7)
    blocks, draws, processes, mean, below = [], [], [], [], []
    for number, each in enumerate(race["draws"]):
        half = np.array(each["ln_ratio"]) / 2
        slowed = np.log(speed) * (rng.random(len(half)) < share)
        of_both = np.stack([half + slowed, -half], axis=1)
        blocks.append(of_both)
        draws += [number] * len(half)
        processes += [each.get("processes") or [each["process"]] * 2] * len(half)
        mean.append(np.log(np.exp(of_both).mean(axis=0)))
        below.append([trimmed_mean(ln_y) for ln_y in of_both.T] - mean[-1])
    draw, process, boot = np.array(draws), np.array(processes), np.zeros(len(draws), np.int64)
    first = np.unique(draw, return_index=True)[1]
    names = ("first", "second")
    typical = Paired(names, boot, draw, process, np.concatenate(blocks))
    means = Paired(names, boot[first], draw[first], process[first], np.array(mean))
    return list(Speeds(means, np.array(below)).lost(family(typical, MIN_BLOCKS)).values())


def summary(found: list[Judged]) -> dict[str, float]:
    """Error and half-width in %, and the misses."""
    return {
        "n": len(found),
        **_scores([(each.ln_ratio, each.half_width) for each in found]),
        **{f"{POOLED}{key}": value for key, value in _scores([e.pooled for e in found]).items()},
    }


def _scores(found: list[tuple[float, float]]) -> dict[str, float]:
    return {
        "error": 100 * sqrt(fmean(ln_ratio**2 for ln_ratio, _ in found)),
        "half_width": 100 * median(half_width for _, half_width in found),
        "missed": sum(abs(ln_ratio) > half_width for ln_ratio, half_width in found),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep all races in this file")
    chosen = parser.parse_args()
    found = [judged(race) for race in races()]
    programs = sorted({each.program for each in found})
    table = {
        name: summary([each for each in found if name in ("all", each.program)])
        for name in ("all", *programs)
    }
    for name, row in table.items():
        own = {key: value for key, value in row.items() if not key.startswith(POOLED)}
        check = {key: value for key, value in row.items() if key.startswith(POOLED)}
        print(name, *(f"{key} {value:.3g}" for key, value in own.items()), sep="  ")
        print("", *(f"{key} {value:.3g}" for key, value in check.items()), sep="  ")
    for share, speed in ((0, 1), *product((0.1, 0.2, 0.3), (0.7, 0.5))):
        seen = [lost(race, share, speed) for race in races()]
        found_in = sum(any(each.own for each in both) for both in seen)
        print(f"a speed of {speed} in {share:.0%}:  lost {share * (1 - speed):.1%}", end="  ")
        print(f"median share {median(first.share for first, _ in seen):.1%}", end="  ")
        print(f"found in {found_in} of {len(seen)}")
    if chosen.out:
        what = "recorded races of equals, judged anew: python -m tests.judge_bench.recorded"
        races_ = [{**vars(each), "spread": each.spread.model_dump()} for each in found]
        kept = {"what": what, "files": FILES, "summary": table, "races": races_}
        chosen.out.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
