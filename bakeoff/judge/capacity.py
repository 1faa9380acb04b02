"""The capacities, put together from the plan, the receipts and what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from bakeoff.judge.capacity_found import Climbed, capacity, climbed, mean, movement_of, pairs
from bakeoff.judge.capacity_validity import reasons_of, run_warnings, warnings_of
from bakeoff.judge.crossing import climb, fitted
from bakeoff.judge.curve import AT, NEAR_SATURATION, SATURATION, curve, nearest
from bakeoff.judge.disturbed import calm
from bakeoff.judge.history import History, history
from bakeoff.judge.slo import Held
from bakeoff.judge.tally import tally
from bakeoff.judge.vectors import Floats
from bakeoff.model.capacity import CapacityEntry, CapacityPlan, CapacityReport
from bakeoff.model.errors import NoVerdict
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record


def fit(held: Sequence[Held]) -> dict[float, float]:
    """Rate → the highest of the fitted scores of all conditions so far: above 0 it breaks one."""
    return fitted(climb(held, range(len(held)))) if held else {}


def judge_capacity(
    asked: CapacityPlan,
    plan: Plan,
    receipts: Mapping[str, Receipt],
    records: Sequence[Record],
    machine: Machine,
    complete: bool,
    step: float,
) -> CapacityReport:
    """The report on `records`, which are in file order and may stop anywhere.

    The same input gives the same report. Raises `NoVerdict` where not one block was measured.
    """
    whole = history(records)
    if not whole.blocks:
        raise NoVerdict("no block was measured, so there is nothing to judge")
    kept = calm(whole.blocks, frozenset(plan.cores.server + plan.cores.client))
    seen = replace(whole, blocks=kept)
    names = [entry.name for entry in plan.entries]
    reasons = {name: reasons_of(plan, name, whole, tally(whole.turns(name))) for name in names}
    valid = [name for name in names if not reasons[name]]
    climbs = [climbed(seen, valid, objective) for objective in asked.objectives]
    movement = [movement_of(plan, seen, each) for each in climbs]
    return CapacityReport(
        run=asked.run,
        command_line=plan.command_line,
        objectives=asked.objectives,
        workload=plan.workload.name,
        arrivals=plan.arrivals,
        connection=plan.connection,
        connections=plan.connections,
        reference=plan.reference,
        complete=complete,
        warnings=tuple(run_warnings(plan, whole, seen, complete)),
        entries=tuple(
            _entry(asked, plan, receipts, seen, name, reasons[name], climbs, movement)
            for name in names
        ),
        pairs=tuple(pairs(asked.objectives, climbs, movement)),
        skipped=plan.skipped,
        step=step,
        boots=len(seen.boots),
        blocks=len(seen.blocks),
        disturbed_blocks=len(whole.blocks) - len(seen.blocks),
        measured_s=sum(tally(whole.turns(name)).measured_s for name in names),
        cores=plan.cores,
        seed=plan.seed,
        machine=machine,
    )


def _entry(
    asked: CapacityPlan,
    plan: Plan,
    receipts: Mapping[str, Receipt],
    seen: History,
    name: str,
    reasons: tuple[str, ...],
    climbs: Sequence[Mapping[str, Climbed]],
    movement: Sequence[Mapping[str, Floats]],
) -> CapacityEntry:
    pieces = [piece for _, piece in seen.slices(name)]
    points = curve(pieces, asked.objectives, places=plan.connections * plan.pipeline)
    capacities = tuple(
        capacity(objective, climbed[name], points, moves.get(name))
        for objective, climbed, moves in zip(asked.objectives, climbs, movement, strict=True)
        if name in climbed
    )
    first = capacities[0].requests_per_s if capacities else None
    entry = plan.entry(name)
    return CapacityEntry(
        name=name,
        title=entry.title,
        version=receipts[name].version if name in receipts else "",
        valid=not reasons,
        reasons=reasons,
        warnings=tuple(warnings_of(seen, name, points, first)),
        peak=_peak(seen, name),
        capacities=capacities,
        mean=mean(name, climbs, movement),
        at_capacity=nearest(points, first, AT) if first else None,
        beyond=nearest(points, first * SATURATION, NEAR_SATURATION) if first else None,
        curve=points,
    )


def _peak(seen: History, name: str) -> float | None:
    rates = [peak for warmup in seen.warmups if (peak := warmup.peak(name)) is not None]
    return median(rates) if rates else None
