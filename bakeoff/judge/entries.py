"""The entries of a race: which are valid, and the row of each in the verdict."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean, median, stdev

from bakeoff.judge import datagrams, held_streams, latency, standings, streams
from bakeoff.judge.compare import MIN_BLOCKS, Comparison, Pairs, compare
from bakeoff.judge.fairness import work
from bakeoff.judge.history import History, judged_kind
from bakeoff.judge.open_loop import Offered, offered_to
from bakeoff.judge.pauses import Lost, with_cost
from bakeoff.judge.ramp import Factor, Factors, factors
from bakeoff.judge.tally import Tally
from bakeoff.judge.validity import at_least, client_core, leak_share, limited_by, reasons, warnings
from bakeoff.judge.warm_up import Warmth, cold_draws, warm_ups
from bakeoff.model.audit import Work
from bakeoff.model.entry import MemoryUse, PerRequest, ResponseBytes, VerdictEntry
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan, Skipped
from bakeoff.model.protocol import OVER_UDP
from bakeoff.model.ratio import Ratio
from bakeoff.model.readings import Memory
from bakeoff.model.receipt import Receipt

NEVER_STARTED = "it was never started: the race ended before that"


@dataclass(frozen=True)
class Participants:
    """`reasons` has why an entry that took part is not valid, empty where it is; `at_least` has why
    it did at least what was measured, empty where it did just that. Twins are apart: they have no
    place in the standings. `tallies` add up the blocks that are judged, `all_tallies` all blocks:
    an error counts wherever it happened, and `works` cover all blocks too. `turns` has, over all
    blocks, those in which each had its turn. `offered` is None in a closed loop."""

    tallies: Mapping[str, Tally]
    all_tallies: Mapping[str, Tally]
    offered: Mapping[str, Offered | None]
    reasons: Mapping[str, tuple[Finding, ...]]
    at_least: Mapping[str, tuple[Finding, ...]]
    twins: Mapping[str, str]
    works: Mapping[str, Work]
    turns: Mapping[str, frozenset[tuple[int, int]]]
    skipped: tuple[Skipped, ...]
    reference: str

    @classmethod
    def of(cls, plan: Plan, judged: History, every: History) -> "Participants":
        """Sort the planned entries; `judged` has the blocks that are judged, `every` all blocks.

        The first valid one in plan order stands in for a reference that is not valid or never came
        up.
        """
        names = [entry.name for entry in plan.entries]
        tallies = {name: Tally.of(judged.turns(name)) for name in names}
        all_tallies = tallies
        if judged is not every:
            all_tallies = {name: Tally.of(every.turns(name)) for name in names}
        twins = {entry.name: entry.twin_of for entry in plan.entries if entry.twin_of}
        started = [name for name in names if judged.started(name) or tallies[name].slices]
        offered = {name: offered_to(plan, judged, name) for name in started}
        why = {
            name: reasons(plan, name, judged, tallies[name], all_tallies[name], offered[name])
            for name in started
        }
        able = [name for name in started if not why[name] and name not in twins]
        return cls(
            tallies=tallies,
            all_tallies=all_tallies,
            offered=offered,
            reasons=why,
            at_least={
                name: at_least(plan, name, judged, tallies[name], offered[name]) for name in started
            },
            twins=twins,
            works={name: done for name in started if (done := work(plan, every, name))},
            turns={
                name: frozenset((block.boot, block.block) for block, _ in every.slices(name))
                for name in names
            },
            skipped=tuple(
                Skipped(name=name, reason=next(iter(judged.out(name).values()), NEVER_STARTED))
                for name in names
                if name not in started
            ),
            reference=able[0] if able and plan.reference not in able else plan.reference,
        )

    @property
    def valid(self) -> list[str]:
        return [name for name, why in self.reasons.items() if not why and name not in self.twins]

    @property
    def invalid(self) -> list[str]:
        return [name for name, why in self.reasons.items() if why and name not in self.twins]

    @property
    def ended(self) -> list[str]:
        return [name for name in self.invalid if self.reasons[name][0].code == "died"]

    @property
    def bounded(self) -> frozenset[str]:
        return frozenset(name for name, why in self.at_least.items() if why)

    def trouble(self, name: str) -> tuple[Finding, ...]:
        """Why `name` is invalid or absent; empty: it is valid."""
        if name in self.reasons:
            return self.reasons[name]
        skipped = [skipped_.reason for skipped_ in self.skipped if skipped_.name == name]
        return tuple(Finding.of("text", text=reason) for reason in skipped[:1])

    def unsettled(self, name: str) -> tuple[Finding, ...]:
        """Why `name` has no figure on which a noise floor could rest; empty: it has one."""
        return self.trouble(name) or self.at_least.get(name, ())


@dataclass(frozen=True)
class Compared:
    """The pairs of a race, compared by what the race is ranked by, by requests per CPU second
    (`by_cpu`) and by mean speeds (`by_mean`). Where blocks are left out of `pairs`, they are also
    compared by all blocks; and where a body came in more than one piece, by the time to its first
    byte, from the slices of which latencies are taken.

    `until_end` has the entries whose figures are invalid because they ended: their answers until
    then are compared with the reference. Those blocks end with their processes, not because of
    their ratio. `ramps` has the factors by which CPU time is freed of the ramp.
    """

    pairs: Pairs
    by_cpu: Pairs
    by_mean: Pairs
    by_first_byte: Pairs
    by_events: streams.ByFigure
    all_blocks: Pairs
    until_end: Pairs
    ramps: Factors

    @classmethod
    def of(
        cls,
        plan: Plan,
        history: History,
        every: History,
        beside_others: History,
        participants: Participants,
        by_mean: Pairs,
    ) -> "Compared":
        """`beside_others` also has the slices in which other processes had the cores."""
        valid, by, reference = participants.valid, plan.ranked_by, participants.reference
        planned = replace(history, any_time=False)
        lasting = replace(
            history,
            blocks=tuple(block for block in history.blocks if block.kind == "long")
            or history.blocks,
        )
        in_pieces = any(
            slice_.event.first_byte for block in lasting.blocks for slice_ in block.slices
        )
        ended = [name for name in participants.ended if name != reference]
        ramps = factors(beside_others.blocks)
        return cls(
            pairs=compare(history, valid, by),
            by_cpu=compare(beside_others, valid, "requests_per_cpu_s", ramps),
            by_mean=by_mean,
            by_first_byte=compare(lasting, valid, "first_byte") if in_pieces else {},
            by_events={
                **streams.compared(lasting, valid),
                **streams.in_rooms(history, valid),
            },
            all_blocks=compare(every, valid, by) if history is not every else {},
            until_end={
                pair: comparison
                for name in ended
                for pair, comparison in compare(planned, (reference, name), by).items()
            },
            ramps=ramps,
        )


def row(
    plan: Plan,
    history: History,
    participants: Participants,
    compared: Compared,
    name: str,
    receipt: Receipt | None,
    lost: Lost | None,
    warmth: Warmth | None,
    place: tuple[tuple[int, int], str] | None,
    cpu_letters: str,
) -> VerdictEntry:
    """The figures of an entry that took part.

    `place` is its rank range and its letters, None where it is not valid.
    """
    reference = participants.reference
    is_reference = place is not None and name == reference
    ranked = place is not None and not is_reference

    def to_reference(pairs: Pairs) -> Comparison | None:
        return pairs.get(frozenset({name, reference})) if ranked else None

    def bounded(comparison: Comparison | None) -> Ratio | None:
        if comparison is None:
            return None
        return standings.bounded_ratio(
            comparison.interval(name), name, reference, participants.bounded
        )

    against, cpu, means = map(to_reference, (compared.pairs, compared.by_cpu, compared.by_mean))
    first = to_reference(compared.by_first_byte)
    mean_ratio = standings.mean_ratio(against, means, name, reference, participants.bounded)
    interval = bounded(against)
    shared = history.blocks_of(name, reference, kind=judged_kind(history.blocks)) if place else 0
    to_itself = Ratio(ratio=1.0, low=1.0, high=1.0, n=shared) if shared else None
    tally, offered = participants.tallies[name], participants.offered[name]
    started = history.started(name)
    verification = started[-1].verification if started else None
    lengths = history.lengths(name)
    merged = latency.merge(history.lasting(name))
    quantiles = latency.summary(merged)
    first_bytes = latency.first_bytes(history.lasting(name))
    cores = plan.server_cores_of(name)
    server_busy = tally.server_busy(cores)
    ready_ms = [entry.time_to_ready_ms for entry in started if entry.time_to_ready_ms is not None]
    over_udp = plan.protocol_of(name) in OVER_UDP
    of_boots = against.boot_ratios(name) if against else ()
    return VerdictEntry(
        name=name,
        title=plan.entry(name).title,
        protocol=plan.protocol_of(name),
        valid=not participants.reasons[name],
        reasons=participants.reasons[name],
        at_least=participants.at_least[name],
        warnings=(
            *with_cost(tuple(warnings(plan, name, history, tally)), lost, reference, mean_ratio),
            *(
                ()
                if over_udp or plan.path
                else latency.signatures(quantiles, server_busy, history.tcp)
            ),
            *cold_draws(warmth),
            *streams.held_back(plan, history, name),
            *held_streams.broke(plan, name, history),
            *datagrams.missing(plan, history, name),
            *(_about_blocks(name, participants, against, shared, history) if ranked else ()),
        ),
        ratio=to_itself if is_reference else interval,
        cpu_ratio=cpu.interval(name) if cpu else None,
        mean_ratio=mean_ratio,
        first_byte_ratio=standings.unbounded(first, name, reference, participants.bounded),
        event_ratios=standings.event_ratios(
            compared.by_events, name, reference, participants.bounded
        )
        if ranked
        else None,
        warmth=warmth and warmth.beside,
        long_slices=bounded(against.long if against else None),
        all_blocks=bounded(to_reference(compared.all_blocks)),
        until_end=bounded(compared.until_end.get(frozenset({name, reference}))),
        boots=of_boots,
        draws=against.draw_ratios(name) if against else (),
        processes=history.processes(name),
        spread=against.estimate.spread if against else None,
        rank=place[0] if place else None,
        letters=place[1] if place else "",
        cpu_letters=cpu_letters,
        requests_per_s=tally.requests_per_s,
        latency_us=quantiles,
        first_byte_us=first_bytes and latency.summary(first_bytes),
        streams=streams.streams(history, name),
        rooms=streams.rooms(history, name),
        held_streams=held_streams.held_streams(plan, history, name),
        latency_n=merged.answered + merged.misses,
        percentiles_us=latency.percentile_series(merged),
        cpu_us_per_request=cpu_per_request(tally, compared.ramps.get(name)),
        memory_mib=MemoryUse(
            idle=_mean_mib(entry.idle for entry in started), loaded=_mean_mib(history.loaded(name))
        ),
        memory_kib_per_connection=history.kib_per_connection(name),
        bytes_per_response=ResponseBytes(
            head=verification.head_bytes if verification else 0,
            body=verification.body_bytes if verification else 0,
        ),
        requests=tally.requests,
        measured_s=tally.measured_s,
        errors=participants.all_tallies[name].errors,
        error_kinds=dict(participants.all_tallies[name].error_kinds),
        handshakes=tally.of_tls,
        datagrams=datagrams.together(history, name),
        connects=tally.connects,
        slice_ms=lengths.short_ms if lengths else None,
        long_slice_ms=lengths.long_ms if lengths else None,
        limited_by=limited_by(plan, server_busy, tally.client_busy),
        server_busy=server_busy,
        client_busy=tally.client_busy,
        client_core=client_core(plan, tally),
        leak_share=leak_share(tally, cores),
        workers=plan.workers_of(name),
        time_to_ready_ms=median(ready_ms) if ready_ms else None,
        version=receipt.version if receipt else "",
        command=started[-1].command if started else (),
        cpu_source=started[-1].cpu_source if started else "",
        held=verification.held if verification else {},
        work=participants.works.get(name),
        warm_up=warm_ups(name, history),
        boot_sd=stdev(log(each.ratio) for each in of_boots) if len(of_boots) > 1 else None,
        open_loop=offered.summary if offered else None,
    )


def cpu_per_request(tally: Tally, ramp: Factor | None = None) -> PerRequest:
    """CPU µs per request. The server's CPU time covers ramp, window and drain, as do its answers:
    `ramp` has what that is in the window.

    The split in user and system may be counted in coarser ticks than the sum: it is scaled to it.
    """
    client = tally.client_cpu_ns / 1e3 / tally.requests if tally.requests else 0.0
    if tally.cpu is None or not tally.cpu_requests:
        return PerRequest(server=None, server_user=None, server_system=None, client=client)
    server = tally.cpu.total_ns / 1e3 / tally.cpu_requests * (exp(ramp.ln) if ramp else 1.0)
    split = tally.cpu.user_ns + tally.cpu.system_ns
    user = server * tally.cpu.user_ns / split if split else None
    return PerRequest(
        server=server,
        server_user=user,
        server_system=None if user is None else max(0.0, server - user),
        client=client,
    )


def _mean_mib(readings: Iterable[Memory | None]) -> float | None:
    known = [reading.pss_mib for reading in readings if reading is not None]
    return fmean(known) if known else None


def _about_blocks(
    name: str, participants: Participants, against: Comparison | None, shared: int, history: History
) -> Iterator[Finding]:
    reference, turns = participants.reference, participants.turns
    if against is None and shared >= MIN_BLOCKS:
        yield Finding.of("few_draws", reference=reference)
    elif against is None:
        yield Finding.of("few_blocks", reference=reference, n=shared, least=MIN_BLOCKS)
    of_reference = history.blocks_of(reference, kind=judged_kind(history.blocks))
    # A turn that is left out for a disturbance of the machine is not a turn that it missed.
    if not turns[reference] <= turns[name] and MIN_BLOCKS <= shared < of_reference:
        yield Finding.of("some_blocks", reference=reference, n=shared, blocks=of_reference)
    if against and against.slice_length_matters and against.long and against.short:
        lengths = history.lengths(name)
        intervals = {"long": against.long.interval(name), "short": against.short.interval(name)}
        yield Finding.of(
            "slice_length_matters",
            reference=reference,
            long_ms=lengths.long_ms if lengths else None,
            short_ms=lengths.short_ms if lengths else None,
            **{
                f"{kind}_{figure}": getattr(interval, figure)
                for kind, interval in intervals.items()
                for figure in ("ratio", "low", "high")
            },
        )
