"""Many simulated races of one size, judged as real ones are; and the size that is enough."""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

import numpy as np

from bakeoff.judge import judge
from bakeoff.judge.quantiles import beta_quantile
from bakeoff.model.samples import Block
from bakeoff.model.simulation import Conditions, Middle, Rate, Rates
from bakeoff.simulate.race import MACHINE, PLANTED, REFERENCE, Size, plan_of, records_of
from bakeoff.workers import pool

EFFECTS = (0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)
DURATIONS_S = (5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 300.0)


@dataclass(frozen=True)
class Outcome:
    """The judge's findings of one race. `half_width` is the planted pair's, in ln; None: the race
    was too short for a ratio."""

    detected: bool
    wrong: bool
    covered: bool
    half_width: float | None
    lasted_s: float


def race(size: Size, conditions: Conditions, seed: int) -> Outcome:
    plan = plan_of(size, conditions, seed)
    records = records_of(plan, size, conditions)
    verdict = judge(plan, {}, records, MACHINE, complete=True)
    lasted_s = max(record.at_ns for record in records if isinstance(record, Block)) / 1e9
    signs = {"faster": 1, "slower": -1}
    truths = [size.ln_ratio(pair.a, pair.b) for pair in verdict.pairs]
    intervals = [pair.ratio.ends for pair in verdict.pairs]
    found = [signs.get(pair.finding, 0) for pair in verdict.pairs]
    planted = verdict.pair(PLANTED, REFERENCE)
    right = "faster" if size.effect > 0 else "slower"
    return Outcome(
        detected=planted is not None and size.effect != 0 and planted.finding == right,
        wrong=any(
            sign and sign != np.sign(truth) for sign, truth in zip(found, truths, strict=True)
        ),
        covered=all(
            low <= math.exp(truth) <= high
            for (low, high), truth in zip(intervals, truths, strict=True)
        ),
        half_width=(
            math.log(planted.ratio.high / planted.ratio.low) / 2
            if planted and planted.ratio.low and planted.ratio.high
            else None
        ),
        lasted_s=lasted_s,
    )


def rate(count: int, n: int) -> Rate:
    low = beta_quantile(count, n - count + 1, 0.025) if count else 0.0
    high = beta_quantile(count + 1, n - count, 0.975) if count < n else 1.0
    return Rate(count=count, n=n, share=count / n, low=low, high=high)


class Study:
    """Races on all processors, in processes that end with this one."""

    def __init__(self, workers: ProcessPoolExecutor, seed: int) -> None:
        self._workers, self._seed = workers, seed

    def rates(
        self,
        size: Size,
        conditions: Conditions,
        races: int,
        done: Callable[[], object] = lambda: None,
    ) -> Rates:
        """Race `races` times; `done` is called after each. Race k always has the same seed, so
        sizes are compared with the same weather."""
        seeds = map(int, np.random.SeedSequence(self._seed).generate_state(races))
        tasks = [self._workers.submit(race, size, conditions, seed) for seed in seeds]
        for task in as_completed(tasks):
            task.result()
            done()
        return summed_up(size, [task.result() for task in tasks])


@contextmanager
def study(seed: int) -> Iterator[Study]:
    """A study with a process for each processor that we may use."""
    with pool() as workers:
        yield Study(workers, seed)


def summed_up(size: Size, outcomes: Sequence[Outcome]) -> Rates:
    n = len(outcomes)
    widths = [race.half_width for race in outcomes if race.half_width is not None]
    return Rates(
        effect=size.effect,
        duration_s=size.duration_s,
        boots=size.boots,
        races=n,
        power=rate(sum(race.detected for race in outcomes), n) if size.effect else None,
        false_positives=rate(sum(race.wrong for race in outcomes), n),
        coverage=rate(sum(race.covered for race in outcomes), n),
        half_width=_middle(widths) if widths else None,
        lasts_s=median(race.lasted_s for race in outcomes),
    )


def search(
    sizes: Sequence[Size], power: float, rates: Callable[[Size], Rates]
) -> tuple[tuple[Rates, ...], Rates | None]:
    """All tried sizes, and the first with enough `power`; None: none has it.

    `sizes` are in the order of their power, and are bisected. Rates are estimates: near the limit
    chance decides between two neighbours.
    """
    tried: list[Rates] = []
    best: Rates | None = None
    low, high = 0, len(sizes)
    while low < high:
        middle = (low + high) // 2
        estimate = rates(sizes[middle])
        tried.append(estimate)
        assert estimate.power
        if estimate.power.share < power:
            low = middle + 1
        else:
            high, best = middle, estimate
    return tuple(tried), best


def _middle(half_widths: Sequence[float]) -> Middle:
    low, middle, high = np.expm1(np.quantile(half_widths, (0.1, 0.5, 0.9)))
    return Middle(median=middle, low=low, high=high)
