"""Every pair of entries, compared: short slices first, long slices where the two disagree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, sqrt

import scipy

from bakeoff.judge.bootstrap import Sample, replicates, sample
from bakeoff.judge.disturbed import judged_kind
from bakeoff.judge.equivalence import equivalent
from bakeoff.judge.paired import Paired, pair_up
from bakeoff.judge.simultaneous import Width, widths
from bakeoff.model.plan import RankedBy
from bakeoff.model.samples import Block
from bakeoff.model.verdict import Interval

MIN_BLOCKS = 10
MIN_LONG_BLOCKS = 6
# Of a whole race, over all of its pairs: a false alarm swaps a narrow interval for a wide one.
DISAGREEMENT_ALPHA = 0.01


@dataclass(frozen=True)
class Comparison:
    """Two entries, a over b in ln ratio, from one kind of slices."""

    sample: Sample
    width: Width

    @property
    def names(self) -> tuple[str, str]:
        """The two, `a` sorted before `b`."""
        return self.sample.a, self.sample.b

    @property
    def finding(self) -> int:
        """1: a is faster; −1: a is slower; 0: can't tell."""
        if abs(self.sample.estimate) <= self.width.simultaneous:
            return 0
        return 1 if self.sample.estimate > 0 else -1

    @property
    def equivalent(self) -> bool:
        """Whether a TOST puts the two within the margin."""
        return equivalent(self.sample.estimate, self.width.one_sided)

    def log_ratio(self, a: str) -> float:
        """ln of the ratio of `a`, one of the two, over the other."""
        return self.sample.estimate if a == self.sample.a else -self.sample.estimate

    def interval(self, a: str) -> Interval:
        """The ratio of `a`, one of the two, over the other, simultaneous over the race's pairs."""
        return self._around(a, self.width.simultaneous)

    def interval_alone(self, a: str) -> Interval:
        """The same without regard to other pairs."""
        return self._around(a, self.width.alone)

    def boot_ratios(self, a: str) -> list[tuple[int, float, int]]:
        """(boot, ratio of `a`, one of the two, over the other, blocks) for each boot."""
        sign = 1 if a == self.sample.a else -1
        return [(boot, exp(sign * centre), n) for boot, centre, n in self.sample.boots]

    def _around(self, a: str, half_width: float) -> Interval:
        centre = self.log_ratio(a)
        return Interval(
            ratio=exp(centre),
            low=exp(centre - half_width),
            high=exp(centre + half_width),
            n=self.sample.n,
            boots=len(self.sample.boots),
        )


@dataclass(frozen=True)
class Compared:
    """One pair: what short slices say, what long ones say, and which of the two counts."""

    main: Comparison
    short: Comparison
    long: Comparison | None

    @property
    def disagrees(self) -> bool:
        """Whether the slice length makes more of a difference than chance does."""
        return self.main is not self.short


Pairs = dict[frozenset[str], Compared]


def compare(
    blocks: Sequence[Block],
    names: Sequence[str],
    solo: bool,
    seed: int,
    ranked_by: RankedBy = "requests_per_s",
) -> Pairs:
    """Each pair of `names` that has 10 paired blocks at least, in one family of intervals.

    A race without short slices (solo, open loop) is compared on its long ones.
    """
    if judged_kind(blocks) == "long":
        alone = family(pair_up(blocks, names, ranked_by), MIN_BLOCKS, solo, seed)
        return {pair: Compared(found, found, None) for pair, found in alone.items()}
    short = family(pair_up(_of_kind(blocks, "short"), names), MIN_BLOCKS, solo, seed)
    long = family(pair_up(_of_kind(blocks, "long"), names), MIN_LONG_BLOCKS, solo, seed)
    alpha = DISAGREEMENT_ALPHA / max(1, len(short))
    return {pair: _weighed(found, long.get(pair), alpha) for pair, found in short.items()}


def _of_kind(blocks: Sequence[Block], kind: str) -> list[Block]:
    return [block for block in blocks if block.kind == kind]


def family(
    paired: Paired,
    least: int,
    boots_are_blocks: bool,
    seed: int,
    wanted: Iterable[tuple[str, str]] | None = None,
) -> dict[frozenset[str], Comparison]:
    """The comparisons of all pairs, or of those that are `wanted`, that have `least` blocks."""
    wanted = combinations(paired.names, 2) if wanted is None else wanted
    pairs = [(a, b) for a, b in wanted if paired.blocks_of(a, b) >= least]
    if not pairs:
        return {}
    samples = [sample(paired, a, b, boots_are_blocks) for a, b in pairs]
    found = widths(replicates(paired, samples, seed), tuple(each.n for each in samples))
    return {
        frozenset(pair): Comparison(each, width)
        for pair, each, width in zip(pairs, samples, found, strict=True)
    }


def _weighed(short: Comparison, long: Comparison | None, alpha: float) -> Compared:
    """Takes the long slices where they differ from the short ones by more than chance.

    Both were measured in the same boots, so the boots' part cancels: Welch's test on the rest. Long
    blocks are few, and may agree by chance: so the short ones' figure must also lie outside of the
    long ones' own interval. (Without that, two of 42 live races swapped ±0.5 and ±1.3 % for ±8 and
    ±16 %.)
    """
    if long is None:
        return Compared(short, short, None)
    squares = (short.sample.standard_error**2, long.sample.standard_error**2)
    error = max(sqrt(sum(squares)), 1e-12)
    freedom = sum(squares) ** 2 / max(
        squares[0] ** 2 / short.sample.freedom + squares[1] ** 2 / long.sample.freedom, 1e-300
    )
    gap = abs(short.sample.estimate - long.sample.estimate)
    beyond_chance = gap > max(
        error * float(scipy.special.stdtrit(max(1.0, freedom), 1 - alpha / 2)), long.width.alone
    )
    return Compared(long if beyond_chance else short, short, long)
