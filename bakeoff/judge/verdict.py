"""The verdict, put together from the plan, the receipts and what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bakeoff.judge import gate, surroundings
from bakeoff.judge.compare import MIN_BLOCKS, Pairs, compare
from bakeoff.judge.cost import steal_share
from bakeoff.judge.disturbed import calm
from bakeoff.judge.equivalence import MARGIN
from bakeoff.judge.fairness import unequal
from bakeoff.judge.field import Field, assembled
from bakeoff.judge.history import History, history
from bakeoff.judge.precision import precision
from bakeoff.judge.rows import OUTSIDE, Standing, row
from bakeoff.judge.standings import listed, ordered, standings, with_all_blocks
from bakeoff.model.audit import Work
from bakeoff.model.errors import NoVerdict
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import NoiseFloor, Pair, Verdict, VerdictEntry


def judge(
    plan: Plan,
    receipts: Mapping[str, Receipt],
    records: Sequence[Record],
    machine: Machine,
    complete: bool,
) -> Verdict:
    """The verdict on `records`, which are in file order and may stop anywhere.

    `complete`: the plan's time was measured. A race for a precision is complete too where its boots
    are through and the precision is reached.

    The same input gives the same verdict: the bootstrap's seed is the plan's. A verdict is
    `valid` when two of its entries are, or the one of a race that was planned with one. Its
    `minimum_detectable_effect` is the largest of the pairs that can't be told apart, or, where
    all can, the smallest. Raises `NoVerdict` where not one block was measured.
    """
    all_seen = history(records)
    if not all_seen.blocks:
        raise NoVerdict("no block was measured, so there is nothing to judge")
    cpus = frozenset(plan.cores.server + plan.cores.client)
    kept = calm(all_seen.blocks, cpus)
    disturbed = len(all_seen.blocks) - len(kept)
    seen = replace(all_seen, blocks=kept) if disturbed else all_seen
    field = assembled(plan, seen, all_seen)
    pairs = compare(seen.blocks, field.valid, plan.solo, plan.seed, plan.ranked_by)
    names = ordered(field.valid, field.reference, pairs)
    found = standings(names, field.reference, pairs, seen)
    if disturbed:
        also = compare(all_seen.blocks, field.valid, plan.solo, plan.seed, plan.ranked_by)
        found = with_all_blocks(found, field.reference, also)
    rows = _rows(plan, receipts, seen, field, found)
    floor = _noise_floor(plan, seen, field)
    steal = steal_share(all_seen.blocks, cpus)
    listing = listed(names, pairs)
    measured_s = sum(each.measured_s for each in field.spent.values())
    aimed = precision(plan.precision, names, pairs, measured_s)
    if aimed and aimed.met and len(all_seen.ends) >= plan.boots:
        complete = True
    verdict = Verdict(
        run=plan.run,
        workload=plan.workload.name,
        mode=plan.mode,
        ranked_by=plan.ranked_by,
        rate=plan.rate,
        load=plan.load,
        arrivals=plan.arrivals,
        pipeline=plan.pipeline,
        connection=plan.connection,
        connections=plan.connections,
        precision=aimed,
        solo=plan.solo,
        reference=field.reference,
        valid=len(names) >= min(2, len(plan.entries) - len(field.twins)),
        complete=complete,
        warnings=(
            *surroundings.race_warnings(plan, all_seen, complete, steal),
            *surroundings.left_out(disturbed, len(all_seen.blocks), rows),
            *_about_entries(plan, field, floor),
            *surroundings.unequal_sources({each.name: each.cpu_source for each in rows}),
        ),
        fairness=unequal(plan, _valid_works(field)),
        noise_floor=floor,
        equivalence_margin=MARGIN,
        entries=rows,
        pairs=listing,
        skipped=(
            *plan.skipped,
            *(each for each in field.skipped if each.name not in field.twins),
        ),
        minimum_detectable_effect=_detectable(listing),
        boots=len(seen.boots),
        blocks=len(seen.blocks),
        disturbed_blocks=disturbed,
        measured_s=measured_s,
        steal_share=steal,
        cores=plan.cores,
        seed=plan.seed,
        machine=machine,
    )
    return verdict.model_copy(update={"gates": gate.decided(plan, verdict)})


def _rows(
    plan: Plan,
    receipts: Mapping[str, Receipt],
    seen: History,
    field: Field,
    found: Mapping[str, Standing],
) -> tuple[VerdictEntry, ...]:
    """The standings in their order, then the entries that are not valid, in plan order."""
    return tuple(
        row(plan, seen, field, name, found.get(name, OUTSIDE), receipts.get(name))
        for name in [*found, *field.invalid]
    )


def _noise_floor(plan: Plan, seen: History, field: Field) -> NoiseFloor | None:
    """The twin over its original, in a family of its own; None where either is not valid."""
    for twin, original in field.twins.items():
        both = (twin, original)
        if any(field.trouble(name) for name in both):
            continue
        pairs: Pairs = compare(seen.blocks, both, plan.solo, plan.seed, plan.ranked_by)
        for pair in pairs.values():
            found = pair.short.interval(twin)
            return NoiseFloor(name=twin, **found.model_dump())
    return None


def _valid_works(field: Field) -> dict[str, Work]:
    return {name: field.works[name] for name in field.valid if name in field.works}


def _about_entries(plan: Plan, field: Field, floor: NoiseFloor | None) -> list[str]:
    """Warnings that concern the race as a whole and come from some of its entries."""
    original = field.twins[floor.name] if floor else plan.reference
    return [
        *surroundings.new_reference(plan.reference, field.reference, field.trouble(plan.reference)),
        *surroundings.noisy_floor(floor, original),
        *(_no_floor(field) if floor is None else []),
    ]


def _no_floor(field: Field) -> list[str]:
    """A twin was planned and gives no noise floor."""
    return [
        f"no noise floor: {field.trouble(twin) or field.trouble(original) or _TOO_FEW}"
        for twin, original in field.twins.items()
    ]


_TOO_FEW = f"fewer than {MIN_BLOCKS} blocks have both the twin and its original"


def _detectable(pairs: Sequence[Pair]) -> float | None:
    undecided = [pair.minimum_detectable_effect for pair in pairs if pair.finding == "can't tell"]
    if undecided:
        return max(undecided)
    return min((pair.minimum_detectable_effect for pair in pairs), default=None)
