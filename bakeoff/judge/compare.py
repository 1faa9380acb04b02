"""Every pair of entries, compared: short slices first, long slices where the two disagree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, isfinite, sqrt

import numpy as np

from bakeoff.judge.calm import judged_kind
from bakeoff.judge.history import History
from bakeoff.judge.paired import MERITS, MeritName, Paired, pair_up
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.spread import Estimate
from bakeoff.judge.widths import Width, width
from bakeoff.model.ratio import BootRatio, DrawRatio, Interval

MIN_BLOCKS = 6
"""Of five, trimming leaves one, which tells no error."""
DRAWS_OF_GAP = 6
# Of a whole race, over all of its pairs: a false alarm swaps a narrow interval for a wide one.
DISAGREEMENT_ALPHA = 0.01
MARGIN = 0.02
"""Equivalent is what is within 1/1.02 to 1.02."""


@dataclass(frozen=True)
class Comparison:
    """Two entries, a over b in ln ratio.

    Where both kinds of slices were measured, this is the comparison that counts, and `short` and
    `long` are those of each kind alone.
    """

    a: str
    b: str
    estimate: Estimate
    width: Width
    processes: int
    short: "Comparison | None" = None
    long: "Comparison | None" = None

    @property
    def slice_length_matters(self) -> bool:
        """Whether long slices count, since short ones differ from them by more than chance."""
        return self.long is not None and self.estimate is self.long.estimate

    def log_ratio(self, a: str) -> float:
        """ln of the ratio of `a`, one of the two, over the other."""
        return self._sign(a) * self.estimate.centre

    def interval(self, a: str) -> Interval:
        """The ratio of `a`, one of the two, over the other, simultaneous over the race's pairs."""
        return self._around(a, self.width.simultaneous)

    def interval_alone(self, a: str) -> Interval:
        """The same without regard to other pairs."""
        return self._around(a, self.width.alone)

    def times(self, half_width: float) -> float | None:
        """How many times as many draws would have narrowed the interval to ± `half_width`, in ln
        ratio; None: no number of draws would, as the processes or boots are too few.
        """
        spread = self.estimate.spread
        error = max(each.value for each in self.estimate.errors)
        fixed = 0.0
        if spread.boots > 1:
            fixed = (spread.boot_sd or 0.0) ** 2 / spread.boots
        elif 1 < spread.processes < spread.draws:
            fixed = (spread.process_sd or 0.0) ** 2 / spread.processes
        left = (half_width * error / max(self.width.simultaneous, 1e-12)) ** 2 - fixed
        return max(0.0, error**2 - fixed) / left if left > 0 else None

    def boot_ratios(self, a: str) -> tuple[BootRatio, ...]:
        """The ratio of `a`, one of the two, over the other, in each boot."""
        return tuple(
            BootRatio(boot=boot, ratio=exp(self._sign(a) * centre), n=n)
            for boot, centre, n in self.estimate.boots
        )

    def draw_ratios(self, a: str) -> tuple[DrawRatio, ...]:
        """The same in each draw."""
        return tuple(
            DrawRatio(
                boot=each.boot,
                draw=each.draw,
                process=each.process,
                ratio=exp(self._sign(a) * each.centre),
                n=each.n,
            )
            for each in self.estimate.draws
        )

    def _sign(self, a: str) -> int:
        return 1 if a == self.a else -1

    def _around(self, a: str, half_width: float) -> Interval:
        centre, spread = self.log_ratio(a), self.estimate.spread
        return Interval(
            ratio=exp(centre),
            low=exp(centre - half_width),
            high=exp(centre + half_width),
            n=spread.blocks,
            boots=spread.boots,
            draws=spread.draws,
            processes=self.processes,
        )


Pairs = dict[frozenset[str], Comparison]


def compare(history: History, names: Sequence[str], by: MeritName = "requests_per_s") -> Pairs:
    """Each pair of `names` that has `MIN_BLOCKS` paired blocks, in one family of intervals.

    A race without short slices (solo, open loop) is compared on its long ones.
    """
    blocks, draws, merit = history.blocks, history.draws, MERITS[by]
    any_time = history.any_time
    if judged_kind(blocks) == "long":
        return family(pair_up(blocks, draws, names, merit), MIN_BLOCKS, any_time=any_time)
    of_kind = {
        kind: pair_up([block for block in blocks if block.kind == kind], draws, names, merit)
        for kind in ("short", "long")
    }
    short = family(of_kind["short"], MIN_BLOCKS, any_time=any_time)
    long = family(of_kind["long"], MIN_BLOCKS, any_time=any_time)
    alpha = DISAGREEMENT_ALPHA / max(1, len(short))
    return {pair: _weighed(short[pair], long.get(pair), alpha) for pair in short}


def family(
    paired: Paired,
    least: int,
    wanted: Iterable[tuple[str, str]] | None = None,
    *,
    any_time: bool = False,
) -> Pairs:
    """The comparisons of all pairs, or of those that are `wanted`, that have `least` blocks.

    Of intervals that hold at `any_time`, those that are infinite are left out: draws are too few.
    """
    candidates = combinations(paired.names, 2) if wanted is None else wanted
    pairs = [(a, b) for a, b in candidates if paired.blocks_of(a, b) >= least]
    among = len({name for pair in pairs for name in pair}) if wanted is None else None
    comparisons: Pairs = {}
    for a, b in pairs:
        found = paired.estimate(a, b)
        widths = width(found, len(pairs), among, any_time=any_time)
        if isfinite(widths.simultaneous):
            comparisons[frozenset((a, b))] = Comparison(a, b, found, widths, paired.processes(a, b))
    return comparisons


def _weighed(short: Comparison, long: Comparison | None, alpha: float) -> Comparison:
    """Takes the long slices where they differ from the short ones by more than chance.

    Both were measured in the same draws, so what draws, processes and boots add cancels in the gap
    within a draw. Long blocks are few, and may agree by chance: so the short ones' figure must also
    lie outside of the long ones' own interval. (Without that, two of 42 live races swapped ±0.5 and
    ±1.3 % for ±8 and ±16 %.)
    """
    if long is None:
        return replace(short, short=short)
    gap, error, freedom = _gap(short.estimate, long.estimate)
    beyond_chance = (
        abs(gap) > error * t_quantile(max(1.0, freedom), 1 - alpha / 2)
        and abs(short.estimate.centre - long.estimate.centre) > long.width.alone
    )
    return replace(long if beyond_chance else short, short=short, long=long)


def _gap(short: Estimate, long: Estimate) -> tuple[float, float, float]:
    """By how much ln ratio differs between the two in one draw, its standard error, and that one's
    degrees of freedom.

    Of `DRAWS_OF_GAP` draws or more, the mean of their gaps, with Student's error. Of fewer, by the
    spread of blocks within draws: Welch's, with the degrees of freedom of trimmed means (Yuen,
    Biometrika 61, 1974). Where that isn't known, none is seen.
    """
    shorts = {(each.boot, each.draw): each for each in short.draws}
    both = [
        (shorts[each.boot, each.draw], each)
        for each in long.draws
        if (each.boot, each.draw) in shorts
    ]
    if not both:
        return 0.0, 1.0, 1.0
    gaps = np.array([one.centre - other.centre for one, other in both])
    if len(gaps) >= DRAWS_OF_GAP:
        error = max(float(gaps.std(ddof=1)) / sqrt(len(gaps)), 1e-12)
        return float(gaps.mean()), error, len(gaps) - 1.0
    if not (short.block.freedom and long.block.freedom):
        return 0.0, 1.0, 1.0
    weight = np.array([other.n for _, other in both]) / sum(other.n for _, other in both)
    squares = [
        given.block.value**2 * float((weight**2 / [pair[place].n for pair in both]).sum())
        for place, given in enumerate((short, long))
    ]
    freedom = sum(squares) ** 2 / max(
        squares[0] ** 2 / short.block.freedom + squares[1] ** 2 / long.block.freedom, 1e-300
    )
    return float((weight * gaps).sum()), max(sqrt(sum(squares)), 1e-12), freedom
