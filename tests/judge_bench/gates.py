"""How often gates of `bakeoff ci` are decided, and wrongly: `python -m tests.judge_bench.gates`.

Prints the table of docs/EVIDENCE.md, two revisions. A race is numbers alone
(tests/judge/levels.py), once for throughput and once for server CPU, whose noise is its own: of
both figures, one may err alone. It is judged after each draw from the fifth to the last, and ends
where its gate fails by one figure or holds by both. 1,000 races of each kind take ten minutes.
"""

import argparse
from dataclasses import dataclass
from math import exp, isfinite

import numpy as np

from bakeoff.judge.compare import width
from bakeoff.judge.gate import DECIDED_DRAWS, weighed
from bakeoff.judge.spread import estimate
from bakeoff.model.gate import Gate, Outcome
from bakeoff.model.ratio import Ratio
from bakeoff.plan import race_gate
from tests.judge_bench.anytime import SEED, WORLDS, Table, row, simulated

GATES = tuple(race_gate(text, ("base", "head")) for text in ("head >= base", "head >= 0.98 * base"))
SLOWER = 0.95


@dataclass(frozen=True)
class Interval:
    """Of ln ratio, at any time, and one of two that hold at once."""

    centre: float
    half_width: float

    @classmethod
    def of(cls, table: Table) -> "Interval":
        """Over all draws of `table`."""
        boot = np.zeros(len(table.values), np.int64)
        found = estimate(table.values, boot, table.draw, table.process)
        return cls(found.centre, width(found, together=2, any_time=True).simultaneous)

    def outcome(self, gate: Gate, ratio: float) -> Outcome:
        """The gate's, where head does `ratio` of what it did."""
        if not isfinite(self.half_width):
            return "can't tell"
        middle, times = ratio * exp(self.centre), exp(self.half_width)
        measured = Ratio(ratio=middle, low=middle / times, high=middle * times, n=1)
        return weighed(gate, "pass", measured).outcome


def looks(table: Table) -> list[Interval]:
    """After each draw from the fifth on."""
    ends = range(DECIDED_DRAWS, int(table.draw.max()) + 2)
    return [Interval.of(table.first(draws)) for draws in ends]


def ended(race: list[tuple[Interval, ...]], gate: Gate, ratio: float) -> tuple[int, Outcome] | None:
    """After how many draws a gate by several figures is decided, and how; None: it never is."""
    for draws, figures in enumerate(race, DECIDED_DRAWS):
        outcomes = {each.outcome(gate, ratio) for each in figures}
        if "fails" in outcomes:
            return draws, "fails"
        if outcomes == {"holds"}:
            return draws, "holds"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="gates", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--races", type=int, default=1000, help="of each kind (1000)")
    chosen = parser.parse_args()
    rng = np.random.default_rng(SEED)
    print("| simulated | gate | fails | draws: median, 95 % | holds | draws |")
    print("|---|---|---|---|---|---|")
    for name, world in WORLDS.items():
        races = []
        for _ in range(chosen.races):
            figures = (looks(simulated(world, rng)) for _ in range(2))
            races.append(list(zip(*figures, strict=True)))
        for ratio, gate in ((1.0, GATES[0]), (1.0, GATES[1]), (SLOWER, GATES[1])):
            ends = [ended(race, gate, ratio) for race in races]
            fails, holds = (
                row([end[0] if end and end[1] == outcome else None for end in ends])
                for outcome in ("fails", "holds")
            )
            builds = "equals" if ratio == 1 else f"{1 - ratio:.0%} slower".replace("%", " %")
            print(f"| {name}: {builds} | {gate.factor:g} | {fails} | {holds} |", flush=True)


if __name__ == "__main__":
    main()
