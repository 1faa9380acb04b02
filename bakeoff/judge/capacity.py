"""The capacities of a search: what the slices of an open loop show of each contender.

Each contender has its throughput–latency curve and its capacities; their means and ratios each have
an interval.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, inf, isfinite, log
from statistics import median

import numpy as np

from bakeoff.judge import validity
from bakeoff.judge.calm import calm, cores_moved, kept_disturbed, left_out
from bakeoff.judge.compare import CONFIDENCE
from bakeoff.judge.crossing import (
    CONNECTIONS,
    GENERATOR,
    UNSTEADY,
    Climb,
    Crossing,
    Held,
    climb,
    crossing,
    curve,
    fitted,
    has_quantile,
    hold,
    holds_somewhere,
    moved,
    nearest,
    quantiles_of,
    requests_at,
)
from bakeoff.judge.history import History
from bakeoff.judge.lines import cost_lines, counts_energy
from bakeoff.judge.path import path_figures, path_findings
from bakeoff.judge.spread import Floats, Indices
from bakeoff.judge.tally import ERROR_GROUPS, Tally
from bakeoff.judge.warm_up import unsteady_warm_up
from bakeoff.model import capacity
from bakeoff.model.errors import NoVerdict
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.ratio import Interval
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record

SATURATION = 1.5
AT, NEAR_SATURATION = 0.06, 0.15
"""In ln rate: how far a point may be from the capacity, and from 1.5 times it, to stand for it."""
UNSEEN, UNSEEN_OF_RATIO = 0.065, 0.03
"""What short slices miss, in ln: of a capacity, which comes out too high, and of each unit of a ln
ratio (crossing.py)."""
AS_EVER = 1.1
"""Times the lowest median of any rate: answers within that are as fast as ever."""
ABOVE = 0.16
"""In ln rate: how far above a capacity slices show whether the generator was the limit."""


@dataclass(frozen=True)
class Estimate:
    """ln of a capacity that was found, how far it may be off, shape (replicates,), and the number
    of its slices."""

    ln_rate: float
    moves: Floats
    n: int

    @property
    def interval(self) -> tuple[float, float]:
        width = float(half_widths(self.moves[:, None])[0])
        return exp(self.ln_rate - width - UNSEEN), exp(self.ln_rate + width)


def half_widths(moves: Floats) -> Floats:
    """95 % half-widths that hold for all columns of `moves` (replicates, columns) at once.

    Each column's own, widened by the 95 % quantile of the largest |move| of a replicate in units of
    it (Beran, JASA 83, 1988: balanced simultaneous confidence sets). One column has its own.
    """
    size = np.abs(moves)
    alone = np.maximum(np.quantile(size, CONFIDENCE, axis=0), 1e-12)
    widened: Floats = alone * max(1.0, float(np.quantile((size / alone).max(axis=1), CONFIDENCE)))
    return widened


def groups(history: History, names: Iterable[str]) -> Indices:
    """The group of each block, as a number. Groups are those of the highest level that was drawn
    twice, of boots, processes, draws and blocks.

    With several processes, they are those of the contender with the fewest, but more than one.
    """
    draws = {(draw.boot, draw.draw): draw.processes for draw in history.draws}
    ran = [draws.get((block.boot, block.draw), {}) for block in history.blocks]
    counts = {name: len({each.get(name) for each in ran}) for name in names}
    several = [name for name, count in counts.items() if count > 1]
    fewest = min(several, key=counts.__getitem__, default="")
    levels = (
        [block.boot for block in history.blocks],
        [each.get(fewest, -1) for each in ran],
        [block.draw for block in history.blocks],
    )
    found = next((level for level in levels if len(set(level)) > 1), range(len(history.blocks)))
    return np.array(found, dtype=np.int64)


@dataclass(frozen=True)
class Climbed:
    """One contender against one objective. `unknown`: a quantile for which no slice had enough
    answers."""

    climb: Climb
    held: Sequence[Held]
    crossing: Crossing
    unknown: str

    @property
    def spared(self) -> str:
        """What was the limit, instead of the server, in most slices just above the capacity, or at
        the lowest rate where none held: the generator, or that all connections were taken while the
        server answered as fast as ever."""
        ln_rate = max(self.crossing.ln_rate, float(self.climb.ln_rates[0]))
        above = [each for each in self.held if 0 <= log(each.rate) - ln_rate <= ABOVE]
        if not above:
            return ""
        served = [each.served_us for each in self.held if each.served_us is not None]
        usual_us = min(served, default=0.0) * AS_EVER
        if sum(each.late for each in above) * 2 > len(above):
            return GENERATOR
        taken = [each.queued and (each.served_us or inf) <= usual_us for each in above]
        return CONNECTIONS if sum(taken) * 2 > len(above) else ""

    @property
    def is_found(self) -> bool:
        return isfinite(self.crossing.ln_rate) and not self.spared and not self.unknown


def fit(held: Sequence[Held]) -> dict[float, float]:
    """Rate → the highest of the fitted scores of all conditions so far: above 0 a condition is
    broken."""
    return fitted(climb(held, range(len(held)))) if held else {}


def judge_capacity(
    search: capacity.CapacityPlan,
    plan: Plan,
    receipts: Mapping[str, Receipt],
    records: Sequence[Record],
    machine: Machine,
    complete: bool,
    step: float,
) -> capacity.CapacityReport:
    """The report on `records`, which are in file order and may stop anywhere.

    The same input gives the same report. Raises `NoVerdict` where no block was measured.
    """
    every = History.of(records)
    if not every.blocks:
        raise NoVerdict(f"{plan.run}: nothing was measured")
    kept = calm(every.blocks, plan.cores.here)
    history = replace(every, blocks=kept)
    names = [entry.name for entry in plan.entries]
    tallies = {name: Tally.of(every.turns(name)) for name in names}
    reasons = {name: _reasons(plan, name, every, tallies[name]) for name in names}
    valid = [name for name in names if not reasons[name]]
    climbs = [_climbed(history, valid, objective) for objective in search.objectives]
    estimates = [_estimates(plan, history, climbed) for climbed in climbs]
    means = _means(estimates)
    path = path_figures(plan, every.ends)
    return capacity.CapacityReport(
        run=search.run,
        command_line=plan.command_line,
        objectives=search.objectives,
        workload=plan.workload.name,
        unit=plan.workload.unit,
        room=plan.workload.room,
        arrivals=plan.arrivals,
        connection=plan.connection,
        connections=plan.connections,
        protocol=plan.protocol,
        streams=plan.streams,
        path=path,
        reference=plan.reference,
        complete=complete,
        warnings=(*_run_warnings(plan, every, history, complete), *path_findings(path)),
        entries=tuple(
            _entry(search, plan, receipts, history, name, reasons[name], climbs, estimates, means)
            for name in names
        ),
        pairs=tuple(
            pair
            for objective, each in zip(search.objectives, estimates, strict=True)
            for pair in _pairs(objective.text, each)
        )
        + tuple(_pairs("", means)),
        costs=tuple(cost_lines(every, valid)) if valid else (),
        skipped=plan.skipped,
        step=step,
        boots=len(history.boots),
        blocks=len(history.blocks),
        disturbed_blocks=left_out(every.blocks, kept),
        measured_s=sum(tallies[name].measured_s for name in names),
        cores=plan.cores,
        seed=plan.seed,
        machine=machine,
    )


def _climbed(
    history: History, names: Sequence[str], objective: capacity.Objective
) -> dict[str, Climbed]:
    place = {(block.boot, block.block): n for n, block in enumerate(history.blocks)}
    climbs = {}
    for name in names:
        given = [(block, slice_) for block, slice_ in history.slices(name) if slice_.rate]
        if not given:
            continue
        held = [hold(slice_, objective) for _, slice_ in given]
        curve = climb(held, [place[block.boot, block.block] for block, _ in given])
        unknown = [b.quantile for b in objective.bounds if not has_quantile(curve, b.quantile)]
        climbs[name] = Climbed(curve, held, crossing(curve), "".join(unknown[:1]))
    return climbs


def _estimates(plan: Plan, history: History, climbs: Mapping[str, Climbed]) -> dict[str, Estimate]:
    moves = moved(
        {name: each.climb for name, each in climbs.items() if each.is_found},
        groups(history, climbs),
        plan.seed,
    )
    return {
        name: Estimate(climbs[name].crossing.ln_rate, each, len(climbs[name].held))
        for name, each in moves.items()
    }


def _means(estimates: Sequence[Mapping[str, Estimate]]) -> dict[str, Estimate]:
    if len(estimates) < 2:
        return {}
    return {
        name: Estimate(
            float(np.mean([known[name].ln_rate for known in estimates])),
            np.mean(np.stack([known[name].moves for known in estimates]), axis=0),
            min(known[name].n for known in estimates),
        )
        for name in estimates[0]
        if all(name in known for known in estimates)
    }


def _pairs(objective: str, estimates: Mapping[str, Estimate]) -> Iterator[capacity.CapacityPair]:
    """Every two, the higher one first, simultaneous over all of them."""
    pairs = list(combinations(sorted(estimates, key=lambda name: -estimates[name].ln_rate), 2))
    if not pairs:
        return
    apart = np.stack([estimates[a].moves - estimates[b].moves for a, b in pairs], axis=1)
    for (a, b), width in zip(pairs, half_widths(apart), strict=True):
        ratio = estimates[a].ln_rate - estimates[b].ln_rate
        half = float(width) + UNSEEN_OF_RATIO * ratio
        yield capacity.CapacityPair(
            a=a,
            b=b,
            objective=objective,
            ratio=Interval(
                ratio=exp(ratio),
                low=exp(ratio - half),
                high=exp(ratio + half),
                n=min(estimates[a].n, estimates[b].n),
            ),
            finding="higher" if ratio > half else "can't tell",
        )


def _entry(
    search: capacity.CapacityPlan,
    plan: Plan,
    receipts: Mapping[str, Receipt],
    history: History,
    name: str,
    reasons: tuple[Finding, ...],
    climbs: Sequence[Mapping[str, Climbed]],
    estimates: Sequence[Mapping[str, Estimate]],
    means: Mapping[str, Estimate],
) -> capacity.CapacityEntry:
    slices = [slice_ for _, slice_ in history.slices(name)]
    quantiles = quantiles_of(search.objectives)
    listeners = plan.workload.listeners
    points = curve(slices, quantiles, history.places(plan, name), listeners)
    capacities = tuple(
        _capacity(objective, climbed[name], points, known.get(name))
        for objective, climbed, known in zip(search.objectives, climbs, estimates, strict=True)
        if name in climbed
    )
    first = capacities[0].requests_per_s if capacities else None
    peaks = [peak for warmup in history.warmups if (peak := warmup.peak(name)) is not None]
    mean = None
    if name in means:
        low, high = means[name].interval
        mean = capacity.Mean(requests_per_s=exp(means[name].ln_rate), low=low, high=high)
    at_capacity = nearest(points, first, AT)
    started = history.started(name)
    return capacity.CapacityEntry(
        name=name,
        title=plan.entry(name).title,
        version=receipts[name].version if name in receipts else "",
        valid=not reasons,
        reasons=reasons,
        warnings=tuple(_warnings(history, name, at_capacity)),
        peak=median(peaks) / listeners if peaks else None,
        capacities=capacities,
        mean=mean,
        at_capacity=at_capacity,
        held=started[-1].verification.held if started else {},
        beyond=nearest(points, first * SATURATION if first else None, NEAR_SATURATION),
        requests=tuple(requests_at(plan, slices, at_capacity, quantiles)),
        curve=points,
    )


def _capacity(
    objective: capacity.Objective,
    climbed: Climbed,
    points: Sequence[capacity.CurvePoint],
    estimate: Estimate | None,
) -> capacity.Capacity:
    ln_rate, limit = climbed.crossing.ln_rate, climbed.crossing.limit
    rate: float | None = None
    known: dict[str, float | None] = {}
    outcome: capacity.Outcome = "found"
    if climbed.unknown:
        outcome, limit = "can't tell", climbed.unknown
    elif ln_rate == -inf and climbed.spared:
        outcome, limit = "can't tell", climbed.spared
    elif ln_rate == -inf and holds_somewhere(climbed.climb):
        outcome, limit = "can't tell", UNSTEADY
    elif ln_rate == -inf:
        outcome, quantiles = "not met", [bound.quantile for bound in objective.bounds]
        quantile = limit if limit in quantiles else quantiles[0]
        measured = [
            (us, point.rate) for point in points if (us := point.quantiles_us.get(quantile))
        ]
        known = dict(zip(("best_us", "best_rate"), min(measured, default=()), strict=False))
    elif estimate is None:
        outcome, limit = "at least", climbed.spared or limit
        rate = exp(min(ln_rate, float(climbed.climb.ln_rates[-1])))
    else:
        rate, (low, high) = exp(ln_rate), estimate.interval
        known = {"low": low, "high": high}
    return capacity.Capacity(
        objective=objective.text, finding=outcome, requests_per_s=rate, limit=limit, **known
    )


def _reasons(plan: Plan, name: str, history: History, tally: Tally) -> tuple[Finding, ...]:
    """Why the contender has no capacity; refused connections are overload, wrong bytes are not."""
    if not tally.slices:
        return validity.unmeasured(name, history)
    wrong = sum(
        count for kind, count in tally.error_kinds.items() if ERROR_GROUPS.get(kind) == "mismatch"
    )
    return (
        *validity.death(name, history),
        *([validity.answered_wrongly(tally, wrong)] if wrong else []),
        *validity.few_connections(plan, name, history),
    )


def _warnings(
    history: History, name: str, at_capacity: capacity.CurvePoint | None
) -> Iterator[Finding]:
    yield from validity.out_in_boots(name, history)
    yield from unsteady_warm_up(name, history)
    yield from validity.seen_in_answers([entry.verification for entry in history.started(name)])
    if at_capacity and at_capacity.client_busy > validity.NEAR_LIMIT:
        yield Finding.of("generator_busy_at_capacity", client_busy=at_capacity.client_busy)


def _run_warnings(
    plan: Plan, every: History, history: History, complete: bool
) -> Iterator[Finding]:
    cores, disturbed = len(plan.cores.server), left_out(every.blocks, history.blocks)
    if not complete:
        yield Finding.of("search_cut_short")
    if plan.cores.shared:
        yield Finding.of("cores_shared_by_search")
    if cores > 1:
        yield Finding.of("server_cores", cores=cores)
    if disturbed:
        yield Finding.of("blocks_disturbed", n=disturbed, blocks=len(every.blocks))
        yield from cores_moved(every.blocks)
    yield from kept_disturbed(every.blocks, history.blocks, plan.cores.here)
    if len(history.boots) == 1 and not history.draws:
        yield Finding.of("one_boot_of_search")
    if every.costs and not counts_energy(every):
        yield Finding.of("no_energy")
