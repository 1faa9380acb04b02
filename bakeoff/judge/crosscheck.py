"""Where load tools differ beyond noise: the ratio of one to another in each figure that both say.

A run is paired with the others of its round. What a tool rounds away is no noise, it is the same in
every round: so an interval reaches from that of the least to that of the greatest figures that may
have been rounded to what was printed.

Of 400 crosschecks of three equal tools (10 rounds, noise of 5 %, eight comparisons each), 5.3 %
found any difference.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log, nan

import numpy as np

from bakeoff.judge.compare import Comparison, family
from bakeoff.judge.evidence import MIN_ROUNDS
from bakeoff.judge.paired import Paired
from bakeoff.model.crosscheck import FIGURES, Compared, CrosscheckRun, Figure, Finding
from bakeoff.model.load import Loader

AGREES_WITHIN = 1.1

StepUs = Callable[[Loader, float], float]
"""How far apart the latencies are that a tool prints about one of so many µs; 0: it is exact."""


def crosscheck(
    runs: Sequence[CrosscheckRun],
    pairs: Sequence[tuple[Loader, Loader]],
    step_us: StepUs,
    seed: int,
) -> tuple[Compared, ...]:
    """Each pair (of, over) in each figure, all in one family of simultaneous intervals."""
    asked = [(figure, of, over) for of, over in pairs for figure in FIGURES]
    table = _table(runs, dict.fromkeys(one for pair in pairs for one in pair), step_us)
    wanted = [columns for each in asked for columns in _columns(*each)]
    found = family(table, MIN_ROUNDS, True, seed, wanted)
    steps = _steps(runs, step_us)
    return tuple(_compared(*each, table, found, steps) for each in asked)


def _steps(runs: Sequence[CrosscheckRun], step_us: StepUs) -> dict[tuple[Loader, Figure], float]:
    """The coarsest step of each tool in each latency, in µs."""
    steps: dict[tuple[Loader, Figure], float] = {}
    for run in runs:
        for figure in FIGURES:
            printed = run.value(figure)
            if figure != "requests_per_s" and printed is not None:
                known = steps.get((run.loader, figure), 0.0)
                steps[run.loader, figure] = max(known, step_us(run.loader, printed))
    return steps


def _table(
    runs: Sequence[CrosscheckRun], loaders: Mapping[Loader, None], step_us: StepUs
) -> Paired:
    """ln of each figure as printed, at least and at most: three columns each, a row for a round."""
    rounds = sorted({run.round for run in runs})
    names = [
        _column(one, figure, edge) for one in loaders for figure in FIGURES for edge in (-1, 0, 1)
    ]
    table = np.full((len(rounds), len(names)), nan)
    for run in runs:
        for figure in FIGURES:
            printed = run.value(figure) if run.loader in loaders else None
            if printed is None:
                continue
            half = 0.0 if figure == "requests_per_s" else step_us(run.loader, printed) / 2
            for edge in (-1, 0, 1):
                value = printed + edge * half
                place = names.index(_column(run.loader, figure, edge))
                table[rounds.index(run.round), place] = log(value) if value > 0 else nan
    return Paired(tuple(names), np.arange(len(rounds), dtype=np.int64), table)


def _column(loader: Loader, figure: Figure, edge: int) -> str:
    return f"{loader} {figure} {edge:+d}"


def _columns(figure: Figure, of: Loader, over: Loader) -> tuple[tuple[str, str], ...]:
    """The pairs of columns whose ratios are the least that there may be, the printed, the most."""
    return tuple((_column(of, figure, edge), _column(over, figure, -edge)) for edge in (-1, 0, 1))


def _compared(
    figure: Figure,
    of: Loader,
    over: Loader,
    table: Paired,
    found: Mapping[frozenset[str], Comparison],
    steps: Mapping[tuple[Loader, Figure], float],
) -> Compared:
    # Whatever a tool rounds to nothing is something at most: these columns have all figures.
    n = table.blocks_of(_column(of, figure, 1), _column(over, figure, 1))
    if n < MIN_ROUNDS:
        why = f"{n} rounds have this figure of both, and {MIN_ROUNDS} are the least"
        return Compared(figure=figure, of=of, over=over, n=n, finding="can't tell", why=why)
    least, printed, most = (
        found[frozenset(pair)].interval(pair[0]) if table.blocks_of(*pair) == n else None
        for pair in _columns(figure, of, over)
    )
    low, high = least.low if least else 0.0, most.high if most else None
    finding, why = _finding(low, high), ""
    if finding == "can't tell" and (
        not least or not most or most.ratio > AGREES_WITHIN * least.ratio
    ):
        coarse = max((of, over), key=lambda one: steps[one, figure])
        why = f"{coarse} prints no finer than {steps[coarse, figure] / 1000:g} ms"
    return Compared(
        figure=figure,
        of=of,
        over=over,
        ratio=printed.ratio if printed else None,
        low=low,
        high=high,
        n=n,
        finding=finding,
        why=why,
    )


def _finding(low: float, high: float | None) -> Finding:
    if low > 1 or (high is not None and high < 1):
        return "differs"
    if low >= 1 / AGREES_WITHIN and high is not None and high <= AGREES_WITHIN:
        return "agrees"
    return "can't tell"
