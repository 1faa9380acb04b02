"""How much a ratio varies on each level, and how far its estimate may be from the truth.

Blocks are measured within draws (new connections), draws within processes, processes within boots.
New draws, processes and boots each vary, however long each is measured. So:

- A draw's value is the 40 % trimmed mean of its blocks' log-ratios, and its error that of its own
  blocks: a draw that a neighbour spoilt counts for less. Few blocks give an inexact error, so it is
  shrunk towards the median of all draws' errors, as if that came from `SHRINKING` more blocks.
- How much draws differ beyond their errors is estimated by moments (DerSimonian and Laird,
  Controlled Clinical Trials 7, 1986), and the estimate is their mean, weighted by 1 / (that +
  error²).
- Its standard error is that of clusters: in each group of draws the weighted residuals are added
  up, their squares are divided by 1 less the group's share of the weights (Bell and McCaffrey,
  Survey Methodology 28, 2002), and the root of the sum is taken. It has the degrees of freedom of
  as many equal groups as have the same sum of squared shares, less one. It is computed for draws;
  for processes, if there are fewer of them than draws; and for boots, pooled with that of draws if
  there are fewer than `BOOTS_MIN`. The widest interval counts.
- Draws that agree by more than their errors allow do so by chance. So the interval is never
  narrower than √(1 / Σ weights) makes it, with the degrees of freedom that trimming leaves of the
  blocks.

So no spread is assumed beforehand, and the interval rests on the number of groups. A single draw
leaves only blocks: then the interval is Yuen's, and holds for those connections and processes.
`Spread` says how much each level adds to those below, by the variance between the members of a
group less the part that their own errors explain (Searle, Linear Models, 1971, ch. 10: method of
moments).

The 40 % trimmed mean is that of the middle fifth of the values. A neighbour on the same physical
core slows every third slice of a shared machine by a tenth and more. That hits every second block
of a pair, so it would move a mean that leaves out less. The reason for 40 %, and its cost on a
quiet machine, are in EVIDENCE.md (a neighbour). The formulas are in Wilcox, Introduction to Robust
Estimation, chapter 3, except that the share that trimming leaves of few values, which is not 20 %,
is counted as it is. The tests hold the mean against that of scipy.stats.
"""

from dataclasses import dataclass, replace
from math import hypot, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.model.ratio import Spread

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

TRIM = 0.4


def trimmed_mean(values: Floats) -> float:
    """The mean without the lowest and the highest 40 %; `values` has at least one number."""
    centres, _ = trimmed_groups(values, np.zeros(len(values), np.int64))
    return float(centres[0])


def trimmed_groups(values: Floats, member: Indices) -> tuple[Floats, Floats]:
    """The trimmed mean of each group, and the squares of its values' influence on it, added up.

    `member` has the group of each value, from 0 without a gap. A value's influence is its effect on
    the mean, times n: the winsorised value less their mean, over the share that is left. The
    squares over n (n − 1) are the squared standard error of many values.
    """
    order = np.lexsort((values, member))
    ordered, group = values[order], member[order]
    n = np.bincount(group)
    cut = (TRIM * n).astype(np.int64)
    first = np.cumsum(n) - n
    place = np.arange(len(values)) - first[group]
    left = (place >= cut[group]) & (place < (n - cut)[group])
    share = (n - 2 * cut) / n
    low, high = ordered[first + cut], ordered[first + n - 1 - cut]
    winsorised = np.clip(ordered, low[group], high[group])
    pulled = winsorised - (np.bincount(group, winsorised) / n)[group]
    centres: Floats = np.bincount(group, ordered * left) / (n - 2 * cut)
    squares = np.bincount(group, (pulled / share[group]) ** 2)
    return centres, squares.astype(np.float64)


def exactness(n: int) -> float:
    """The factor of the squared standard error of few values: Yuen (Biometrika 61, 1974) divides by
    h (h − 1), where h is the number of values that are left. It is 1.8 for ten values, of which two
    are left."""
    freedom = degrees_of_freedom(n)
    return (freedom + 1) * (n - 1) / (n * freedom)


def degrees_of_freedom(n: int) -> int:
    """Those of the trimmed mean's standard error: the values that are left, less one.

    0: one is left, as from one, three and five values, and has no error.
    """
    return n - 2 * int(TRIM * n) - 1


LEAST_VARIANCE = 1e-20
"""The least variance of a ln ratio: 0 has no inverse."""
SHRINKING = 16
"""In blocks: about as many as a draw has."""
LASTING = 2
"""A lasting process has on average at least this many draws. With a new process for each draw, all
but the first have one each."""
BOOTS_MIN = 5
"""With fewer boots the error is pooled with that of draws: two have one degree of freedom, and
could make an interval of any width where nothing differs."""


@dataclass(frozen=True)
class DrawValue:
    """One draw's ln ratio, from `n` blocks, and its share of the mean's weights. `process` is
    numbered within the boot."""

    boot: int
    draw: int
    process: int
    centre: float
    n: int
    share: float


@dataclass(frozen=True)
class StandardError:
    """The standard error of a ln ratio, and its degrees of freedom. `lasting`: its groups last for
    the whole race, and more draws add none."""

    value: float
    freedom: int
    lasting: bool = False

    def pooled(self, lower: "StandardError") -> "StandardError":
        freedom = self.freedom + lower.freedom
        squares = self.freedom * self.value**2 + lower.freedom * lower.value**2
        return StandardError(sqrt(squares / freedom), freedom)


@dataclass(frozen=True)
class Estimate:
    """ln ratio with its standard errors: by draws, processes and boots, and of blocks alone.

    `block` is the standard error of one block about its draw; it is not known without a degree of
    freedom.
    """

    centre: float
    errors: tuple[StandardError, ...]
    block: StandardError
    draws: tuple[DrawValue, ...]
    boots: tuple[tuple[int, float, int], ...]
    spread: Spread

    def less_exact(self, error: float) -> "Estimate":
        """The same where what was compared has an error of its own."""
        errors = tuple(replace(each, value=hypot(each.value, error)) for each in self.errors)
        return replace(self, errors=errors)


@dataclass(frozen=True)
class _Groups:
    """Values on one level with their squared standard errors; `boot` and `process` of each."""

    value: Floats
    variance: Floats
    boot: Indices
    process: Indices
    n: Indices

    def __len__(self) -> int:
        return len(self.value)

    def own_variance(self, member: Indices) -> float | None:
        """Between the members of a group, pooled over the groups; None: no group has two."""
        sizes = np.bincount(member)
        freedom = len(self) - len(sizes)
        if not freedom:
            return None
        explained = float((self.variance * (1 - 1 / sizes[member])).sum())
        means = np.bincount(member, self.value) / sizes
        squares = float(((self.value - means[member]) ** 2).sum())
        return max(0.0, (squares - explained) / freedom)

    def weights(self, own: float | None) -> Floats:
        """1 / variance, with the level's `own`."""
        weight: Floats = 1 / np.maximum((own or 0.0) + self.variance, LEAST_VARIANCE)
        return weight

    def merged(self, member: Indices, own: float | None) -> "_Groups":
        """The level above: one value for each group."""
        weight = self.weights(own)
        total = np.bincount(member, weight)
        _, first = np.unique(member, return_index=True)
        return _Groups(
            value=np.bincount(member, weight * self.value) / total,
            variance=1 / total,
            boot=self.boot[first],
            process=self.process[first],
            n=np.bincount(member, self.n).astype(np.int64),
        )


def numbered(first: Indices, *others: Indices) -> Indices:
    """The number of each one's combination of keys, from 0, in rising order."""
    key = first
    for other in others:
        key = key * (int(other.max()) + 1) + other
    _, member = np.unique(key, return_inverse=True)
    return np.asarray(member, dtype=np.int64)


def _of_blocks(squares: Floats, n: Indices, freedom: Indices) -> tuple[Floats, float]:
    """The variance of a block about its draw, for each draw and over all; 0 where none is known.

    A draw with one block left after trimming shows nothing of it, and has the others' variance.
    """
    known = freedom > 0
    if not known.any():
        return np.zeros(len(n)), 0.0
    over_all = float(squares[known].sum() / (n - 1)[known].sum())
    usual = float(np.median((squares / np.maximum(1, n - 1))[known]))
    own = np.where(known, n - 1, 0)
    shrunk: Floats = (np.where(known, squares, 0.0) + SHRINKING * usual) / (own + SHRINKING)
    return shrunk, over_all


def between(value: Floats, variance: Floats) -> float:
    """The variance between values beyond their own errors', which are at least `LEAST_VARIANCE`."""
    weight = 1 / variance
    total = float(weight.sum())
    centre = float((weight * value).sum()) / total
    q = float((weight * (value - centre) ** 2).sum())
    scale = total - float((weight**2).sum()) / total
    return max(0.0, (q - len(value) + 1) / scale) if len(value) > 1 else 0.0


def clustered(share: Floats, residual: Floats, group: Indices) -> StandardError:
    """The standard error of a mean in which draws have these shares, where groups of draws vary."""
    of_group = np.bincount(group, share)
    moves = np.bincount(group, share * residual)
    effective = 1 / float((of_group**2).sum())
    return StandardError(
        sqrt(float((moves**2 / (1 - of_group)).sum())), max(1, round(effective) - 1)
    )


def _sd(variance: float | None) -> float | None:
    return None if variance is None else sqrt(variance)


def estimate(values: Floats, boot: Indices, draw: Indices, process: Indices) -> Estimate:
    """The centre of log-ratios and its error; all of shape (blocks,), with at least one block.

    `draw` and `process` are numbered within the boot.
    """
    member = numbered(boot, draw)
    _, first, n = np.unique(member, return_index=True, return_counts=True)
    centres, squares = trimmed_groups(values, member)
    of_each = np.array([degrees_of_freedom(blocks) for blocks in n])
    block_freedom = int(of_each.sum())
    variance, block_variance = _of_blocks(squares, n, of_each)
    draws = _Groups(centres, variance / n, boot[first], process[first], n)
    of_process = numbered(draws.boot, draws.process)
    of_draws = draws.own_variance(of_process)
    processes = draws.merged(of_process, of_draws)
    of_boot = numbered(processes.boot)
    of_processes = processes.own_variance(of_boot)
    boots = processes.merged(of_boot, of_processes)
    of_boots = boots.own_variance(np.zeros(len(boots), np.int64))
    of_draw = between(draws.value, np.maximum(draws.variance, LEAST_VARIANCE))
    weight = draws.weights(of_draw)
    centre = float((weight * draws.value).sum() / weight.sum())
    share, residual = weight / weight.sum(), draws.value - centre
    errors = []
    if len(draws) > 1:
        errors.append(clustered(share, residual, np.arange(len(draws))))
    if len(boots) < len(processes) < len(draws):
        lasting = len(boots) == 1 and len(draws) >= LASTING * len(processes)
        errors.append(replace(clustered(share, residual, of_process), lasting=lasting))
    if 1 < len(boots) < len(draws):
        of_boot_error = clustered(share, residual, of_boot[of_process])
        few = len(boots) < BOOTS_MIN
        errors.append(of_boot_error.pooled(errors[0]) if few else of_boot_error)
    if block_freedom:
        squared = 1 / float(weight.sum())
        if len(draws) == 1:
            squared *= exactness(len(values))
        errors.append(StandardError(sqrt(squared), block_freedom))
    return Estimate(
        centre=centre,
        errors=tuple(errors) or (StandardError(inf, 1),),
        block=StandardError(sqrt(block_variance), block_freedom),
        draws=tuple(
            DrawValue(
                int(boot[at]),
                int(draw[at]),
                int(process[at]),
                float(value),
                int(blocks),
                float(part),
            )
            for at, value, blocks, part in zip(first, draws.value, n, share, strict=True)
        ),
        boots=tuple(
            (int(number), float(value), int(blocks))
            for number, value, blocks in zip(boots.boot, boots.value, boots.n, strict=True)
        ),
        spread=Spread(
            block_sd=_sd(block_variance) if block_freedom else None,
            connections_sd=_sd(of_draws),
            process_sd=_sd(of_processes),
            boot_sd=_sd(of_boots),
            blocks=len(values),
            draws=len(draws),
            processes=len(processes),
            boots=len(boots),
        ),
    )
