"""How far capacities may be from the truth: blocks resampled within boots, curves fitted anew.

Blocks are drawn jointly for all contenders, so that the weather which they shared stays shared, and
each replicate's slices get a new isotonic fit. √(n/χ²_ν), with the n slices within three rungs of
the capacity, B boots and ν = n−B, gives few slices their wider tails. Two things cannot be
resampled and are drawn beside it: the boots' own part, from the spread τ of the boots' separate
crossings under the prior of `boot_spread`; and where within a rung the curve bends, uniformly over
what the straight line may be wrong by.

What this does not cover: programs that differ from boot to boot by more than 2 or 3 boots show;
disturbances that last longer than a block; and what short slices do not see. Against the theory
of M/M/1 (p99 ≤ 10 ms, speeds of 5,000 and 20,000 requests/s) the capacity comes out 3 to 5 % high
with slices of 0.3 s and 2 % high with 1 s, since the rare long queue is in few of them. Ratios of
like servers do not suffer from it; those of unlike ones may by some 3 %.

M/M/1 servers of equal speed (10,000 requests/s, weather of 3 % from block to block, own noise of
1.5 %; 3 boots, 3 rounds each, 100 runs): how often they were wrongly told apart, how often a
capacity's interval missed the runs' mean, in %, and median half-widths in %:

    spread between boots    told apart    missed    ratio ±    capacity ±
    0                       1             3         4.2        3.3
    0.3 %                   1             4         4.3        3.3
    1 %                     2             8         4.3        3.4
"""

from collections.abc import Mapping, Sequence

import numpy as np

from bakeoff.judge import boot_spread
from bakeoff.judge.crossing import Climb, Crossing, clamped, crossing
from bakeoff.judge.vectors import Floats, Indices

REPLICATES = 400
NEAR = 0.15
"""In ln rate: three rungs."""


def moved(
    climbs: Mapping[str, Climb], found: Mapping[str, Crossing], boot_of: Indices, seed: int
) -> dict[str, Floats]:
    """Δ* − Δ of each contender's ln capacity, shape (replicates,). `boot_of`: each block's boot.

    All of `found` are finite.
    """
    rng = np.random.default_rng(seed)
    counts = [_drawn(boot_of, rng) for _ in range(REPLICATES)]
    parts: dict[str, Floats] = {}
    for name, given in climbs.items():
        centre = found[name].ln_rate
        again = [crossing(given, drawn[given.block]) for drawn in counts]
        within = np.array([clamped(one, given) for one in again]) - centre
        parts[name] = (
            _stretched(within, given, centre, boot_of, rng)
            + _boot_part(within, given, boot_of, rng)
            + rng.uniform(-1, 1, REPLICATES) * found[name].coarse
        )
    return parts


def _drawn(boot_of: Indices, rng: np.random.Generator) -> Floats:
    """How often a replicate has each block."""
    counts = np.zeros(len(boot_of))
    for boot in np.unique(boot_of):
        blocks = np.flatnonzero(boot_of == boot)
        np.add.at(counts, rng.choice(blocks, len(blocks)), 1)
    return counts


def _stretched(
    within: Floats, given: Climb, centre: float, boot_of: Indices, rng: np.random.Generator
) -> Floats:
    near = np.abs(given.ln_rates[given.rung] - centre) <= NEAR
    n, boots = int(near.sum()), len(np.unique(boot_of[given.block]))
    freedom = max(1, n - boots)
    wider = np.sqrt(max(n, 2) / rng.chisquare(freedom, REPLICATES))
    stretched: Floats = within * wider
    return stretched


def _boot_part(within: Floats, given: Climb, boot_of: Indices, rng: np.random.Generator) -> Floats:
    boots = boot_of[given.block]
    numbers = np.unique(boots)
    centres = [
        clamped(crossing(given, (boots == number).astype(float)), given) for number in numbers
    ]
    squared_errors = np.full(len(numbers), len(numbers) * float(np.var(within)))
    spread = boot_spread.posterior(np.array(centres), squared_errors)
    drawn = boot_spread.draw(spread, rng.uniform(size=REPLICATES))
    part: Floats = rng.standard_normal(REPLICATES) * drawn / np.sqrt(len(numbers))
    return part


def mean_of(parts: Sequence[Floats]) -> Floats:
    """The movement of a geometric mean: that of the mean of logarithms."""
    mean: Floats = np.mean(np.stack(parts), axis=0)
    return mean
