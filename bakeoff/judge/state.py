"""How ratios follow the state of the machine, which the fixed work beside the slices shows.

Of unequal servers the weather cancels in part only: one feels a slow machine more than another. So
the draws' ln ratios by server CPU are regressed on the draws' ln time of the fixed work, by
weighted least squares, with the weights that their mean has. (By throughput the same slopes are
hidden by what else disturbs a slice: docs/EVIDENCE.md, fixed work.)
"""

from collections.abc import Iterator, Mapping, Sequence
from math import exp, hypot, log, sqrt

import numpy as np

from bakeoff.judge.calm import judged_kind
from bakeoff.judge.compare import Comparison
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.widths import CONFIDENCE
from bakeoff.model.finding import Finding
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import ByState, Interval
from bakeoff.model.samples import Block

DRAWS_MIN = 8
"""Of fewer draws a slope is not estimated."""
QUIET = 0.25
"""The share of the draws in which the fixed work took less than in a quiet one."""

States = Mapping[tuple[int, int], float]
"""Boot and draw → ln of the fixed work's time in µs, the median of its slices."""


def states(blocks: Sequence[Block]) -> States:
    """Those of all draws in which the fixed work was timed."""
    kind = judged_kind(blocks) if blocks else "short"
    times: dict[tuple[int, int], list[int]] = {}
    for block in blocks:
        for each in block.slices if block.kind == kind else ():
            if each.event.fixed_work_ns:
                times.setdefault((block.boot, block.draw), []).append(each.event.fixed_work_ns)
    return {draw: log(float(np.median(of)) / 1000) for draw, of in times.items()}


def by_state(comparison: Comparison, a: str, given: States, together: int) -> ByState | None:
    """How the ratio of `a`, one of the two, follows the state: one of `together` intervals that are
    to hold at once (Šidák). None: too few draws have a state, or all have the same."""
    draws = [each for each in comparison.estimate.draws if (each.boot, each.draw) in given]
    share = np.array([each.share for each in draws])
    effective = round(float(share.sum() ** 2 / (share**2).sum())) if len(draws) else 0
    if effective < DRAWS_MIN:
        return None
    sign = 1 if a == comparison.a else -1
    share /= share.sum()
    work = np.array([given[each.boot, each.draw] for each in draws])
    ratio = sign * np.array([each.centre for each in draws])
    beyond = work - float(share @ work)
    if np.ptp(work) == 0:
        return None
    variance = float(share @ beyond**2)
    centre = float(share @ ratio)
    slope = float(share @ (beyond * ratio)) / variance
    residual = ratio - centre - slope * beyond
    error = sqrt(float(share @ residual**2) / (effective - 2) / variance)
    of_slope = error * t_quantile(effective - 2, (1 + CONFIDENCE ** (1 / together)) / 2)
    to_quiet = float(np.quantile(beyond, QUIET))
    quiet = comparison.log_ratio(a) + slope * to_quiet
    width = hypot(comparison.width.simultaneous, of_slope * to_quiet)
    return ByState(
        slope=slope,
        slope_low=slope - of_slope,
        slope_high=slope + of_slope,
        work_us=exp(float(np.quantile(work, QUIET))),
        quiet=Interval(
            ratio=exp(quiet), low=exp(quiet - width), high=exp(quiet + width), n=len(draws)
        ),
    )


def feel_unlike(pairs: Sequence[Pair], reference: str) -> Iterator[Finding]:
    """The contenders whose ratio to the reference follows the machine by more than chance."""
    over = [pair.turned() if pair.a == reference else pair for pair in pairs]
    for pair in sorted(over, key=lambda each: each.a):
        found = pair.by_state if pair.b == reference else None
        if found and not found.slope_low <= 0 <= found.slope_high:
            yield Finding.of(
                "feels_machine",
                name=pair.a,
                other=reference,
                **found.model_dump(exclude={"quiet"}),
                quiet=found.quiet.ratio,
                quiet_low=found.quiet.low,
                quiet_high=found.quiet.high,
            )
