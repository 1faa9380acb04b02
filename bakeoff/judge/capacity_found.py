"""Capacities, their means and their ratios, each with its interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, inf, log

import numpy as np

from bakeoff.judge.capacity_bootstrap import mean_of, moved
from bakeoff.judge.crossing import Climb, Crossing, climb, crossing, told
from bakeoff.judge.history import History
from bakeoff.judge.simultaneous import widths
from bakeoff.judge.slo import GENERATOR, Held, hold
from bakeoff.judge.vectors import Floats
from bakeoff.model.capacity import Capacity, CapacityPair, CurvePoint, Mean, Objective
from bakeoff.model.plan import Plan

ABOVE = 0.16
"""ln of the rates above a capacity that are asked whether the generator was the limit."""


@dataclass(frozen=True)
class Climbed:
    """One contender against one objective. `untold`: a quantile that no slice had enough for."""

    climb: Climb
    held: Sequence[Held]
    crossing: Crossing
    untold: str

    @property
    def generator(self) -> bool:
        """Whether most slices just above the capacity were the generator's failure."""
        if self.crossing.ln_rate == -inf:
            return False
        above = [
            one.late for one in self.held if 0 <= log(one.rate) - self.crossing.ln_rate <= ABOVE
        ]
        return sum(above) * 2 > len(above)


def climbed(seen: History, names: Sequence[str], objective: Objective) -> dict[str, Climbed]:
    """All of `names` that were offered a rate."""
    place = {(block.boot, block.block): n for n, block in enumerate(seen.blocks)}
    found = {}
    for name in names:
        given = [(block, piece) for block, piece in seen.slices(name) if piece.rate]
        if not given:
            continue
        held = [hold(piece, objective) for _, piece in given]
        climbing = climb(held, [place[block.boot, block.block] for block, _ in given])
        untold = [b.quantile for b in objective.bounds if not told(climbing, b.quantile)]
        found[name] = Climbed(climbing, held, crossing(climbing), "".join(untold[:1]))
    return found


def movement_of(plan: Plan, seen: History, climbs: Mapping[str, Climbed]) -> dict[str, Floats]:
    """How each capacity that was found may have moved."""
    sure = {
        name: each
        for name, each in climbs.items()
        if np.isfinite(each.crossing.ln_rate) and not each.generator and not each.untold
    }
    return moved(
        {name: each.climb for name, each in sure.items()},
        {name: each.crossing for name, each in sure.items()},
        np.array([block.boot for block in seen.blocks]),
        plan.seed,
    )


def capacity(
    objective: Objective,
    found: Climbed,
    points: Sequence[CurvePoint],
    moves: Floats | None,
) -> Capacity:
    """What is known of it; `moves` are the replicates of a capacity that was found."""
    if found.untold:
        return Capacity(
            objective=objective.text,
            finding="can't tell",
            requests_per_s=None,
            limit=found.untold,
        )
    ln_rate, limit = found.crossing.ln_rate, found.crossing.limit
    if ln_rate == -inf:
        quantiles = [bound.quantile for bound in objective.bounds]
        best_us, best_rate = _best(points, limit if limit in quantiles else quantiles[0])
        return Capacity(
            objective=objective.text,
            finding="not met",
            requests_per_s=None,
            limit=limit,
            best_us=best_us,
            best_rate=best_rate,
        )
    if moves is None:
        rate = exp(min(ln_rate, float(found.climb.ln_rates[-1])))
        limit = GENERATOR if found.generator else limit
        return Capacity(
            objective=objective.text, finding="at least", requests_per_s=rate, limit=limit
        )
    width = widths(moves[:, None], (len(found.held),))[0].alone
    return Capacity(
        objective=objective.text,
        finding="found",
        requests_per_s=exp(ln_rate),
        low=exp(ln_rate - width),
        high=exp(ln_rate + width),
        limit=limit,
    )


def _best(points: Sequence[CurvePoint], quantile: str) -> tuple[float | None, float | None]:
    """The lowest that a quantile was, and at which rate."""
    seen = [(us, point.rate) for point in points if (us := point.quantiles_us.get(quantile))]
    return min(seen) if seen else (None, None)


def mean(
    name: str,
    climbs: Sequence[Mapping[str, Climbed]],
    movement: Sequence[Mapping[str, Floats]],
) -> Mean | None:
    """The geometric mean over several objectives, where each capacity was found."""
    if len(climbs) < 2 or not all(name in moves for moves in movement):
        return None
    centre = float(np.mean([each[name].crossing.ln_rate for each in climbs]))
    moves = mean_of([each[name] for each in movement])
    width = widths(moves[:, None], (len(climbs[0][name].held),))[0].alone
    return Mean(requests_per_s=exp(centre), low=exp(centre - width), high=exp(centre + width))


def pairs(
    objectives: Sequence[Objective],
    climbs: Sequence[Mapping[str, Climbed]],
    movement: Sequence[Mapping[str, Floats]],
) -> list[CapacityPair]:
    """Every two contenders, per objective, and by their means where there are several."""
    found: list[CapacityPair] = []
    for objective, climbed, moves in zip(objectives, climbs, movement, strict=True):
        centres = {name: climbed[name].crossing.ln_rate for name in moves}
        found += _compared(objective.text, centres, moves)
    if len(objectives) > 1:
        names = [name for name in movement[0] if all(name in moves for moves in movement)]
        centres = {
            name: float(np.mean([each[name].crossing.ln_rate for each in climbs])) for name in names
        }
        means = {name: mean_of([each[name] for each in movement]) for name in names}
        found += _compared("", centres, means)
    return found


def _compared(
    objective: str, centres: Mapping[str, float], moves: Mapping[str, Floats]
) -> list[CapacityPair]:
    """Every two, the higher one first, simultaneous over all of them."""
    ranked = sorted(centres, key=lambda name: -centres[name])
    pairs = list(combinations(ranked, 2))
    if not pairs:
        return []
    apart = np.stack([moves[a] - moves[b] for a, b in pairs], axis=1)
    found = []
    for (a, b), width in zip(pairs, widths(apart, (len(apart),) * len(pairs)), strict=True):
        ratio, half = centres[a] - centres[b], width.simultaneous
        found.append(
            CapacityPair(
                a=a,
                b=b,
                objective=objective,
                ratio=exp(ratio),
                low=exp(ratio - half),
                high=exp(ratio + half),
                finding="higher" if ratio > half else "can't tell",
            )
        )
    return found
