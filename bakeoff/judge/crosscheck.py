"""Where load tools differ beyond noise: the ratio of one to another in each figure that both say.

A run is paired with the others of its round. What a tool rounds away is no noise, it is the same in
every round: so an interval reaches from that of the least to that of the greatest figures that may
have been rounded to what was printed.

How many of 600 crosschecks of equal tools found any difference, in %, by rounds and comparisons
(noise of 3 %; ± 1):

    rounds      4    8   24
    10        7.8  8.5  9.0
    12        5.0  5.2  4.0
    15        7.8  8.2  6.5
    20        7.2  8.3  8.3

Twelve rounds are the default: the trimmed mean cuts two values at each end of ten as of twelve.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp, inf, log, nan

import numpy as np

from bakeoff.judge.compare import Comparison, family
from bakeoff.judge.evidence import MIN_ROUNDS
from bakeoff.judge.paired import Paired
from bakeoff.judge.robust import trimmed_mean
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
    known = [pair for each in asked if (pair := _known(table, *each))]
    found = family(table, MIN_ROUNDS, True, seed, known)
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


def _columns(figure: Figure, of: Loader, over: Loader, edge: int) -> tuple[str, str]:
    """The columns whose ratio is the least (-1) that there may be, as printed (0), or the most."""
    return _column(of, figure, edge), _column(over, figure, -edge)


def _rounds(table: Paired, figure: Figure, of: Loader, over: Loader) -> int:
    """In how many rounds both have said the figure."""
    # Whatever a tool rounds to nothing is something at most: these columns have all figures.
    return table.blocks_of(_column(of, figure, 1), _column(over, figure, 1))


def _known(table: Paired, figure: Figure, of: Loader, over: Loader) -> tuple[str, str] | None:
    """The columns that the noise is read from: as printed, where neither is rounded to nothing."""
    n = _rounds(table, figure, of, over)
    for edge in (0, 1, -1):
        columns = _columns(figure, of, over, edge)
        if n >= MIN_ROUNDS and table.blocks_of(*columns) == n:
            return columns
    return None


def _compared(
    figure: Figure,
    of: Loader,
    over: Loader,
    table: Paired,
    found: Mapping[frozenset[str], Comparison],
    steps: Mapping[tuple[Loader, Figure], float],
) -> Compared:
    n = _rounds(table, figure, of, over)
    if n < MIN_ROUNDS:
        why = f"{n} rounds have this figure of both, and {MIN_ROUNDS} are the least"
        return Compared(figure=figure, of=of, over=over, n=n, finding="can't tell", why=why)
    known = _known(table, figure, of, over)
    half_width = found[frozenset(known)].width.simultaneous if known else inf
    least, printed, most = (_centre(table, figure, of, over, edge) for edge in (-1, 0, 1))
    low = 0.0 if least is None else exp(least - half_width)
    high = None if most is None else exp(most + half_width)
    finding, why = _finding(low, high), ""
    hidden = least is None or most is None or most - least > log(AGREES_WITHIN)
    if finding == "can't tell" and hidden:
        coarse = max((of, over), key=lambda one: steps[one, figure])
        why = f"{coarse} prints no finer than {steps[coarse, figure] / 1000:g} ms"
    return Compared(
        figure=figure,
        of=of,
        over=over,
        ratio=None if printed is None else exp(printed),
        low=low,
        high=high,
        n=n,
        finding=finding,
        why=why,
    )


def _centre(table: Paired, figure: Figure, of: Loader, over: Loader, edge: int) -> float | None:
    """ln ratio over the rounds; None where it has no bound, as one was rounded to nothing."""
    columns = _columns(figure, of, over, edge)
    if table.blocks_of(*columns) < _rounds(table, figure, of, over):
        return None
    ratio = table.log_ratio(*columns)
    return trimmed_mean(ratio[np.isfinite(ratio)])


def _finding(low: float, high: float | None) -> Finding:
    if low > 1 or (high is not None and high < 1):
        return "differs"
    if low >= 1 / AGREES_WITHIN and high is not None and high <= AGREES_WITHIN:
        return "agrees"
    return "can't tell"
