"""A race: its verdict in words, and everything that the words rest on."""

from collections.abc import Mapping, Sequence

from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import Latency, Pair, Verdict, VerdictEntry
from bakeoff.report import figures
from bakeoff.report.document import (
    Block,
    Chart,
    Charts,
    DataRow,
    Document,
    Item,
    List,
    Section,
    Text,
    Value,
    facts_table,
    items,
)
from bakeoff.report.kinds import race_tables as tables
from bakeoff.report.kinds import standings, work
from bakeoff.report.kinds.glossary import GLOSSARY
from bakeoff.report.kinds.holding import held_to
from bakeoff.report.kinds.portraits import portraits
from bakeoff.report.kinds.shared import (
    PROTOCOL_NAMES,
    again,
    circumstances,
    core_list,
    ended_early,
    gates,
    pinning,
    warnings,
)
from bakeoff.report.sentences import joined, listed, sentences, who


def document(
    verdict: Verdict,
    plan: Plan | None = None,
    records: Sequence[Record] = (),
    receipts: Mapping[str, Receipt] | None = None,
) -> Document:
    """The report of a race. Without the plan it lacks the contenders and the command."""
    return Document(
        title=f"{verdict.workload}: which server {_is_ahead(verdict)[0]}",
        headline=headline(verdict),
        tone="good" if verdict.valid else "bad",
        context=((plan and plan.workload.title) or verdict.workload, verdict.machine.taken_at),
        facts=facts(verdict),
        alarm=" ".join(
            said
            for said, holds in (
                ("This verdict is not valid.", not verdict.valid),
                ("The run ended before it was complete.", not verdict.complete),
            )
            if holds
        ),
        summary=_summary(verdict),
        detail=(
            *_detail(verdict, records),
            *(
                (
                    Section("Contenders", portraits(plan, records, receipts or {})),
                    again(plan.command_line, f"Run {verdict.run}, seed {verdict.seed}"),
                )
                if plan
                else ()
            ),
            Section("Words used here", (facts_table("Words", GLOSSARY),), folded=True),
        ),
        data=data(verdict),
    )


def _summary(verdict: Verdict) -> tuple[Block, ...]:
    def forest() -> Sequence[Chart | None]:
        from bakeoff.report.charts import race_charts

        return race_charts(verdict)[:1]

    skipped = [Item(f"skipped: {each.reason}", "–", each.name) for each in verdict.skipped]
    solo = confirmation(verdict)
    return (
        Charts(forest),
        standings.standings(verdict),
        List("Request by request", items("≠", sentences(verdict.by_request))),
        List("Not ranked", (*map(_not_ranked, unranked(verdict)), *skipped)),
        gates(verdict.gates, verdict.ranked_by),
        Section(
            "How far to trust it",
            (
                Text(f"{noise_floor(verdict)} {detectable(verdict)}", "Noise floor"),
                *([Text(said, "Machines")] if (said := machines(verdict)) else []),
                *([Text(said, "Precision")] if (said := precision(verdict)) else []),
                *([Text(solo, "Confirmation")] if solo else []),
                Text(latency_caution(verdict), quiet=True),
                List(
                    "Answers that vary",
                    items("=", held_to(verdict.entries, mix=bool(verdict.requests))),
                ),
                List("Warnings", items("!", warnings(verdict))),
                List("Unequal work", items("≠", sentences(verdict.fairness))),
            ),
        ),
    )


def _not_ranked(entry: VerdictEntry) -> Item:
    had = f"it had {measured(entry)}"
    return Item(reasons(entry), "✗", entry.name, struck=True, lines=(had,))


def _detail(verdict: Verdict, records: Sequence[Record]) -> tuple[Block, ...]:
    def pictures() -> Sequence[Chart | None]:
        from bakeoff.report.charts import race_charts

        return race_charts(verdict, records)[1:]

    return (
        Section("Pictures", (Charts(pictures),)),
        Section(
            "Comparisons",
            (
                standings.requests(verdict),
                standings.pairs(verdict),
                tables.long_slices(verdict),
                tables.boot_ratios(verdict),
                tables.warm_up(verdict),
                work.table(work.of_entries(verdict)),
            ),
        ),
        Section(
            "Figures",
            (
                tables.latency(verdict, latency_caution(verdict)),
                tables.open_loop(verdict),
                tables.cpu(verdict),
                tables.memory(verdict),
                tables.errors(verdict),
                tables.handshakes(verdict),
                tables.loaders(verdict),
            ),
        ),
        circumstances(_method(verdict).items(), verdict.machine),
    )


def unranked(verdict: Verdict) -> list[VerdictEntry]:
    """The entries that have no place, in the order of the verdict."""
    return [entry for entry in verdict.entries if not entry.valid or entry.ratio is None]


def headline(verdict: Verdict) -> str:
    """The verdict in one to three sentences."""
    return _result(verdict) + _in_requests(verdict) + ended_early(verdict)


def _in_requests(verdict: Verdict) -> str:
    """The request in which two contenders differ most otherwise than in the others."""
    if not verdict.valid or not verdict.by_request:
        return ""
    said = sentences(verdict.by_request[:1])[0]
    return f" {said[:1].upper()}{said[1:]}."


def _result(verdict: Verdict) -> str:
    entries = standings.ranked(verdict)
    if not entries:
        return "No verdict: no contender gave a valid result."
    leader = entries[0]
    if len(entries) == 1:
        return _alone(verdict, leader)
    if not verdict.valid:
        first = sentences(verdict.warnings[:1])
        why = [f"{text[:1].upper()}{text[1:].rstrip('.')}." for text in first]
        return " ".join(["No valid verdict.", *why])
    level = [entry for entry in entries[1:] if not _beats(verdict, leader, entry)]
    behind = [entry for entry in entries[1:] if entry not in level]
    said = [_tie(verdict, leader, level)] if level else []
    if behind:
        said.append(_gap(verdict, leader, behind[0], "the next, " if level else ""))
    if not level and len(behind) > 1:
        said.append(_span(verdict, leader, behind[-1], len(entries)))
    return " ".join(said)


def _alone(verdict: Verdict, leader: VerdictEntry) -> str:
    """Nothing but the reference's own ratio, which is 1."""
    if len(verdict.entries) == 1:
        return f"{leader.name} raced alone ({measured(leader)}): there is nothing to compare."
    if any(entry.valid for entry in unranked(verdict)):
        return "Can't tell: too little was measured to compare. A longer race will: see --duration."
    return (
        f"Only {leader.name} gave a valid result ({measured(leader)}): there is nothing to compare."
    )


def _beats(verdict: Verdict, leader: VerdictEntry, other: VerdictEntry) -> bool:
    pair = verdict.pair(leader.name, other.name)
    return pair is not None and pair.finding == "faster"


def _tie(verdict: Verdict, leader: VerdictEntry, level: list[VerdictEntry]) -> str:
    """Those that can't be told from the leader, with the difference that such races find."""
    pairs = [p for each in level if (p := verdict.pair(leader.name, each.name))]
    known = [pair.minimum_detectable_effect for pair in pairs]
    # Of a contender that did at least what was measured no difference can be promised.
    seen = max((each for each in known if each), default=None) if all(known) else None
    found = f"{figures.percent(seen)} would have been found in four of five such races"
    could = f"; a difference of {found}." if seen else "."
    if len(level) > 1:
        names = listed([leader.name, *(entry.name for entry in level)])
        return f"Can't tell {names} apart{could}"
    start = f"Can't tell {leader.name} from {level[0].name}"
    if not pairs:
        return f"{start}."
    if pairs[0].low is None or pairs[0].high is None:
        bounded = listed(each.name for each in (leader, level[0]) if each.at_least)
        return f"{start}: the load generator was the limit of {bounded}{could}"
    middle, low, high = figures.interval(pairs[0].ratio, pairs[0].low, pairs[0].high)
    same = f", equivalent within {figures.margin(verdict.equivalence_margin)}"
    return f"{start}: ratio {middle} ({low} to {high}){same if pairs[0].equivalent else ''}{could}"


def _gap(verdict: Verdict, leader: VerdictEntry, other: VerdictEntry, which: str) -> str:
    """By how much the leader is ahead of one that is surely behind."""
    pair = verdict.pair(leader.name, other.name)
    ahead, by = _is_ahead(verdict)
    start = f"{leader.name} {ahead} than {which}{other.name}"
    if pair is None:
        return f"{start}."
    small = f", less than the {figures.margin(verdict.equivalence_margin)} taken as equivalent"
    comma = "," if which or verdict.ranked_by == "p99" else ""
    return f"{start}{comma} {by} {_spoken(pair)}{small if pair.equivalent else ''}."


def _is_ahead(verdict: Verdict) -> tuple[str, str]:
    """What the leader is, and the words before the ratio."""
    if verdict.ranked_by == "requests_per_s":
        return "is faster", "by"
    return "answers sooner", "its p99 is shorter by"


def _span(verdict: Verdict, leader: VerdictEntry, last: VerdictEntry, among: int) -> str:
    pair = verdict.pair(leader.name, last.name)
    by = f" by {_spoken(pair)}" if pair else ""
    return f"It leads {last.name}, the slowest of {among},{by}."


def _spoken(pair: Pair) -> str:
    """The ratio of one that is ahead, in a sentence."""
    return figures.ratio_of(pair).replace("≥", "at least")


def facts(verdict: Verdict) -> tuple[str, ...]:
    """How it was measured, in a few words each."""
    close = verdict.connection == "close"
    return (
        loop(verdict),
        figures.plural(verdict.connections, "connection"),
        "a connection per request" if close else verdict.connection,
        *([verdict.asks] if verdict.requests else []),
        *([f"{verdict.pipeline} requests ahead on each"] if verdict.pipeline > 1 else []),
        *([f"{verdict.streams} streams on each"] if verdict.streams > 1 else []),
        *spoken(verdict),
        *pinning(verdict.cores),
        *asked(verdict),
        figures.plural(verdict.boots, "boot"),
        figures.plural(verdict.blocks, "block"),
        f"slices of {_slice_lengths(verdict)}",
        *(["one contender up at a time"] if verdict.solo else []),
    )


def _method(verdict: Verdict) -> dict[str, object]:
    waits = ": the next request follows the answer" if verdict.mode == "closed" else ""
    return {
        "mode": f"{loop(verdict)}{waits}",
        "connections": f"{verdict.connections} per contender, {verdict.connection}",
        **({"pipeline": f"{verdict.pipeline} requests ahead"} if verdict.pipeline > 1 else {}),
        **({"streams": f"{verdict.streams} on a connection"} if verdict.streams > 1 else {}),
        **({"protocol": ", ".join(said)} if (said := spoken(verdict)) else {}),
        "pinning": ", ".join(pinning(verdict.cores)),
        **({"upstream": ", ".join(said)} if (said := asked(verdict)) else {}),
        "slices": _slice_lengths(verdict),
        "blocks": f"{verdict.blocks:,} over {figures.plural(verdict.boots, 'boot')}",
        "measured": figures.duration(verdict.measured_s * 1e6),
        "contenders up at a time": "one" if verdict.solo else "all",
        "steal": figures.percent(verdict.steal_share),
        "seed": verdict.seed,
        "complete": "yes" if verdict.complete else "no: the run ended early",
    }


def asked(verdict: Verdict) -> tuple[str, ...]:
    """Whom the servers asked, and how near its limit that was; nothing where they asked nobody."""
    if verdict.upstream is None:
        return ()
    upstream = verdict.upstream
    busy = "" if upstream.busy is None else f", busy {figures.percent(upstream.busy)} at most"
    where = core_list(upstream.cpus)
    return (f"an upstream of {upstream.delay_ms} ms on {where}{busy}",)


def spoken(verdict: Verdict) -> tuple[str, ...]:
    """What the entries were asked over, and their TLS; nothing where that is plain HTTP/1.1."""
    protocols = dict.fromkeys(entry.protocol for entry in verdict.entries)
    if not protocols or set(protocols) == {"h1"}:
        return ()
    agreed = [entry.work.agreed for entry in verdict.entries if entry.work and entry.work.agreed]
    secure = dict.fromkeys(
        f"TLS {each.tls_version} with {(each.cipher or '?').removeprefix('TLS13_')}"
        for each in agreed
        if each.tls_version
    )
    if len(protocols) > 1:
        return f"over {listed(protocols)}", *secure
    return PROTOCOL_NAMES[next(iter(protocols))], *secure


def loop(verdict: Verdict) -> str:
    """Closed, or open with the rate that each contender was offered."""
    if verdict.mode == "closed":
        return "closed loop"
    if verdict.rate:
        offered = f"{figures.rate(verdict.rate)} requests/s to each"
    else:
        offered = f"{figures.percent(verdict.load)} of each one's own peak"
    arrivals = {"poisson": "Poisson arrivals", "uniform": "evenly spaced"}[verdict.arrivals]
    return f"open loop with {offered} ({arrivals})"


def _slice_lengths(verdict: Verdict) -> str:
    """The length of short slices: the same for all, or from the shortest to the longest."""
    lengths_ms = [entry.slice_ms for entry in verdict.entries if entry.slice_ms]
    if not lengths_ms:
        return figures.MISSING
    shortest, longest = min(lengths_ms), max(lengths_ms)
    return f"{shortest} ms" if shortest == longest else f"{shortest} to {longest} ms"


def precision(verdict: Verdict) -> str:
    """Whether the precision that was asked for was reached; empty where none was."""
    result = verdict.precision
    if result is None:
        return ""
    asked, took = f"±{figures.percent(result.asked)}", figures.duration(verdict.measured_s * 1e6)
    if result.reached is None:
        return f"{asked} was asked for; there are no neighbours to tell apart."
    reached = f"±{figures.percent(result.reached)}"
    if result.met:
        return (
            f"{reached} between neighbours after {took} ({asked} was asked for). The race ended"
            " when its intervals were narrow enough, so their 95 % are approximate."
        )
    more = figures.duration(result.more_s * 1e6) if result.more_s else ""
    enough = f" About {more} more would probably have been enough." if more else ""
    return f"{asked} between neighbours was not reached in {took}: {reached}.{enough}"


def noise_floor(verdict: Verdict) -> str:
    """What two copies of one program differ by here."""
    floor = verdict.noise_floor
    if floor is None and verdict.machines:
        return "No noise floor to hold ratios against: the twin was on another machine."
    if floor is None:
        return (
            "No noise floor to hold ratios against: no twin was raced, not for long enough, or the"
            " load generator was its limit."
        )
    said = (
        f"{floor.name}, a second copy of {verdict.reference}, came out at"
        f" {figures.ratio_of(floor)}, n = {figures.plural(floor.n, 'block')}"
        f" over {figures.plural(floor.boots, 'boot')}."
    )
    if all(each.code != "twin_differs" for each in verdict.warnings):
        return said
    doubt = figures.percent(figures.doubt(floor.low, floor.high))
    return (
        f"{said} Two copies of one program differ: a difference smaller than {doubt} is in doubt."
    )


def machines(verdict: Verdict) -> str:
    """Whether one contender fares alike on the machines of a race; empty where there is one."""
    if not verdict.machines:
        return ""
    said = [
        f"on {each.machine} over {each.over} it came out at {figures.ratio_of(each)}, "
        f"n = {figures.plural(each.n, 'block')} over {figures.plural(each.boots, 'boot')}"
        for each in verdict.machines
    ]
    differ = any(each.code == "machines_differ" for each in verdict.warnings)
    answer = "They differ" if differ else "Can't tell"
    return (
        f"Do the machines differ? {answer}. {verdict.machines[0].contender} ran on two of them at "
        f"a time: {'; '.join(said)}."
    )


def confirmation(verdict: Verdict) -> str:
    """What the solo part says of each ratio; empty where there is none."""
    said = [
        f"{entry.name} {figures.ratio_of(entry.solo)}, n = {figures.plural(entry.solo.n, 'round')},"
        f" {'agrees' if entry.solo_agrees else 'does not agree'}"
        for entry in verdict.entries
        if entry.solo
    ]
    if not said:
        return ""
    return f"With one contender up at a time, against {verdict.reference}: {'; '.join(said)}."


def detectable(verdict: Verdict) -> str:
    """How large a difference between those that can't be told apart such races find."""
    if not verdict.pairs:
        return "What difference such a race finds is not known: there are too few blocks."
    if all(pair.finding != "can't tell" for pair in verdict.pairs):
        return "Every pair was told apart."
    tied = [pair for pair in verdict.pairs if pair.finding == "can't tell"]
    if all(pair.minimum_detectable_effect is None for pair in tied):
        return "Of all that can't be told apart, the load generator was the limit of one at least."
    return (
        "Between those that can't be told apart, a difference of "
        f"{figures.percent(verdict.minimum_detectable_effect)} would have been found in four of "
        "five such races."
    )


def reasons(entry: VerdictEntry) -> str:
    """Why an entry has no place."""
    return joined(entry.reasons) or "too few blocks for a ratio"


def measured(entry: VerdictEntry) -> str:
    """An entry's throughput with what it rests on: an invalid one has no paired blocks."""
    answers = figures.plural(entry.requests, "answer")
    return f"{figures.rate(entry.requests_per_s)} requests/s, n = {answers}"


def latency_caution(verdict: Verdict) -> str:
    """What latencies of this race mean."""
    names = [entry.name for entry in verdict.entries if entry.at_least]
    limited = f" That of {who(names)} is the load generator's too." if names else ""
    if verdict.mode == "open":
        return f"Latency runs from when a request was due, in an {loop(verdict)}.{limited}"
    return (
        "Latency is that of long slices, at each contender's own full load (closed loop):"
        f" between contenders of different throughput it is no comparison.{limited}"
    )


def data(verdict: Verdict) -> tuple[DataRow, ...]:
    """A row per entry; then the skipped ones, which have a reason and no figures."""
    whose: dict[str, Value] = {"run": verdict.run, "workload": verdict.workload}
    skipped = (
        {**whose, "name": each.name, "valid": "skipped", "reasons": each.reason}
        for each in verdict.skipped
    )
    return (*(whose | _row(verdict, entry) for entry in verdict.entries), *skipped)


def _row(verdict: Verdict, entry: VerdictEntry) -> dict[str, Value]:
    best, worst = entry.rank or (None, None)
    cpu, memory, weight = entry.cpu_us_per_request, entry.memory_mib, entry.bytes_per_response
    floor, long_slices, work = verdict.noise_floor, entry.long_slices, entry.work
    cpu_ratio = entry.cpu_ratio
    crew, audit = work and work.crew, work and work.audit
    return {
        "name": entry.name,
        "title": entry.title,
        "valid": "yes" if entry.valid else "no",
        "reference": verdict.reference,
        "rank_best": best,
        "rank_worst": worst,
        "letters": entry.letters,
        "ratio": entry.ratio,
        "ratio_low_95": entry.low,
        "ratio_high_95": entry.high,
        "cpu_ratio": cpu_ratio and cpu_ratio.ratio,
        "cpu_ratio_low_95": cpu_ratio and cpu_ratio.low,
        "cpu_ratio_high_95": cpu_ratio and cpu_ratio.high,
        "n_blocks": entry.n,
        "n_boots": len(entry.boots),
        "ratio_long_slices": long_slices and long_slices.ratio,
        "ratio_long_slices_low_95": long_slices and long_slices.low,
        "ratio_long_slices_high_95": long_slices and long_slices.high,
        "n_long_blocks": long_slices and long_slices.n,
        "noise_floor_twin": floor and floor.name,
        "noise_floor_ratio": floor and floor.ratio,
        "noise_floor_low_95": floor and floor.low,
        "noise_floor_high_95": floor and floor.high,
        "requests_per_s": entry.requests_per_s,
        **{
            f"latency_{name}_us": getattr(entry.latency_us, name, None)
            for name in Latency.model_fields
            if name != "stdev"
        },
        "server_cpu_us_per_request": cpu.server,
        "server_user_us_per_request": cpu.server_user,
        "server_system_us_per_request": cpu.server_system,
        "generator_cpu_us_per_request": cpu.client,
        "memory_idle_mib": memory.idle,
        "memory_loaded_mib": memory.loaded,
        "head_bytes": weight.head,
        "body_bytes": weight.body,
        "requests": entry.requests,
        "measured_s": entry.measured_s,
        "connects": entry.connects,
        **{f"errors_{kind}": count for kind, count in entry.errors.model_dump().items()},
        "limited_by": entry.limited_by,
        "server_busy_share": entry.server_busy,
        "generator_busy_share": entry.client_busy,
        "leak_share": entry.leak_share,
        "workers": entry.workers,
        "processes": crew and crew.processes,
        "threads": crew and crew.threads,
        "processes_at_work": crew and crew.processes_at_work,
        "threads_at_work": crew and crew.threads_at_work,
        "segments_per_answer": audit and audit.segments,
        "date": audit and audit.date,
        "log_bytes_per_request": work and work.written_per_request,
        "time_to_ready_ms": entry.time_to_ready_ms,
        "version": entry.version,
        "reasons": joined(entry.reasons),
        "at_least": joined(entry.at_least),
        "warnings": joined(entry.warnings),
    }
