"""What a ratio varies by on each level, and how far its estimate may be from the truth.

Blocks are measured within draws (new connections), draws within processes, processes within boots.
What is drawn anew on a level varies from one to the next, however long each is measured. So:

- A draw's value is the 40 % trimmed mean of its blocks' log-ratios; its standard error comes from
  the spread of blocks within draws, pooled over the draws. Of each draw it has the degrees of
  freedom of the blocks that are left, less one (Tukey and McLaughlin, Sankhya A 25, 1963), and of
  all their sum (Yuen and Dixon, Biometrika 60, 1973). A draw of which one is left says nothing.
- Upwards, level by level: the variance between the members of a group, less what their own errors
  explain (Searle, Linear Models, 1971, ch. 10: method of moments), is that level's own. A group's
  value is the mean of its members, weighted by 1 / (own variance + error²).
- On the highest level that was drawn more than once the same weights w give the estimate, and its
  standard error is √(q / Σw), q = Σ w (x − x̄)² / (G − 1), with the G − 1 degrees of freedom of its
  groups (Hartung and Knapp, Statistics in Medicine 20, 2001).
- Groups that agree by more than what they consist of allows do so by chance (Röver, Knapp and
  Friede, BMC Medical Research Methodology 15, 2015, on what three of them can do). So the interval
  is never narrower than that of a lower level with more degrees of freedom, from the spread within
  groups, as if no level above it varied: √(s² / n) of its n members. Blocks always are one, if
  more than one of a draw's are left.

So no spread is assumed beforehand, and what the interval rests on is the number of groups. Where
each draw has a new process, draws and processes are one level. Where nothing was drawn twice (one
draw), only blocks are left: then the interval holds for those connections and processes.
"""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from bakeoff.judge.trimmed import Floats, Indices, degrees_of_freedom, trimmed_groups
from bakeoff.model.ratio import Spread

LEAST_VARIANCE = 1e-20
"""Of ln ratio: 0 has no inverse."""


@dataclass(frozen=True)
class DrawValue:
    """One draw's ln ratio, from `n` blocks. `process` is numbered within the boot."""

    boot: int
    draw: int
    process: int
    centre: float
    n: int


@dataclass(frozen=True)
class StandardError:
    """That of a ln ratio, and its degrees of freedom."""

    value: float
    freedom: int


@dataclass(frozen=True)
class Estimate:
    """ln ratio with the standard errors of its levels: first that of the highest level that was
    drawn more than once, then those of lower ones, below which the interval must not fall.

    `block` is the standard error of one block about its draw; without a degree of freedom it is not
    known.
    """

    centre: float
    errors: tuple[StandardError, ...]
    block: StandardError
    draws: tuple[DrawValue, ...]
    boots: tuple[tuple[int, float, int], ...]
    spread: Spread


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
        return max(0.0, (self._squares(member) - explained) / freedom)

    def error_within(self, member: Indices) -> StandardError | None:
        """That of the mean of all, if groups did not differ; None: no group has two members."""
        freedom = len(self) - int(member.max()) - 1
        if not freedom:
            return None
        return StandardError(sqrt(self._squares(member) / freedom / len(self)), freedom)

    def _squares(self, member: Indices) -> float:
        """Squared distances from the means of the groups, added up."""
        means = np.bincount(member, self.value) / np.bincount(member)
        return float(((self.value - means[member]) ** 2).sum())

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


def _numbered(first: Indices, *others: Indices) -> Indices:
    """Which distinct combination of keys, from 0, each has, in rising order."""
    key = first
    for other in others:
        key = key * (int(other.max()) + 1) + other
    _, member = np.unique(key, return_inverse=True)
    return np.asarray(member, dtype=np.int64)


def _sd(variance: float | None) -> float | None:
    return None if variance is None else sqrt(variance)


def estimate(values: Floats, boot: Indices, draw: Indices, process: Indices) -> Estimate:
    """The centre of log-ratios and its error; all of shape (blocks,), one block at least.

    `draw` and `process` are numbered within the boot.
    """
    member = _numbered(boot, draw)
    _, first, n = np.unique(member, return_index=True, return_counts=True)
    centres, squares = trimmed_groups(values, member)
    of_each = np.array([degrees_of_freedom(blocks) for blocks in n])
    block_freedom = int(of_each.sum())
    # The squares of a draw of which one block is left are 0.
    block_variance = float(squares.sum()) / max(1, int((n - 1)[of_each > 0].sum()))
    draws = _Groups(centres, block_variance / n, boot[first], process[first], n)
    of_process = _numbered(draws.boot, draws.process)
    of_draws = draws.own_variance(of_process)
    processes = draws.merged(of_process, of_draws)
    of_boot = _numbered(processes.boot)
    of_processes = processes.own_variance(of_boot)
    boots = processes.merged(of_boot, of_processes)
    all_boots = np.zeros(len(boots), np.int64)
    of_boots = boots.own_variance(all_boots)
    blocks = StandardError(sqrt(block_variance / len(values)), block_freedom)
    levels = (
        (boots, of_boots, all_boots),
        (processes, of_processes, of_boot),
        (draws, of_draws, of_process),
    )
    drawn = [each for each in levels if len(each[0]) > 1]
    if drawn:
        top, own, _ = drawn[0]
        weight = top.weights(own)
        centre = float((weight * top.value).sum() / weight.sum())
        freedom = len(top) - 1
        q = float((weight * (top.value - centre) ** 2).sum()) / freedom
        errors = [StandardError(sqrt(q / weight.sum()), freedom)]
        for lower, _, member in drawn[1:]:
            error = lower.error_within(member)
            if error and error.freedom > errors[-1].freedom:
                errors.append(error)
        errors += [blocks] if block_freedom else []
    else:
        centre = float(draws.value[0])
        errors = [blocks if block_freedom else StandardError(inf, 1)]
    return Estimate(
        centre=centre,
        errors=tuple(errors),
        block=StandardError(sqrt(block_variance), block_freedom),
        draws=tuple(
            DrawValue(int(boot[at]), int(draw[at]), int(process[at]), float(value), int(blocks))
            for at, value, blocks in zip(first, draws.value, n, strict=True)
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
