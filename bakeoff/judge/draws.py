"""How far apart processes of one program, and sets of connections to one process, are.

In block b of connection set c, ln throughput of process p is

    y = weather(c, b) + P(p) + C(p, c) + e(p, c, b)

All processes of a block share its weather, so each block is centred. A cell is the 40 % trimmed
mean over the blocks of one process and set. The cells of a boot are a table of processes by sets:
its interactions show C, its rows P (two-way analysis of variance; Searle, Casella and McCulloch,
Variance Components, chapter 4). Expected mean squares, with m blocks a cell:

    sets         C² + e²/m
    processes    s·P² + C² + e²/m        (s sets)

Where the rows are connections to one process, both are sets. The interval of C is that of a mean
square (chi-square) less what blocks explain; that of P is Williams' (Biometrika 49, 1962). The
tests simulate their coverage.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, isfinite, sqrt
from statistics import median

import numpy as np

from bakeoff.judge import latency
from bakeoff.judge.paired import ln_throughput
from bakeoff.judge.quantiles import chi_square_quantile, f_quantile
from bakeoff.judge.requests import ln_quickness, part_of
from bakeoff.judge.spread import Floats, degrees_of_freedom, trimmed_groups, trimmed_mean
from bakeoff.model.draws import ContenderDraws, Level, LevelSpread, RequestDraws
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Block, BootStart, Record, Slice

ROUNDS_MIN = 5
"""With fewer, a trimmed mean leaves at most three values."""
ANSWERED_MIN = 0.8
"""The share of blocks in which a process must have answered to have a row."""
RUN_S = 20.0
DRAWS = 20
_SIDE = 0.025


@dataclass(frozen=True)
class Table:
    """The cells of one boot, processes by sets, ln throughput about each set's mean; the variance
    `block` of a slice, with its degrees of freedom; the ln `level` of all; blocks in a cell."""

    cells: Floats
    block: float
    degrees: int
    level: float
    rounds: int


@dataclass(frozen=True)
class MeanSquare:
    """A mean square and its degrees of freedom."""

    value: float
    degrees: int

    def quantile(self, share: float) -> float:
        return self.value * self.degrees / chi_square_quantile(self.degrees, share)


def draws_of(plan: Plan, sets: int, records: Sequence[Record]) -> ContenderDraws | None:
    """The spreads of the contender whose processes are `plan`'s entries; None: it has no block."""
    own = {entry.name for entry in plan.entries}
    boots = [
        record.boot
        for record in records
        if isinstance(record, BootStart) and record.started[0].name in own
    ]
    blocks = [record for record in records if isinstance(record, Block) and record.boot in boots]
    slices = [slice_ for block in blocks for slice_ in block.slices]
    if not slices:
        return None
    lengths = [round(slice_.event.window_ns / 1e6) for slice_ in slices]
    slice_ms = max(1, round(median(lengths)))
    rate = float(np.mean([slice_.event.requests_per_s for slice_ in slices]))
    tables = [table for boot in boots if (table := _table(_of_boot(blocks, boot), sets))]
    spreads = _spreads(tables, plan.entries[0].attached is not None)
    one, twenty = _errors(spreads, slice_ms) if spreads else (None, None)
    return ContenderDraws(
        name=plan.reference,
        title=plan.entry(plan.reference).title,
        processes=len(plan.entries),
        sets=sets,
        boots=len(boots),
        rounds=len(blocks) // sets,
        slice_ms=slice_ms,
        requests_per_s=exp(np.mean([t.level for t in tables])) if tables else rate,
        generator_busy=median(max(slice_.event.busy_cores) for slice_ in slices),
        spreads=spreads,
        one_draw_error=one,
        twenty_draws_error=twenty,
        by_request=tuple(_requests(plan, sets, blocks)),
    )


def _requests(plan: Plan, sets: int, blocks: Sequence[Block]) -> Iterator[RequestDraws]:
    sent = plan.workload.by_name if plan.workload.is_mix else {}
    weights = sum(each.weight for each in sent.values())
    boots = sorted({block.boot for block in blocks})
    slices = [each for block in blocks for each in block.slices]
    window_s = sum(each.event.window_ns for each in slices) * 1e-9
    for place, (name, each) in enumerate(sent.items()):
        parts = [part for slice_ in slices if (part := part_of(slice_, place))]
        merged = latency.merge(parts)
        ln = partial(ln_quickness, place=place)
        tables = [found for boot in boots if (found := _table(_of_boot(blocks, boot), sets, ln))]
        yield RequestDraws(
            name=name,
            share=each.weight / weights,
            requests_per_s=sum(part.requests for part in parts) / window_s if window_s else 0.0,
            p50_us=merged.quantile_us(0.5) if merged.answered else None,
            p99_us=merged.quantile_us(0.99) if merged.answered else None,
            spreads=_spreads(tables, plan.entries[0].attached is not None),
        )


def components(tables: Sequence[Table], connections_only: bool) -> tuple[LevelSpread, ...]:
    """The spreads of the levels below the boot, from the smallest level."""
    degrees = sum(table.degrees for table in tables)
    block = MeanSquare(sum(table.block * table.degrees for table in tables) / degrees, degrees)
    cells = sum(table.cells.size for table in tables)
    # The part of a cell's variance that blocks explain: the variance of its mean.
    left = sum(table.block / table.rounds * table.cells.size for table in tables) / cells
    rows = _mean_square([_rows(table.cells) for table in tables])
    between = _mean_square([_interactions(table.cells) for table in tables])
    processes = sum(table.cells.shape[0] for table in tables)
    rounds = sum(table.rounds * table.cells.shape[1] for table in tables)
    block_spread = _spread("block", block, 0.0, rounds)
    if connections_only:
        degrees = rows.degrees + between.degrees
        value = (rows.value * rows.degrees + between.value * between.degrees) / degrees
        return block_spread, _spread("connections", MeanSquare(value, degrees), left, cells)
    sets = tables[0].cells.shape[1]
    return (
        block_spread,
        _spread("connections", between, left, cells),
        _between(rows, between, sets, processes),
    )


def _table(
    blocks: Sequence[Block], sets: int, ln: Callable[[Slice], float] = ln_throughput
) -> Table | None:
    """The cells of a boot; None where a set has too few blocks, or fewer than two live on.

    `ln` has the compared figure of a slice; a slice without a finite one is left out.
    """
    by_set: dict[int, list[Mapping[str, float]]] = {}
    for block in blocks:
        row = {slice_.entry: ln(slice_) for slice_ in block.slices if slice_.event.requests}
        told = {name: value for name, value in row.items() if isfinite(value)}
        by_set.setdefault(block.draw, []).append(told)
    if len(by_set) < sets or not blocks:
        return None
    # A slice without an answer has no logarithm. A process with many of them died, or hardly
    # serves.
    answered = Counter(name for rows in by_set.values() for row in rows for name in row)
    names = sorted(name for name, n in answered.items() if n >= ANSWERED_MIN * len(blocks))
    by_set = {
        draw: [row for row in rows if all(name in row for name in names)]
        for draw, rows in by_set.items()
    }
    rounds = min(map(len, by_set.values()))
    if len(names) < 2 or rounds < ROUNDS_MIN:
        return None
    cells, variances, levels = [], [], []
    for rows in by_set.values():
        logs = np.array([[row[name] for name in names] for row in rows])
        centred = logs - logs.mean(axis=1, keepdims=True)
        process = np.repeat(np.arange(len(names)), len(rows))
        centres, squares = trimmed_groups(centred.T.ravel(), process)
        cells.append(centres)
        variances.append(squares / (len(rows) - 1))
        levels.append(trimmed_mean(logs.mean(axis=1)))
    p = len(names)
    return Table(
        cells=np.array(cells).T,
        # Centring takes a share 1/p of a slice's variance away.
        block=float(np.mean(variances)) * p / (p - 1),
        degrees=(p - 1) * sets * max(1, degrees_of_freedom(rounds)),
        level=float(np.mean(levels)),
        rounds=rounds,
    )


def _spreads(tables: Sequence[Table], connections_only: bool) -> tuple[LevelSpread, ...]:
    if not tables:
        return ()
    below = components(tables, connections_only)
    if len(tables) < 2 or connections_only:
        return below
    levels = np.array([table.level for table in tables])
    boots = MeanSquare(float(levels.var(ddof=1)), len(levels) - 1)
    cells = tables[0].cells
    explained = sum(
        each.sd**2 / size
        for each, size in zip(
            below, (cells.size * tables[0].rounds, cells.size, len(cells)), strict=True
        )
    )
    return (*below, _spread("boot", boots, explained, len(tables)))


def _rows(cells: Floats) -> tuple[float, int]:
    means = cells.mean(axis=1)
    return float(cells.shape[1] * ((means - means.mean()) ** 2).sum()), len(means) - 1


def _interactions(cells: Floats) -> tuple[float, int]:
    rest = cells - cells.mean(axis=1, keepdims=True) - cells.mean(axis=0) + cells.mean()
    return float((rest**2).sum()), (cells.shape[0] - 1) * (cells.shape[1] - 1)


def _mean_square(sums: Sequence[tuple[float, int]]) -> MeanSquare:
    degrees = sum(each for _, each in sums)
    return MeanSquare(sum(value for value, _ in sums) / degrees, degrees)


def _spread(level: Level, square: MeanSquare, explained: float, n: int) -> LevelSpread:
    """The root of a mean square less what lower levels explain."""
    values = (square.value, square.quantile(1 - _SIDE), square.quantile(_SIDE))
    sd, low, high = (max(0.0, value - explained) for value in values)
    return _rooted(level, (sd, low, high or values[2]), n, square.degrees)


def _rooted(
    level: Level, variances: tuple[float, float, float], n: int, degrees: int
) -> LevelSpread:
    sd, low, high = map(sqrt, variances)
    return LevelSpread(level=level, sd=sd, low=low, high=high, n=n, degrees=degrees)


def _between(rows: MeanSquare, below: MeanSquare, sets: int, processes: int) -> LevelSpread:
    """The spread between processes, with Williams' interval."""

    def bound(share: float) -> float:
        quantile = f_quantile(rows.degrees, below.degrees, share) * below.value
        return (rows.value - quantile) * rows.degrees / chi_square_quantile(rows.degrees, share)

    values = (rows.value - below.value, bound(1 - _SIDE), bound(_SIDE))
    sd, low, high = (max(0.0, value / sets) for value in values)
    # Rows that agree by more than chance allows do so by chance: that does not prove a spread of
    # zero.
    high = high or rows.quantile(_SIDE) / sets
    return _rooted("process", (sd, low, high), processes, rows.degrees)


def _errors(spreads: Sequence[LevelSpread], slice_ms: int) -> tuple[float, float]:
    sd = {spread.level: spread.sd for spread in spreads}
    slices = sd["block"] ** 2 / (RUN_S * 1000 / slice_ms)
    drawn = sd["connections"] ** 2 + sd.get("process", 0.0) ** 2
    return sqrt(drawn + slices), sqrt(drawn / DRAWS + slices)


def _of_boot(blocks: Sequence[Block], boot: int) -> list[Block]:
    return [block for block in blocks if block.boot == boot]
