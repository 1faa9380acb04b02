"""Every pair of entries, compared: how wide its interval is, and from which slices it comes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations
from math import exp, hypot, inf, isfinite, sqrt
from types import MappingProxyType

import numpy as np

from bakeoff.judge.history import History, judged_kind
from bakeoff.judge.paired import MERITS, MeritName, Paired, pair_up
from bakeoff.judge.quantiles import chi_square_quantile, normal_cdf, normal_quantile, t_quantile
from bakeoff.judge.ramp import Factors
from bakeoff.judge.spread import Estimate, StandardError
from bakeoff.model.ratio import BootRatio, Difference, DrawRatio, Interval

CONFIDENCE = 0.95
POWER = 0.8
LOOKS = 6
"""A race that may end at any time counts as this many looks at the same few processes."""
EFFECT_VARIANCE = 2.0
"""The effect variance for which an interval that is valid at any time is tightest: a difference of
√2 of the spread between draws is decided by some eight of them."""
_QUADRATURE = np.polynomial.legendre.leggauss(80)


@dataclass(frozen=True)
class Width:
    """Half-widths in ln ratio, of this pair alone and of all pairs at once, and the difference that
    would be found with 80 % probability, as a ratio less 1. `state` is the part of `simultaneous`
    that no further draw narrows."""

    alone: float
    simultaneous: float
    detectable: float
    state: float


def width(
    given: Estimate,
    together: int,
    among: int | None = None,
    *,
    any_time: bool = False,
    state_sd: float = 0.0,
) -> Width:
    """The widths of one of `together` intervals that hold at once.

    For all pairs `among` so many contenders they are Tukey's and Kramer's: the pairs of a contender
    err together, so five contenders' intervals are narrower by 5 % and thirty's by 10 %. Otherwise
    they are Šidák's (JASA 62, 1967), each at 95 % to the power of 1 / `together`: exact for
    independent intervals and on the safe side for any others.

    `any_time`: they hold however the end of the race was chosen, and share the 5 % evenly, since
    nothing like Tukey's method is known for them. They are infinite with too few draws.

    Each is widened by the machine's state, as standard errors add up. That moves all pairs at once,
    so there is nothing to share. `state_sd`: see `state.STATE_SD`.
    """
    if any_time and given.spread.draws == 1:
        alone = simultaneous = inf
    elif any_time:
        alone, simultaneous = (
            max(_any_time_error(error, (1 - CONFIDENCE) / pairs) for error in given.errors)
            for pairs in (1, together)
        )
    else:
        alone = half_width(given, (1 + CONFIDENCE) / 2)
        if among is None:
            simultaneous = half_width(given, (1 + CONFIDENCE ** (1 / together)) / 2)
        else:
            simultaneous = max(tukey(among, error.freedom) * error.value for error in given.errors)
    state = state_sd * min(1.0, abs(given.centre)) * normal_quantile((1 + CONFIDENCE) / 2)
    alone, simultaneous = hypot(alone, state), hypot(simultaneous, state)
    return Width(alone, simultaneous, detectable(simultaneous, half_width(given, POWER)), state)


def _any_time_error(given: StandardError, alpha: float) -> float:
    """Each look sees the same lasting groups. Looking again hardly changes what they add to the
    error, but it changes Student's quantile, for a few looks."""
    if given.lasting:
        return t_quantile(given.freedom, 1 - alpha / LOOKS / 2) * given.value
    return any_time_quantile(given.freedom, alpha) * given.value


@lru_cache(maxsize=1000)
def any_time_quantile(freedom: int, alpha: float) -> float:
    """How many standard errors an interval reaches that holds after every draw, in all but `alpha`
    of races; infinite with too few draws.

    From the e-process of the t-test with right-Haar prior and standardised effects of variance g:
    BF_n = (1 + ng)^(-1/2) [(1 + t²/ν) / (1 + t²/(ν(1 + ng)))]^(n/2), ν = n - 1, is ever above 1/α
    in at most a share α of races (Lai, Annals of Statistics 4, 1976; Pérez-Ortiz, Lardy, de Heide
    and Grünwald, Annals of Statistics 52, 2024; Wang and Ramdas, arXiv 2310.03722). The interval
    has all means that it never excluded.
    """
    n = freedom + 1
    grown = 1 + n * EFFECT_VARIANCE
    limit = (sqrt(grown) / alpha) ** (2 / n)
    return sqrt(freedom * (limit - 1) / (1 - limit / grown)) if limit < grown else inf


def half_width(given: Estimate, p: float) -> float:
    """Student's quantile `p` of the estimate's error, on the level where that is widest."""
    return max(t_quantile(error.freedom, p) * error.value for error in given.errors)


def detectable(half_width: float, power: float) -> float:
    """The minimum detectable effect as a ratio less 1: the interval's half-width plus what lies
    above it in 80 % of races, which is t.8 times the standard error."""
    return float(np.expm1(half_width + power))


@lru_cache(maxsize=1000)
def tukey(among: int, freedom: int) -> float:
    """By how many standard errors of a difference the largest of all pairs' errs in 5 % of races.

    The studentised range over √2 (Tukey 1953; Kramer, Biometrics 12, 1956; on the safe side for
    unequal errors: Hayter, Annals of Statistics 12, 1984), by quadrature. The tests hold it
    against that of scipy.stats.
    """
    if among == 2:
        return t_quantile(freedom, (1 + CONFIDENCE) / 2)
    share, of_share = _QUADRATURE
    squares = np.array([chi_square_quantile(freedom, (1 + each) / 2) for each in share])
    scale = np.sqrt(squares / freedom)[:, None]
    z = 8 * share
    below = normal_cdf(z)
    dz = 8 * of_share * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)

    def excess(error: float) -> float:
        width = np.sqrt(2) * error * scale
        within = below - normal_cdf(z - width)
        covered = among * (within ** (among - 1) * dz).sum(axis=1)
        return float((covered * of_share).sum() / 2) - CONFIDENCE

    low, high = t_quantile(freedom, (1 + CONFIDENCE) / 2), 2.0
    while excess(high) < 0:
        high *= 2
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return high


MIN_BLOCKS = 6
"""Trimming leaves one of five blocks, which has no error."""
DRAWS_OF_GAP = 6
# For a whole race, over all of its pairs: a false alarm replaces a narrow interval by a wide one.
DISAGREEMENT_ALPHA = 0.001
MARGIN = 0.02
"""Two entries are equivalent within 1/1.02 to 1.02."""


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
        return self._sign(a) * self.estimate.centre

    def interval(self, a: str) -> Interval:
        """The ratio of `a`, one of the two, over the other, simultaneous over the race's pairs."""
        return self._around(a, self.width.simultaneous)

    def interval_alone(self, a: str) -> Interval:
        return self._around(a, self.width.alone)

    def times(self, half_width: float) -> float | None:
        """How many times as many draws would have narrowed the interval to ± `half_width`, in ln
        ratio. None: no number of draws would, as there are too few processes or boots, or as the
        machine's state changes such a ratio by more."""
        spread = self.estimate.spread
        error = max(each.value for each in self.estimate.errors)
        fixed = 0.0
        if spread.boots > 1:
            fixed = (spread.boot_sd or 0.0) ** 2 / spread.boots
        elif 1 < spread.processes < spread.draws:
            fixed = (spread.process_sd or 0.0) ** 2 / spread.processes
        state = self.width.state**2
        drawn = max(self.width.simultaneous**2 - state, 1e-24)
        left = (half_width**2 - state) / drawn * error**2 - fixed
        return max(0.0, error**2 - fixed) / left if left > 0 else None

    def later_us(self, a: str) -> Difference:
        """By how much `a` is later than the other, where it was compared by times in s."""
        late_us, width_us = -1e6 * self.log_ratio(a), 1e6 * self.width.simultaneous
        return Difference(more=late_us, low=late_us - width_us, high=late_us + width_us)

    def boot_ratios(self, a: str) -> tuple[BootRatio, ...]:
        """The ratio of `a`, one of the two, over the other, in each boot."""
        return tuple(
            BootRatio(boot=boot, ratio=exp(self._sign(a) * centre), n=n)
            for boot, centre, n in self.estimate.boots
        )

    def draw_ratios(self, a: str) -> tuple[DrawRatio, ...]:
        return tuple(
            DrawRatio(
                boot=draw.boot,
                draw=draw.draw,
                process=draw.process,
                ratio=exp(self._sign(a) * draw.centre),
                n=draw.n,
            )
            for draw in self.estimate.draws
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


def compare(
    history: History,
    names: Sequence[str],
    by: MeritName = "requests_per_s",
    factors: Factors = MappingProxyType({}),
) -> Pairs:
    """Each pair of `names` that has `MIN_BLOCKS` paired blocks, in one family of intervals.

    A race without short slices (solo, open loop) is compared on its long ones. `factors` are those
    that the figures of short ones are divided by.
    """
    blocks, draws, merit = history.blocks, history.draws, MERITS[by]
    state_sd = 0.0 if by == "soonness_s" else history.core.state_sd
    compared = partial(family, least=MIN_BLOCKS, any_time=history.any_time, state_sd=state_sd)
    if judged_kind(blocks) == "long":
        return compared(pair_up(blocks, draws, names, merit))
    of_kind = {
        kind: pair_up([block for block in blocks if block.kind == kind], draws, names, merit)
        for kind in ("short", "long")
    }
    short, long = compared(of_kind["short"].per_factor(factors)), compared(of_kind["long"])
    alpha = DISAGREEMENT_ALPHA / max(1, len(short))
    return {pair: _weighed(short[pair], long.get(pair), alpha) for pair in short}


def family(
    paired: Paired,
    least: int,
    wanted: Iterable[tuple[str, str]] | None = None,
    *,
    any_time: bool = False,
    state_sd: float = 0.0,
) -> Pairs:
    """The comparisons of all pairs, or of those that are `wanted`, that have `least` blocks.

    With `any_time`, infinite intervals are left out: they have too few draws.
    """
    candidates = combinations(paired.names, 2) if wanted is None else wanted
    pairs = [(a, b) for a, b in candidates if paired.blocks_of(a, b) >= least]
    among = len({name for pair in pairs for name in pair}) if wanted is None else None
    comparisons: Pairs = {}
    for a, b in pairs:
        found = paired.estimate(a, b)
        widths = width(found, len(pairs), among, any_time=any_time, state_sd=state_sd)
        if isfinite(widths.simultaneous):
            comparisons[frozenset((a, b))] = Comparison(a, b, found, widths, paired.processes(a, b))
    return comparisons


def _weighed(short: Comparison, long: Comparison | None, alpha: float) -> Comparison:
    """Takes the long slices where they differ from the short ones by more than chance.

    Both were measured in the same draws, so the errors of draws, processes and boots cancel in the
    gap within a draw. Long blocks are few, and may agree by chance, so the short ones' figure must
    also lie outside of the long ones' own interval. (Without that, two of 42 live races swapped
    ±0.5 and ±1.3 % for ±8 and ±16 %.)
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
    """By how much ln ratio differs between the two in one draw, the standard error of that, and its
    degrees of freedom.

    With at least `DRAWS_OF_GAP` draws the gap is the mean of theirs, with Student's error. With
    fewer it has Welch's error, by the spread of blocks within draws, and the degrees of freedom of
    trimmed means (Yuen, Biometrika 61, 1974). Where that isn't known, no gap is seen.
    """
    shorts = {(draw.boot, draw.draw): draw for draw in short.draws}
    both = [
        (shorts[draw.boot, draw.draw], draw)
        for draw in long.draws
        if (draw.boot, draw.draw) in shorts
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
