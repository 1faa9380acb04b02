"""Findings on a whole race: on its machines, network, reference and intervals.

One cause gives one warning: findings that contenders share are one finding on the race (`gather`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from statistics import median

from bakeoff.judge.calm import STEAL_SHARE_MAX, steal_share, unseen
from bakeoff.judge.compare import MIN_BLOCKS, compare
from bakeoff.judge.entries import Participants
from bakeoff.judge.history import History
from bakeoff.judge.warm_up import short_warm_up
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores, Plan
from bakeoff.model.verdict import MachineRatio, NoiseFloor

FEW = 5
"""Fewer groups than this make an interval at least half as wide again as many groups do: Student's
t is 4.3 with three, 3.2 with four, 2.8 with five and 2.1 with twenty."""


def grounds(history: History, names: Sequence[str]) -> Iterator[Finding]:
    """Where the intervals of `names`, the valid entries, rest on too few boots or processes."""
    boots = len(history.boots)
    if boots > 1 and len(history.draws) <= boots:
        # Each boot is one draw: alone (--solo), or in records of earlier versions.
        if boots < FEW:
            yield Finding.of("few_boots", n=boots)
        return
    if not history.draws:
        yield Finding.of("one_boot")
        return
    counts = {name: history.processes(name) for name in names}
    if single := [name for name in names if counts[name] <= boots]:
        yield Finding.of("one_process", names=single)
    if few := [name for name in names if boots < counts[name] < FEW]:
        yield Finding.of("few_processes", names=few, n=min(counts[name] for name in few))


Own = Mapping[str, tuple[Finding, ...]]
"""Contender → its own findings."""

STOLEN_MIN = 0.01
"""A smaller share of the cores' time explains nothing."""
BUSY_MIN = 0.9
"""A side that was busy for this share of the time that the host left counts as at its limit."""
SAME_MOMENT = 0.125
"""Changes that are this near to each other, as a share of a boot, are one: two of its twenty
moments."""

CAUSES: Mapping[str, str] = {
    "out_in_boots": "reason",
    "packets_lost": "quantile",
    "syn_repeated": "quantile",
    "verification": "text",
    "answers_count": "place",
    "answers_unlike": "differences",
}
"""By code, the value that contenders with one cause share."""
OF_MACHINE = ("machine_changed", "machine_stood_still")


@dataclass(frozen=True)
class Stolen:
    """The shares of the cores' time that the host took: of all cores of a race, and of each
    side's."""

    all: float
    server: float
    client: float

    @classmethod
    def of(cls, history: History, cores: Cores) -> "Stolen | None":
        """Over all blocks; None: it can't be known, or it was too little to explain anything."""
        # What the host of a generator on another machine takes isn't known.
        client = cores.server if cores.apart else cores.client
        sides = (cores.here, frozenset(cores.server), frozenset(client))
        both, *each = (steal_share(history.blocks, side) for side in sides)
        if both is None or both <= STOLEN_MIN:
            return None
        return cls(both, *(both if share is None else share for share in each))

    def hides(self, finding: Finding) -> bool:
        """Whether it explains that neither side was seen at its limit: one was busy for the
        rest."""
        if finding.code != "limit_unknown":
            return False
        server, client = (finding.values[key] for key in ("server_busy", "client_busy"))
        assert isinstance(server, float | int) and isinstance(client, float | int)
        return server >= BUSY_MIN * (1 - self.server) or client >= BUSY_MIN * (1 - self.client)


def gather(own: Own, stolen: Stolen | None = None) -> tuple[tuple[Finding, ...], Own]:
    """The findings on the race, and those that each contender keeps.

    Contenders whose findings share code and cause have one finding in the race, which `tells`
    theirs. They keep their own, for readers of one entry alone, but not the findings that the
    machine caused.
    """
    machine = [
        finding for findings in own.values() for finding in findings if finding.code in OF_MACHINE
    ]
    kept = {name: tuple(e for e in each if e.code not in OF_MACHINE) for name, each in own.items()}
    pairs = [(name, finding) for name, findings in kept.items() for finding in findings]
    hidden = {name: each for name, each in pairs if stolen and stolen.hides(each)}
    groups: dict[tuple[str, str], dict[str, Finding]] = {}
    for name, each in pairs:
        if name not in hidden or each.code != "limit_unknown":
            cause = (each.values.get(CAUSES.get(each.code, "")), each.because)
            groups.setdefault((each.code, str(cause)), {}).setdefault(name, each)
    said = [*_machines(machine)]
    if stolen and hidden:
        because, names = hidden.values(), list(hidden)
        said.append(Finding.of("host_hides_limits", *because, share=stolen.all, names=names))
    for group in groups.values():
        if len(group) > 1:
            said.append(Finding.of("several", *group.values(), names=list(group)))
    return tuple(said), kept


def _machines(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Each effect of the machine once, in the words of the finding with the most names, with all
    names.

    Several contenders saw it, each in its own blocks.
    """
    left = sorted(findings, key=lambda each: -len(_names(each)))
    while left:
        first = left[0]
        same = [each for each in left if _is_same(first, each)]
        names = dict.fromkeys(name for each in same for name in _names(each))
        yield first.model_copy(update={"values": {**first.values, "names": list(names)}})
        left = [each for each in left if each not in same]


def _is_same(first: Finding, other: Finding) -> bool:
    if first.code != other.code:
        return False
    if first.code == "machine_stood_still":
        return True
    (at, ratio), (others_at, others_ratio) = (
        (float(str(each.values["after_share"])), float(str(each.values["after_ratio"])))
        for each in (first, other)
    )
    return (
        first.values["boot"] == other.values["boot"]
        and abs(at - others_at) <= SAME_MOMENT
        and (ratio > 1) == (others_ratio > 1)
    )


def _names(finding: Finding) -> list[str]:
    names = finding.values["names"]
    assert isinstance(names, list)
    return [str(name) for name in names]


RESENT_SHARE_MIN = 1e-4
"""The share of all segments; fewer are hidden by other causes of late requests."""
RESENT_MIN = 10
FULL_SHARE = 0.8
"""The share of what one connection carried before the race."""


def network_findings(plan: Plan, history: History, names: Sequence[str]) -> Iterator[Finding]:
    """Segments that either side sent again, and entries that fill the network in one direction."""
    seen = [end.network for end in history.ends if end.network]
    resent = {
        "server": (
            sum(each.server.retransmits for each in seen),
            sum(each.server.segments_out for each in seen),
        ),
        "load": (
            sum(each.load.retransmits for each in seen),
            sum(each.load.segments_out for each in seen),
        ),
    }
    lossy = {
        side: again / sent
        for side, (again, sent) in resent.items()
        if again >= RESENT_MIN and again >= RESENT_SHARE_MIN * sent
    }
    if lossy:
        yield Finding.of("segments_resent", sides=[*lossy], shares=[*lossy.values()])
    carried = next((way.bytes_per_s for way in plan.cluster.routes), None) if plan.cluster else None
    if not carried:
        return
    # The body of a mean request: much is sent, or its head is little beside the answer.
    requests = plan.workload.by_name.values()
    sent = sum(request.weight * len(plan.workload.body(request)) for request in requests) / sum(
        request.weight for request in requests
    )
    used = {
        name: median(
            max(event.bytes, sent * event.requests) / event.window_ns * 1e9 for event in events
        )
        / carried
        for name in names
        if (events := [event for event in history.events(name) if event.window_ns])
    }
    if full := {name: share for name, share in used.items() if share >= FULL_SHARE}:
        yield Finding.of(
            "network_full", names=[*full], shares=[*full.values()], carried_bytes_per_s=carried
        )


def machine_ratios(
    plan: Plan, history: History, participants: Participants
) -> tuple[MachineRatio, ...]:
    """The reference on one machine over itself on another, in a family of their own; none where
    there is one machine, or where either copy has no figure."""
    if plan.cluster is None or plan.machines == 1:
        return ()
    for twin, original in participants.twins.items():
        if participants.unsettled(twin) or participants.unsettled(original):
            continue
        by_place = _by_place(plan, history, frozenset((twin, original)))
        hosts = [each.address for each in plan.cluster.servers]
        pairs = compare(by_place, hosts, plan.ranked_by)
        return tuple(
            MachineRatio(
                contender=original,
                machine=machine,
                over=over,
                **(pair.short or pair).interval(machine).model_dump(),
            )
            for place, over in enumerate(hosts)
            for machine in hosts[place + 1 :]
            if (pair := pairs.get(frozenset((machine, over))))
        )
    return ()


def _by_place(plan: Plan, history: History, copies: frozenset[str]) -> History:
    return replace(
        history,
        blocks=tuple(
            block.model_copy(
                update={
                    "slices": tuple(
                        slice_.model_copy(update={"entry": plan.host_of(slice_.entry, block.boot)})
                        for slice_ in block.slices
                        if slice_.entry in copies
                    )
                }
            )
            for block in history.blocks
        ),
        draws=tuple(
            draw.model_copy(
                update={
                    "processes": {
                        plan.host_of(name, draw.boot): number
                        for name, number in draw.processes.items()
                        if name in copies
                    }
                }
            )
            for draw in history.draws
        ),
    )


TWIN_WIDER = 2.0
"""Two copies differ where their ratio is this many half-widths of its 95 % interval from 1: the
interval alone would err in one comparison of twenty."""


def about_race(
    plan: Plan,
    history: History,
    names: Sequence[str],
    complete: bool,
    steal: float | None,
    shared: Sequence[Finding],
) -> Iterator[Finding]:
    cores, boots = len(plan.cores.server), len(history.boots)
    if plan.cores.shared:
        yield Finding.of("cores_shared")
    if plan.workers > cores:
        yield Finding.of("workers_crowded", workers=plan.workers, cores=cores)
    if not complete:
        yield Finding.of("cut_short", time_was_up=any(end.time_was_up for end in history.ends))
    if boots < plan.boots:
        yield Finding.of("boots_missing", n=boots, planned=plan.boots)
    if not plan.solo:
        yield from grounds(history, names)
    yield from short_warm_up(history)
    if blind := unseen(history, plan):
        yield blind
    hides = any(finding.code == "host_hides_limits" for finding in shared)
    if steal is not None and steal > STOLEN_MIN and not hides:
        yield Finding.of("host_steal", share=steal)
    # The kernel counts them for all servers together, so no entry is named.
    for change in history.changes:
        if change.connections and change.places:
            yield Finding.of(
                "fewer_connections",
                connections=plan.connections,
                names=list(change.places),
                places=list(change.places.values()),
            )
        if change.connections and change.served:
            yield Finding.of(
                "fewer_served",
                connections=plan.connections,
                names=list(change.served),
                served=list(change.served.values()),
            )
    if history.tcp and history.tcp.listen_overflows:
        yield Finding.of("listen_queue_full", overflows=history.tcp.listen_overflows)
    if history.tcp and history.tcp.tracking_drops:
        yield Finding.of("tracking_full", dropped_packets=history.tcp.tracking_drops)
    yield from network_findings(plan, history, names)


def blocks_left_out(
    disturbed: int, blocks: int, entries: Sequence[VerdictEntry]
) -> Iterator[Finding]:
    """Blocks that the host disturbed, and the ratios that lie outside of an interval with them."""
    moved = {
        entry.name: with_them
        for entry in entries
        if (with_them := entry.all_blocks) and with_them.low and with_them.high
        if (own := entry.ratio) and own.low and own.high and own.excludes(with_them.ratio)
    }
    if moved:
        yield Finding.of(
            "blocks_left_out",
            n=disturbed,
            blocks=blocks,
            limit_share=STEAL_SHARE_MAX,
            names=list(moved),
            ratios=[each.ratio for each in moved.values()],
            lows=[each.low or 0.0 for each in moved.values()],
            highs=[each.high or 0.0 for each in moved.values()],
        )


def about_reference(
    plan: Plan, participants: Participants, floor: NoiseFloor | None
) -> Iterator[Finding]:
    """The planned reference could not be used; the twin differs from it, or gives no noise
    floor."""
    planned, chosen = plan.reference, participants.reference
    if planned != chosen:
        why = participants.trouble(planned)
        yield Finding.of("reference_replaced", *why, planned=planned, chosen=chosen)
    if floor is None and plan.machines == 1:
        for twin, original in participants.twins.items():
            why = participants.unsettled(twin) or participants.unsettled(original)
            few = Finding.of("few_twin_blocks", least=MIN_BLOCKS)
            yield Finding.of("no_noise_floor", *(why or [few]))
    elif floor and _differ(floor):
        yield Finding.of(
            "twin_differs",
            name=participants.twins[floor.name],
            ratio=floor.ratio,
            low=floor.low,
            high=floor.high,
        )


def machines_differ(machines: Sequence[MachineRatio]) -> Iterator[Finding]:
    for each in machines:
        if each.excludes(1):
            keys = ("contender", "machine", "over", "ratio", "low", "high")
            yield Finding.of("machines_differ", **{key: getattr(each, key) for key in keys})


def _differ(floor: NoiseFloor) -> bool:
    return 2 * abs(log(floor.ratio)) > TWIN_WIDER * log(floor.high / floor.low)


def cpu_sources(entries: Sequence[VerdictEntry]) -> Iterator[Finding]:
    sources = {entry.name: entry.cpu_source for entry in entries if entry.cpu_source}
    if len(set(sources.values())) > 1:
        names = sorted(sources)
        yield Finding.of(
            "cpu_sources_differ", names=names, sources=[sources[name] for name in names]
        )
