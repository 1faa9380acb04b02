"""Where load tools differ beyond noise: the ratio of two tools in each figure that both print.

A run is paired with the others of its round. Rounding is not noise, as it is the same in every
round. So an interval covers all figures that may have been rounded to what was printed, from the
least to the greatest.

Rounds are few. Their mean has Student's interval, whose false alarms do not depend on their number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, inf, log, nan

import numpy as np

from bakeoff.judge.claims import MIN_ROUNDS
from bakeoff.judge.compare import family
from bakeoff.judge.paired import Paired
from bakeoff.judge.validity import NEAR_LIMIT
from bakeoff.model.crosscheck import FIGURES, Compared, CrosscheckRun, Figure, Loading, Outcome
from bakeoff.model.finding import Finding
from bakeoff.model.load import Loader
from bakeoff.model.ratio import Ratio

AGREES_WITHIN = 1.1

StepUs = Callable[[Loader, float], float]
"""The step in which a tool prints latencies of a given length, both in µs; 0: it prints them
exactly."""


@dataclass(frozen=True)
class Figures:
    """Tool `of` over tool `over` in one figure. An edge is −1 for the least ratio that there may
    have been before the tools rounded, 0 for the ratio as printed, 1 for the greatest."""

    table: Paired
    figure: Figure
    of: Loader
    over: Loader

    def columns(self, edge: int) -> tuple[str, str]:
        return _column(self.of, self.figure, edge), _column(self.over, self.figure, -edge)

    @property
    def n(self) -> int:
        # A value rounded to 0 still has an upper bound, so these columns have all figures.
        top = (_column(self.of, self.figure, 1), _column(self.over, self.figure, 1))
        return self.table.blocks_of(*top)

    @property
    def noise(self) -> tuple[str, str] | None:
        """The columns from which the noise is read: as printed, where neither is rounded to
        nothing. None: there are too few rounds."""
        if self.n < MIN_ROUNDS:
            return None
        whole = (each for each in map(self.columns, (0, 1, -1)) if self._is_whole(each))
        return next(whole, None)

    def centre(self, edge: int) -> float | None:
        """ln ratio over the rounds; None where it has no bound, as one was rounded to nothing."""
        if not self._is_whole(self.columns(edge)):
            return None
        return self.table.estimate(*self.columns(edge)).centre

    def _is_whole(self, columns: tuple[str, str]) -> bool:
        return self.table.blocks_of(*columns) == self.n


def crosscheck(
    runs: Sequence[CrosscheckRun], pairs: Sequence[tuple[Loader, Loader]], step_us: StepUs
) -> tuple[Compared, ...]:
    """Each pair (of, over) in each figure, all in one family of simultaneous intervals."""
    table = _table(runs, list(dict.fromkeys(loader for pair in pairs for loader in pair)), step_us)
    ratios = [Figures(table, figure, of, over) for of, over in pairs for figure in FIGURES]
    wanted = [ratio.noise for ratio in ratios if ratio.noise]
    comparisons = family(table, MIN_ROUNDS, wanted)
    return tuple(
        _compared(
            ratio,
            comparisons[frozenset(ratio.noise)].width.simultaneous if ratio.noise else inf,
            runs,
            step_us,
        )
        for ratio in ratios
    )


def explained(compared: Compared, loadings: Sequence[Loading], rate: int | None) -> Compared:
    """The same, with the causes that are known to make a difference.

    In a closed loop a tool that is busy all the time is the limit of its own figures.
    """
    if compared.finding != "differs":
        return compared
    ahead = compared.ratio and compared.ratio.told() == "faster"
    higher = compared.of if ahead else compared.over
    latency = compared.figure != "requests_per_s"
    if latency:
        why = Finding.of("wrk_corrects") if higher == "wrk" else None
    else:
        why = None if rate else _limit(compared, loadings)
    return compared.model_copy(update={"why": why})


def _limit(compared: Compared, loadings: Sequence[Loading]) -> Finding | None:
    """Which of two tools that differ was the limit; None where their CPU time isn't known."""
    busy = {tool.loader: tool.busy for tool in loadings}
    of, over = busy[compared.of], busy[compared.over]
    if of is None or over is None:
        return None
    full = [name for name in (compared.of, compared.over) if (busy[name] or 0) >= NEAR_LIMIT]
    if len(full) == 1:
        return Finding.of("tool_full", loader=full[0], share=busy[full[0]])
    code = "tools_full" if full else "tools_not_full"
    return Finding.of(
        code, loader=compared.of, share=of, other_loader=compared.over, other_share=over
    )


def _table(runs: Sequence[CrosscheckRun], loaders: Sequence[Loader], step_us: StepUs) -> Paired:
    """ln of each figure as printed, at least and at most: three columns each, a row for each
    round."""
    rounds = sorted({run.round for run in runs})
    edges = (-1, 0, 1)
    names = [_column(*each) for each in product(loaders, FIGURES, edges)]
    table = np.full((len(rounds), len(names)), nan)
    for run, figure in product(runs, FIGURES):
        printed = run.value(figure) if run.loader in loaders else None
        if printed is None:
            continue
        for edge in edges:
            value = printed + edge * _step(run.loader, figure, printed, step_us) / 2
            place = names.index(_column(run.loader, figure, edge))
            table[rounds.index(run.round), place] = log(value) if value > 0 else nan
    return Paired.of_boots(tuple(names), np.arange(len(rounds), dtype=np.int64), table)


def _column(loader: Loader, figure: Figure, edge: int) -> str:
    return f"{loader} {figure} {edge:+d}"


def _step(loader: Loader, figure: Figure, printed: float, step_us: StepUs) -> float:
    return 0.0 if figure == "requests_per_s" else step_us(loader, printed)


def _compared(
    ratio: Figures, half_width: float, runs: Sequence[CrosscheckRun], step_us: StepUs
) -> Compared:
    figure, of, over, n = ratio.figure, ratio.of, ratio.over, ratio.n
    if n < MIN_ROUNDS:
        why = Finding.of("few_rounds", n=n, least=MIN_ROUNDS)
        return Compared(figure=figure, of=of, over=over, finding="can't tell", why=why)
    least, printed, most = map(ratio.centre, (-1, 0, 1))
    low = None if least is None else exp(least - half_width)
    high = None if most is None else exp(most + half_width)
    known = low if high is None else high
    middle = known if printed is None else exp(printed)
    found = None if middle is None else Ratio(ratio=middle, low=low, high=high, n=n)
    outcome, coarse = _outcome(found), None
    hidden = least is None or most is None or most - least > log(AGREES_WITHIN)
    if outcome == "can't tell" and hidden:
        steps = {
            loader: max(
                _step(loader, figure, value, step_us)
                for run in runs
                if run.loader == loader and (value := run.value(figure)) is not None
            )
            for loader in (of, over)
        }
        loader = max(steps, key=steps.__getitem__)
        coarse = Finding.of("coarse", loader=loader, step_us=steps[loader])
    return Compared(figure=figure, of=of, over=over, ratio=found, finding=outcome, why=coarse)


def _outcome(ratio: Ratio | None) -> Outcome:
    low, high = ratio.ends if ratio else (0.0, inf)
    if low > 1 or high < 1:
        return "differs"
    return "agrees" if low >= 1 / AGREES_WITHIN and high <= AGREES_WITHIN else "can't tell"
