"""Merits side by side, block for block: what a pair of entries is compared on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bakeoff.judge.latency import TOP_US, merge
from bakeoff.judge.vectors import Floats, Indices
from bakeoff.model.plan import RankedBy
from bakeoff.model.samples import Block, Slice

# A window without any answer counts as half an answer: leaving it out would flatter a server that
# stalls, and ln 0 has no value. The trimmed mean bounds what such a block can do.
SILENT_WINDOW_REQUESTS = 0.5


@dataclass(frozen=True)
class Paired:
    """ln of what entries are ranked by, more being better, shape (blocks, names); NaN where an
    entry had no turn.

    `boot` has the number of the boot of each block. Columns are in the order of `names`.
    """

    names: tuple[str, ...]
    boot: Indices
    ln_y: Floats

    def log_ratio(self, a: str, b: str) -> Floats:
        """d = ln y_a − ln y_b per block; NaN where one of the two had no turn."""
        columns = (self.names.index(a), self.names.index(b))
        difference: Floats = self.ln_y[:, columns[0]] - self.ln_y[:, columns[1]]
        return difference

    def blocks_of(self, a: str, b: str) -> int:
        """In how many blocks both had their turn."""
        return int(np.isfinite(self.log_ratio(a, b)).sum())


def ln_throughput(piece: Slice) -> float:
    """ln(requests per second) of one slice; NaN where its window has no length."""
    event = piece.event
    if not event.window_ns:
        return float("nan")
    requests = max(float(event.requests), SILENT_WINDOW_REQUESTS)
    return float(np.log(requests / (event.window_ns * 1e-9)))


def ln_promptness(piece: Slice) -> float:
    """−ln(p99 in µs) of one slice; NaN where nothing was due in its window.

    A p99 among requests that were never answered counts as the histogram's longest time.
    """
    merged = merge([piece.event])
    if not merged.answered + merged.misses:
        return float("nan")
    return -float(np.log(max(merged.quantile_us(0.99) or TOP_US, 1e-3)))


MERITS = {"requests_per_s": ln_throughput, "p99": ln_promptness}


def pair_up(
    blocks: Sequence[Block], names: Sequence[str], ranked_by: RankedBy = "requests_per_s"
) -> Paired:
    """The blocks as one table. Columns are sorted by name, so the order of `names` is no input."""
    merit = MERITS[ranked_by]
    columns = tuple(sorted(names))
    index = {name: column for column, name in enumerate(columns)}
    table = np.full((len(blocks), len(columns)), np.nan)
    for row, block in enumerate(blocks):
        for piece in block.slices:
            if piece.entry in index:
                table[row, index[piece.entry]] = merit(piece)
    boots = np.array([block.boot for block in blocks], dtype=np.int64)
    return Paired(columns, boots, table)
