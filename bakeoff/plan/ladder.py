"""The rungs of a search for capacities: one geometric grid of rates for all contenders.

Rung n is 1.05ⁿ requests per second for every contender: those of similar capacity are offered the
same rates, and no ladder is more favourable than another.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log

from bakeoff.model.capacity import Objective

STEP = 1.05
RUNGS_BELOW, RUNGS_ABOVE = 2, 3
BEYOND = 8
"""Rungs above the capacity where saturation is measured: 1.05⁸ = 1.48 times."""
LOWER = (-6, -14, -28)
"""Rungs for the curve's left part, one in each round: 0.75, 0.5 and 0.26 times."""
ROUND = RUNGS_BELOW + 1 + RUNGS_ABOVE + 2
SEARCH = 12
"""Slices that a search takes, about: from 0.7 of the peak by halves or a fifth, then bisected."""
START = 0.7
_NEAR = 2
_DOWN, _UP = 14, 4

COST_SHARE = 0.5
"""The share of the peak where costs are measured: no contender is at its limit or nearly idle."""
COST_WINDOW_MS, REST_MS = 400, 200

WINDOW_MS_MIN, WINDOW_MS_MAX = 300, 4000
RAMP_MS_MIN = 100
RAMP_SHARE = 0.25
LIMITS_PER_WINDOW = 10
BEYOND_QUANTILE = 12
"""Requests beyond the quantile in a window on average: ten are the least, and arrivals vary."""


@dataclass(frozen=True)
class Streams:
    """The streams of a workload whose answers are streams of events: how many gaps each has, at
    least one, and how long it lasts."""

    gaps: int
    lasts_ms: float


def rate_of(rung: int) -> float:
    return float(STEP**rung)


def rung_of(rate: float) -> int:
    """The nearest rung to a rate above zero."""
    return round(log(rate) / log(STEP))


def window_ms(rate: float, objectives: Sequence[Objective], streams: Streams | None = None) -> int:
    """The length of a slice's window: ten times the longest limit or a stream's duration, and
    enough requests for each quantile.

    At most 4 s: below `lowest_rung` that is too short, and nothing is measured there.
    """
    bounds = [bound for objective in objectives for bound in objective.bounds]
    longest_ms = max(bound.limit_us for bound in bounds) / 1e3
    needed = max(
        LIMITS_PER_WINDOW * max(longest_ms, streams.lasts_ms if streams else 0.0),
        1000 * _most_requests(objectives, streams) / rate,
    )
    return max(WINDOW_MS_MIN, min(WINDOW_MS_MAX, ceil(needed)))


def _most_requests(objectives: Sequence[Objective], streams: Streams | None) -> float:
    """How many requests the highest quantile needs; each stream has several gaps."""
    gaps = streams.gaps if streams else 1
    return max(
        BEYOND_QUANTILE / (1 - bound.p) / (gaps if bound.of == "gap" else 1)
        for objective in objectives
        for bound in objective.bounds
    )


def ramp_ms(window: int) -> int:
    """Time for the queue to reach its usual length before the window: each slice begins idle."""
    return max(RAMP_MS_MIN, ceil(RAMP_SHARE * window))


def costs_s(contenders: int) -> float:
    """The time for costs in each round: all at rest, then a slice of each at either load."""
    return (REST_MS + 2 * contenders * COST_WINDOW_MS) / 1000


def lowest_rung(objectives: Sequence[Objective], streams: Streams | None = None) -> int:
    """The lowest rung at which the longest slice has enough requests for every quantile."""
    return ceil(log(1000 * _most_requests(objectives, streams) / WINDOW_MS_MAX) / log(STEP))


def probe(fitted: Mapping[int, float], peak: float, lowest: int) -> int | None:
    """The rung that a search tries next; None: the neighbourhood is known.

    `fitted` has a monotone score for each rung tried so far, above 0 where the objective breaks.
    The neighbourhood is known when two rungs at most two apart hold and break it, when `lowest`
    breaks it, or when 1.5 times the closed-loop `peak` holds it.
    """
    highest = max(lowest, rung_of(peak) + BEYOND)
    if not fitted:
        return min(max(rung_of(START * peak), lowest), highest)
    holds = [rung for rung, score in fitted.items() if score <= 0]
    breaks = [rung for rung, score in fitted.items() if score > 0]
    if not holds:
        return None if min(breaks) <= lowest else max(lowest, min(breaks) - _DOWN)
    if not breaks:
        return None if max(holds) >= highest else min(highest, max(holds) + _UP)
    low, high = max(holds), min(breaks)
    return None if high - low <= _NEAR else (low + high) // 2


def ladder(centres: Sequence[int], turn: int, lowest: int) -> list[int]:
    """The rungs of a contender's round: about each of its capacities, past them, and one below.

    `centres` are the highest rungs that hold its objectives; `turn` is the round's number.
    """
    rungs = {
        centre + step for centre in centres for step in range(-RUNGS_BELOW, RUNGS_ABOVE + 1)
    } | {centres[0] + BEYOND, min(centres) + LOWER[turn % len(LOWER)]}
    return sorted(rung for rung in rungs if rung >= lowest)


def climb(seed: int, boot: int, turn: int, name: str, rungs: Sequence[int]) -> list[int]:
    """The rungs of one round in random order, so that no rate has a fixed place in it."""
    order = list(rungs)
    random.Random(f"{seed}/ladder/{boot}/{turn}/{name}").shuffle(order)
    return order
