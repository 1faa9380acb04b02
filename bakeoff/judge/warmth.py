"""Whether processes were warm when their draws began: their speed after a draw's first third, over
that in it.

Before a draw each process is loaded until a request costs what it cost its contender when that was
steady, which the machine's weather blurs by some percent. All draws together tell it to a percent
and less: what a program still has to compile, or to refill, makes it faster within its draws. What
the machine does to all entries of a block cancels, since each value is relative to the median of
the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from bakeoff.judge.calm import judged_kind
from bakeoff.judge.history import History
from bakeoff.judge.paired import Paired, ln_thrift, ln_throughput, pair_up
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.trimmed import Floats, trimmed_mean
from bakeoff.judge.widths import CONFIDENCE
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Interval

DRAWS_MIN = 5
BLOCKS_MIN = 6
"""Of a draw: its first third is two of them."""
COLD_MIN = 1.01


@dataclass(frozen=True)
class Warmth:
    """How many times as fast an entry is after the first third of its draws as in it: `own`, and
    `beside` the others, with an interval."""

    own: float
    beside: Interval


def warmths(history: History, names: Sequence[str]) -> Mapping[str, Warmth]:
    """By entry; by requests per second of server CPU where that is seen of all, else by throughput.
    The 95 % intervals hold at once over the entries. One is left out that has too few draws, or
    nobody to be compared with.
    """
    if judged_kind(history.blocks) == "long":
        return {}
    blocks = [block for block in history.blocks if block.kind == "short"]
    table = pair_up(blocks, history.draws, names, ln_thrift)
    if not np.isfinite(table.ln_y).any(axis=0).all():
        table = pair_up(blocks, history.draws, names, ln_throughput)
    found = {name: _gains(table, name) for name in table.names}
    told = {name: each for name, each in found.items() if len(each) >= DRAWS_MIN}
    level = (1 + CONFIDENCE ** (1 / max(1, len(told)))) / 2
    return {
        name: Warmth(exp(float(each[:, 0].mean())), _interval(each[:, 1], level, history))
        for name, each in told.items()
    }


def cold_draws(warmth: Warmth | None) -> Iterator[Finding]:
    """Its draws began cold, by more than chance and by more than 1 %. That it is faster beside one
    that slows down within its draws is not that."""
    if warmth and warmth.beside.low > 1 and min(warmth.own, warmth.beside.ratio) > COLD_MIN:
        yield Finding.of("cold_draws", **warmth.beside.model_dump(include={"ratio", "low", "high"}))


def _gains(table: Paired, name: str) -> Floats:
    """By how much ln speed rose after the first third of each draw that has enough blocks: its own,
    and beside the others', shape (draws, 2)."""
    column = table.names.index(name)
    others = np.delete(table.ln_y, column, axis=1)
    there = np.isfinite(table.ln_y[:, column]) & np.isfinite(others).any(axis=1)
    own = table.ln_y[there, column]
    speeds = np.stack((own, own - np.nanmedian(others[there], axis=1)), axis=1)
    draws = np.stack((table.boot[there], table.draw[there]), axis=1)
    gains = []
    for draw in np.unique(draws, axis=0):
        of_draw = speeds[(draws == draw).all(axis=1)]
        first = len(of_draw) // 3
        if len(of_draw) >= BLOCKS_MIN:
            gains.append(
                [trimmed_mean(each[first:]) - trimmed_mean(each[:first]) for each in of_draw.T]
            )
    return np.array(gains)


def _interval(gains: Floats, level: float, history: History) -> Interval:
    """Student's, of one value for each draw."""
    centre = float(gains.mean())
    width = t_quantile(len(gains) - 1, level) * float(gains.std(ddof=1)) / sqrt(len(gains))
    return Interval(
        ratio=exp(centre),
        low=exp(centre - width),
        high=exp(centre + width),
        n=len(gains),
        boots=len(history.boots),
        draws=len(gains),
    )
