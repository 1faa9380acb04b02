"""A line: one figure of all contenders, and what can be said of every two of them."""

from collections.abc import Callable, Sequence
from math import exp

import numpy as np

from bakeoff.judge.claims import MIN_ROUNDS
from bakeoff.judge.compare import Comparison, family
from bakeoff.judge.paired import Paired
from bakeoff.judge.spread import estimate
from bakeoff.model.finding import Finding
from bakeoff.model.lines import LinePair, LineValue, Outcome

TIE_WITHIN = 1.1


def line(
    table: Paired,
    names: Sequence[str],
    *,
    more_is_better: bool,
    why: Callable[[str], Finding],
    step: float = 0.0,
) -> tuple[tuple[LineValue, ...], tuple[LinePair, ...]]:
    """The values and the pairs of a `table` of ln figures, whose sign makes more the better.

    `why` says why a contender has none. Of a figure that is read in steps of `step`, two that are
    no further apart can't be told.
    """
    sign = 1 if more_is_better else -1
    values = {name: _value(table, name, sign) for name in names}
    return (
        tuple(
            LineValue(
                name=name,
                value=value,
                n=table.blocks_of(name, name),
                why=None if value is not None else why(name),
            )
            for name, value in values.items()
        ),
        tuple(
            _pair(each, values[each.a], values[each.b], step)
            for each in family(table, MIN_ROUNDS).values()
        ),
    )


def _value(table: Paired, name: str, sign: int) -> float | None:
    """The geometric mean, weighted as the ratios' are."""
    column = table.names.index(name)
    own = table.ln_y[:, column]
    there = np.isfinite(own)
    if not there.any():
        return None
    process = table.process[there, column]
    return exp(sign * estimate(own[there], table.boot[there], table.draw[there], process).centre)


def _pair(found: Comparison, a: float | None, b: float | None, step: float) -> LinePair:
    ratio = found.interval(found.a)
    outcome, why = _outcome(ratio.low, ratio.high), None
    near = step and a is not None and b is not None and abs(a - b) <= step
    if near and outcome in ("better", "worse"):
        outcome, why = "can't tell", Finding.of("below_step", step_ms=step)
    return LinePair(a=found.a, b=found.b, ratio=ratio, finding=outcome, why=why)


def _outcome(low: float, high: float) -> Outcome:
    if low > 1:
        return "better"
    if high < 1:
        return "worse"
    return "tie" if low >= 1 / TIE_WITHIN and high <= TIE_WITHIN else "can't tell"
