"""The verdict, composed of the plan, the receipts and the measurements."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bakeoff.judge import about_race, loaders
from bakeoff.judge.by_cpu import differing, feel_unlike, restless
from bakeoff.judge.calm import (
    calm,
    cores_moved,
    kept_disturbed,
    left_out,
    steal_share,
    usual_trip_ns,
)
from bakeoff.judge.compare import MARGIN, compare
from bakeoff.judge.entries import Compared, Participants, row
from bakeoff.judge.fairness import unequal
from bakeoff.judge.gate import decided, decided_by_both, is_decided, precision
from bakeoff.judge.history import History
from bakeoff.judge.path import path_figures, path_findings
from bakeoff.judge.pauses import Speeds
from bakeoff.judge.requests import disagreements, mixed_requests
from bakeoff.judge.standings import cpu_letters, listed, ordered, places
from bakeoff.judge.warm_up import warmths
from bakeoff.model.errors import NoVerdict
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import NoiseFloor, Upstream, Verdict

OF_PLAN = (
    *("run", "mode", "ranked_by", "rate", "load", "arrivals", "within", "pipeline", "connection"),
    *("protocol", "streams", "connections", "solo", "cores", "seed"),
)
"""The parts of the plan that the verdict repeats."""


def judge(
    plan: Plan,
    receipts: Mapping[str, Receipt],
    records: Sequence[Record],
    machine: Machine,
    complete: bool,
) -> Verdict:
    """The verdict on `records`, which are in file order and may stop anywhere.

    `complete`: the plan's time was measured. A race that may end early is also complete when all
    boots are measured and its question is decided. Intervals of such a race, and of one that was
    interrupted or goes on, hold whenever it ends.

    The same input gives the same verdict: nothing is drawn by chance. A verdict is `valid` if two
    of its entries are, or the only entry. Raises `NoVerdict` if no block was measured.

    The twin is compared apart: in the family of all pairs it would widen all intervals.
    """
    every = History.of(records)
    if not every.blocks:
        raise NoVerdict(f"{plan.run}: nothing was measured")
    any_time = plan.may_end_early or not (complete or _failed(plan, every))
    every = replace(every, any_time=any_time)
    cpus = plan.cores.here
    kept = calm(every.blocks, cpus)
    disturbed = left_out(every.blocks, kept)
    counted = {id(block) for block in kept}
    apart = sum(id(every.blocks[at]) not in counted for at in loaders.spoiled(every.blocks))
    history = replace(every, blocks=kept) if disturbed else every
    beside_others = replace(every, blocks=calm(every.blocks, cpus, in_company=True))
    participants = Participants.of(plan, history, every)
    valid, reference = participants.valid, participants.reference
    speeds = Speeds.of(plan, history, valid)
    compared = Compared.of(plan, history, every, beside_others, participants, speeds.compared())
    pairs, by_cpu, lost = compared.pairs, compared.by_cpu, speeds.lost(compared.pairs)
    names = ordered(valid, reference, pairs)
    warmth = warmths(beside_others, valid)
    measured_s = sum(tally.measured_s for tally in participants.tallies.values())
    measured_s += sum(
        piece.event.window_ns / 1e9 for block in history.singles for piece in block.slices
    )
    listing = listed(
        names,
        pairs,
        participants.bounded,
        by_cpu,
        compared.by_mean,
        compared.by_first_byte,
        compared.by_events,
        beside_others.core.states,
        within=plan.within,
        measured_s=measured_s,
        core_trip_ns=usual_trip_ns(every.blocks),
    )
    standing, letters = places(names, listing), cpu_letters(names, reference, by_cpu, plan.within)
    entries = tuple(
        row(
            plan,
            history,
            participants,
            compared,
            name,
            receipts.get(name),
            lost.get(name),
            warmth.get(name),
            standing.get(name),
            letters.get(name, ""),
        )
        for name in [*names, *participants.invalid]
    )
    shared, own = about_race.gather(
        {entry.name: entry.warnings for entry in entries}, about_race.Stolen.of(every, plan.cores)
    )
    entries = tuple(entry.model_copy(update={"warnings": own[entry.name]}) for entry in entries)
    # The largest of the pairs that tie or, without ties, the smallest of all.
    effects = [(pair.finding, pair.minimum_detectable_effect) for pair in listing]
    detectable = max(
        (mde for finding, mde in effects if mde is not None and finding == "can't tell"),
        default=min((mde for _, mde in effects if mde is not None), default=None),
    )
    floor = _noise_floor(plan, history, participants)
    machines = about_race.machine_ratios(plan, history, participants)
    steal = steal_share(every.blocks, cpus)
    reached = precision(plan.precision, names, pairs, participants.bounded, measured_s)
    requests = mixed_requests(plan, history, list(participants.reasons), names)
    verdict = Verdict(
        **{key: getattr(plan, key) for key in OF_PLAN},
        workload=plan.workload.name,
        workload_summary=plan.workload.summary,
        unit=plan.workload.unit,
        streamed="message" if plan.workload.grpc else "event",
        requests=requests,
        by_request=tuple(disagreements(requests, listing)),
        by_cpu=differing(plan, entries, listing),
        precision=reached,
        stopping="any_time" if any_time else "planned",
        reference=reference,
        valid=len(names) >= min(2, len(plan.entries) - len(participants.twins)),
        complete=complete,
        fairness=unequal(
            plan, {name: work for name, work in participants.works.items() if name in valid}
        ),
        noise_floor=floor,
        equivalence_margin=plan.within or MARGIN,
        entries=entries,
        pairs=listing,
        skipped=(
            *plan.skipped,
            *(
                skipped_
                for skipped_ in participants.skipped
                if skipped_.name not in participants.twins
            ),
        ),
        minimum_detectable_effect=detectable,
        boots=len(history.boots),
        blocks=len(history.blocks),
        disturbed_blocks=disturbed,
        measured_s=measured_s,
        steal_share=steal,
        upstream=_upstream(plan, participants),
        path=path_figures(plan, every.ends),
        machines=machines,
        loaders=loaders.figures(every.blocks),
        machine=machine,
    )
    gates = decided(plan, verdict)
    if plan.cpu_gates:
        gates = decided_by_both(plan, verdict, beside_others, pairs, by_cpu, participants.bounded)
    verdict = verdict.model_copy(update={"gates": gates})
    if plan.until:
        verdict = verdict.model_copy(update={"decided": is_decided(verdict, participants.bounded)})
    complete = complete or (verdict.answered and len(every.ends) >= plan.boots)
    warnings = (
        *about_race.about_race(plan, every, names, complete, steal, shared),
        *about_race.blocks_left_out(disturbed - apart, len(every.blocks), entries),
        *kept_disturbed(every.blocks, kept, cpus),
        *(cores_moved(every.blocks) if disturbed else ()),
        *path_findings(verdict.path),
        *loaders.findings(every.blocks, apart, plan.mode == "open"),
        *restless(history.core, pairs.values()),
        *feel_unlike(listing, reference),
        *about_race.about_reference(plan, participants, floor),
        *about_race.machines_differ(machines),
        *about_race.cpu_sources(entries),
        *shared,
    )
    return verdict.model_copy(update={"complete": complete, "warnings": warnings})


def _failed(plan: Plan, history: History) -> bool:
    """Whether a failure ended the race, or the limit of its time: an interrupt leaves a boot
    without an end, or boots that never began."""
    ends = history.ends
    if len(ends) < len(history.starts):
        return False
    return len(ends) >= plan.boots or any(end.cut_short for end in ends[-1:])


def _upstream(plan: Plan, participants: Participants) -> Upstream | None:
    if plan.upstream is None:
        return None
    cores = [tally.upstream_cores for tally in participants.tallies.values()]
    most = max((each for each in cores if each is not None), default=None)
    return Upstream(
        delay_ms=plan.workload.upstream_delay_ms,
        rows=plan.workload.database_rows,
        cpus=plan.upstream_cpus,
        busy=None if most is None else most / plan.upstream_cores,
    )


def _noise_floor(plan: Plan, history: History, participants: Participants) -> NoiseFloor | None:
    """The twin over its original, in a family of its own. None: one of them is not valid or a lower
    bound, or they were on two machines."""
    if plan.machines > 1:
        return None
    for twin, original in participants.twins.items():
        if participants.unsettled(twin) or participants.unsettled(original):
            continue
        both = (twin, original)
        for pair in compare(history, both, plan.ranked_by).values():
            interval = (pair.short or pair).interval(twin)
            return NoiseFloor(name=twin, **interval.model_dump())
    return None
