"""Races that are numbers alone: spreads on each level, heavy tails, weather, start order."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.signal import lfilter

from bakeoff.judge.compare import family
from bakeoff.judge.paired import Paired
from bakeoff.judge.spread import Floats


@dataclass(frozen=True)
class Drawn:
    """What races are drawn from. Spreads are standard deviations of ln throughput of one entry.

    `instances` None: each draw has new processes, but for each `again`-th, which has the first
    ones (0: none has). `noisier`: how many times as large all spreads of
    the last entry are. `start_order`: by how much who was started last is ahead. `neighbour`: the
    share of slices that a neighbour on the core slows, by 5 to 35 %.
    """

    entries: int = 2
    boots: int = 1
    draws: int = 20
    blocks: int = 20
    instances: int | None = None
    again: int = 0
    block: float = 0.02
    connections: float = 0.0
    process: float = 0.0
    boot: float = 0.0
    weather: float = 0.05
    noisier: float = 1.0
    start_order: float = 0.001
    neighbour: float = 0.0

    def race(self, rng: np.random.Generator) -> Paired:
        draws, blocks, entries = self.boots * self.draws, self.blocks, self.entries
        n = draws * blocks
        boot = np.repeat(np.arange(self.boots), self.draws)
        number = np.tile(np.arange(self.draws), self.boots)
        process = number if self.instances is None else number % self.instances
        if self.again:
            process = np.where(number % self.again, process, 0)
        _, unit = np.unique(np.stack([boot, process], axis=1), axis=0, return_inverse=True)
        unit = unit.ravel()
        scale = np.ones(entries)
        scale[-1] = self.noisier
        units = int(unit.max()) + 1
        order = rng.permuted(np.tile(np.arange(entries), (units, 1)), axis=1)
        shift = (
            rng.normal(0, self.connections, (draws, entries))
            + rng.normal(0, self.process, (units, entries))[unit]
            + rng.normal(0, self.boot, (self.boots, entries))[boot]
            + (order / max(1, entries - 1) * self.start_order)[unit]
        )
        tails = rng.standard_t(4, (n, entries)) * self.block / np.sqrt(2)
        ln_y = (np.repeat(shift, blocks, axis=0) + tails) * scale + self._weather(rng, n)
        if self.neighbour:
            ln_y -= (rng.random(ln_y.shape) < self.neighbour) * rng.uniform(0.05, 0.35, ln_y.shape)
        processes = np.repeat(process, blocks)[:, None].repeat(entries, axis=1)
        names = tuple(chr(ord("a") + place) for place in range(entries))
        return Paired(names, np.repeat(boot, blocks), np.repeat(number, blocks), processes, ln_y)

    def _weather(self, rng: np.random.Generator, blocks: int) -> Floats:
        """The machine's speed: AR(1) from slice to slice, met in random order."""
        steps = rng.normal(0, self.weather * np.sqrt(1 - 0.95**2), blocks * self.entries)
        speed: Floats = lfilter([1], [1, -0.95], steps).reshape(blocks, self.entries)
        return rng.permuted(speed, axis=1)


@dataclass(frozen=True)
class Tried:
    """How many of `races` had an interval that missed, and the median half-widths in ln ratio."""

    races: int
    missed: int
    alone: float
    simultaneous: float
    error_sd: float


def tried(drawn: Drawn, races: int, seed: int) -> Tried:
    """Race equals `races` times; all pairs' truth is 0."""
    rng = np.random.default_rng(seed)
    missed, alone, simultaneous, errors = 0, [], [], []
    for _ in range(races):
        compared = family(drawn.race(rng), 10)
        missed += any(abs(c.estimate.centre) > c.width.simultaneous for c in compared.values())
        first = compared[frozenset("ab")]
        alone.append(first.width.alone)
        simultaneous.append(first.width.simultaneous)
        errors.append(first.estimate.centre)
    assert len(compared) == len(list(combinations(range(drawn.entries), 2)))
    return Tried(
        races,
        missed,
        float(np.median(alone)),
        float(np.median(simultaneous)),
        float(np.sqrt(np.mean(np.square(errors)))),
    )
