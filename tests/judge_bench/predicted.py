"""What a history predicts of recorded races of equals: `python -m tests.judge_bench.predicted`.

Each program's races (of tests.judge_bench.recorded) are dealt into two halves. From the spreads of
one half come conditions, as `bakeoff simulate --power` takes them from a history; under these as
many races of 20 s are simulated as the other half has, and the other way round. Prints for each
program, and for all, the median half-width simulated and recorded, their ratio, and how many
simulated intervals miss.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from itertools import repeat
from statistics import geometric_mean, median

from bakeoff.model.simulation import Conditions
from bakeoff.simulate import USUAL, Size
from bakeoff.simulate.conditions import conditions_of_spreads
from bakeoff.simulate.study import Outcome, race
from bakeoff.workers import pool
from tests.judge_bench.recorded import Judged, judged, races

SIZE = Size(effect=0.0, contenders=2, duration_s=20.0, boots=1)
SHORT_S = 0.02
"""A slice of these races."""


def conditions(past: Sequence[Judged]) -> Conditions:
    """Those of a history that has these races."""
    return conditions_of_spreads(
        [each.spread for each in past],
        source="recorded races of equals",
        requests_per_s=USUAL.requests_per_s,
        connections=USUAL.connections,
        answered=USUAL.requests_per_s * SHORT_S,
    )


def predicted(found: Sequence[Judged], workers: Executor) -> list[Outcome]:
    """As many races as were `found`, each half under the conditions of the other."""
    halves = found[::2], found[1::2]
    outcomes: list[Outcome] = []
    for own, other in (halves, halves[::-1]):
        seeds = range(len(outcomes), len(outcomes) + len(own))
        outcomes += workers.map(race, repeat(SIZE), repeat(conditions(other)), seeds)
    return outcomes


def main() -> None:
    found = [judged(each) for each in races()]
    ratios = []
    with pool() as workers:
        for program in sorted({each.program for each in found}):
            own = [each for each in found if each.program == program]
            outcomes = predicted(own, workers)
            simulated = median(each.half_width or 0.0 for each in outcomes)
            recorded = median(each.half_width for each in own)
            ratios.append(simulated / recorded)
            missed = sum(not each.covered for each in outcomes)
            print(
                f"{program}  n {len(own)}  simulated {simulated:.3%}  recorded {recorded:.3%}  "
                f"ratio {ratios[-1]:.2f}  missed {missed}"
            )
    print(f"all  n {len(found)}  geometric mean of ratios {geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
