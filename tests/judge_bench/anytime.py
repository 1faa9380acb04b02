"""How often races that end as soon as they are decided err: `python -m tests.judge_bench.anytime`.

Prints the tables of docs/EVIDENCE.md, races that end early. A race is judged after each draw from
the fifth to the last, and ends where its interval leaves out 1; of equals each such end is an
error. First the recorded races of equals, in the order in which they were measured and with their
draws in random orders, and with a difference added; then races that are numbers alone
(tests/judge/levels.py). Five minutes.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from bakeoff.judge.compare import width
from bakeoff.judge.gate import DECIDED_DRAWS
from bakeoff.judge.spread import Floats, Indices, estimate
from tests.judge.levels import Drawn
from tests.judge_bench.coverage import shared
from tests.judge_bench.recorded import blocks, races

SEED = 1
DIFFERENCES = (0.0, 0.01, 0.02, 0.05, 0.1)
LEAST_DRAWS = 22
"""Of a recorded race to which a difference is added."""
_LONG: dict[str, Any] = {"draws": 32, "blocks": 12}
WORLDS = {
    name: Drawn(**{**_LONG, **given})
    for name, given in {
        "new processes in each draw, sd 0": {},
        "the same, 0.3 %": shared(0.003),
        "1 %": shared(0.01),
        "2 %": shared(0.02),
        "1 %, a neighbour slows 30 % of slices": {**shared(0.01), "neighbour": 0.3},
        "processes 1 %, each fifth draw with the first": {"again": 5, "process": 0.01},
        **{
            f"{instances} processes in turns, 1 %, connections 0.3 %": {
                "instances": instances,
                "process": 0.01,
                "connections": 0.003,
            }
            for instances in (2, 4, 6, 8)
        },
    }.items()
}


@dataclass(frozen=True)
class Table:
    """The log-ratios of a race's blocks, with the draw and the process of each; shape (blocks,)."""

    values: Floats
    draw: Indices
    process: Indices

    def first(self, draws: int) -> "Table":
        there = self.draw < draws
        return Table(self.values[there], self.draw[there], self.process[there])

    def shuffled(self, rng: np.random.Generator) -> "Table":
        """Its draws in another order."""
        place = rng.permutation(int(self.draw.max()) + 1)
        order = np.argsort(place[self.draw], kind="stable")
        return Table(self.values[order], place[self.draw][order], self.process[order])


def recorded() -> Iterator[Table]:
    for race in races():
        values, draw, process = blocks(race)
        _, number = np.unique(draw, return_inverse=True)
        yield Table(values, number, process)


def simulated(world: Drawn, rng: np.random.Generator) -> Table:
    """A race of two equals."""
    race = world.race(rng)
    _, process = np.unique(race.process[:, 0], return_inverse=True)
    return Table(race.log_ratio("a", "b"), race.draw, process)


def ended_after(table: Table, difference: float = 0.0) -> int | None:
    """After how many draws 1 is first outside of the interval, with a difference added; None: it
    never is."""
    for draws in range(DECIDED_DRAWS, int(table.draw.max()) + 2):
        so_far = table.first(draws)
        boot = np.zeros(len(so_far.values), np.int64)
        found = estimate(so_far.values + log(1 + difference), boot, so_far.draw, so_far.process)
        if abs(found.centre) > width(found, 1, any_time=True).simultaneous:
            return draws
    return None


def row(ends: list[int | None]) -> str:
    """How many races ended, and after how many draws."""
    found = [end for end in ends if end]
    said = f"{len(found)} of {len(ends)} ({len(found) / len(ends):.1%})".replace("%", " %")
    middle, late = np.percentile(found, (50, 95)) if found else (np.nan, np.nan)
    return f"{said} | {middle:.0f}, {late:.0f}" if found else f"{said} | –"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="anytime", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--races", type=int, default=500, help="of each simulated kind (500)")
    parser.add_argument("--orders", type=int, default=10, help="of each recorded race (10)")
    chosen = parser.parse_args()
    rng = np.random.default_rng(SEED)
    tables = list(recorded())
    print("| recorded races of equals | decided | draws: median, 95 % |\n|---|---|---|")
    print("| as measured |", row([ended_after(each) for each in tables]), "|")
    shuffled = [each.shuffled(rng) for each in tables for _ in range(chosen.orders)]
    print("| draws in random orders |", row([ended_after(each) for each in shuffled]), "|")
    long = [each for each in tables if each.draw.max() + 1 >= LEAST_DRAWS]
    for difference in DIFFERENCES:
        found = row([ended_after(each, difference) for each in long])
        print(f"| {LEAST_DRAWS} draws or more, {difference:.0%} added | {found} |", flush=True)
    print("\n| simulated | decided | draws: median, 95 % |\n|---|---|---|")
    for name, world in WORLDS.items():
        ends = [ended_after(simulated(world, rng)) for _ in range(chosen.races)]
        print(f"| {name} | {row(ends)} |", flush=True)


if __name__ == "__main__":
    main()
