"""A race: its verdict in words, and everything that the words rest on."""

from collections.abc import Mapping, Sequence

from bakeoff.model.entry import VerdictEntry
from bakeoff.model.load import Latency
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import Verdict
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
from bakeoff.report.kinds.race_headline import MOST_TOLD, headline, measured, until_end
from bakeoff.report.kinds.race_method import facts, method
from bakeoff.report.kinds.race_trust import (
    confirmation,
    detectable,
    ending,
    latency_caution,
    machines,
    next_race,
    noise_floor,
    precision,
)
from bakeoff.report.kinds.shared import again, circumstances, gates, warned, warnings
from bakeoff.report.sentences import joined, sentences

_AHEAD = {"requests_per_s": "is faster", "p99": "answers sooner"}


def document(
    verdict: Verdict,
    plan: Plan | None = None,
    records: Sequence[Record] = (),
    receipts: Mapping[str, Receipt] | None = None,
) -> Document:
    """The report of a race. Without the plan it lacks the contenders and the command."""
    return Document(
        title=f"{verdict.workload}: which server {_AHEAD[verdict.ranked_by]}",
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
        List("Request by request", items("≠", sentences(verdict.by_request)), wide=True),
        List("By server CPU", items("≠", sentences(verdict.by_cpu[:MOST_TOLD])), wide=True),
        List(
            "Not ranked",
            (*(_not_ranked(each, verdict) for each in standings.unranked(verdict)), *skipped),
        ),
        gates(verdict.gates, verdict.ranked_by),
        Section(
            "How far to trust it",
            (
                Text(f"{noise_floor(verdict)} {detectable(verdict)}", "Noise floor"),
                *([Text(said, "Next race", wide=True)] if (said := next_race(verdict)) else []),
                *([Text(said, "Machines")] if (said := machines(verdict)) else []),
                *([Text(said, "Precision")] if (said := precision(verdict)) else []),
                *([Text(said, "Its end")] if (said := ending(verdict)) else []),
                *([Text(solo, "Confirmation")] if solo else []),
                Text(latency_caution(verdict), quiet=True, wide=True),
                List(
                    "Answers that vary",
                    items("=", held_to(verdict.entries, mix=bool(verdict.requests))),
                    wide=True,
                ),
                warned(warnings(verdict)),
                List("Unequal work", items("≠", sentences(verdict.fairness)), wide=True),
            ),
        ),
    )


def _not_ranked(entry: VerdictEntry, verdict: Verdict) -> Item:
    had = [f"it had {measured(entry)}"]
    if until := until_end(entry, verdict.reference):
        had.append(until)
    return Item(standings.reasons(entry), "✗", entry.name, struck=True, lines=tuple(had))


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
        circumstances(method(verdict).items(), verdict.machine),
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
    pair = verdict.pair(entry.name, verdict.reference)
    expected = pair and pair.next_race
    crew, audit = work and work.crew, work and work.audit
    return {
        "name": entry.name,
        "title": entry.title,
        "valid": figures.yes_or_no(entry.valid),
        "reference": verdict.reference,
        "rank_best": best,
        "rank_worst": worst,
        "letters": entry.letters,
        "ratio": entry.ratio,
        "ratio_low_95": entry.low,
        "ratio_high_95": entry.high,
        **{
            f"{name}{suffix}": getattr(getattr(entry, name), key, None)
            for name in ("mean_ratio", "cpu_ratio")
            for suffix, key in (("", "ratio"), ("_low_95", "low"), ("_high_95", "high"))
        },
        "cpu_letters": entry.cpu_letters,
        "next_race_low_95": expected and expected.low,
        "next_race_high_95": expected and expected.high,
        "next_race_basis": expected and expected.basis,
        "n_earlier_races": expected and expected.races,
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
