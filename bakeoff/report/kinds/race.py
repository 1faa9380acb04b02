"""A race: its verdict in words, and all of its evidence."""

from collections.abc import Mapping, Sequence

from bakeoff.model.entry import VerdictEntry
from bakeoff.model.pairs import NextRace
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import NoiseFloor, Verdict
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.charts import race_charts
from bakeoff.report.flat import flat, part
from bakeoff.report.glossary import GLOSSARY
from bakeoff.report.kinds import race_tables, standings
from bakeoff.report.kinds import race_tables as tables
from bakeoff.report.kinds import race_trust as trust
from bakeoff.report.kinds.audit import of_entries, work_table
from bakeoff.report.kinds.held_streams import held_streams
from bakeoff.report.kinds.race_headline import MOST_TOLD, headline, measured, until_end
from bakeoff.report.kinds.race_method import facts, method, portraits
from bakeoff.report.kinds.rooms import room_pairs, rooms
from bakeoff.report.kinds.shared import again, circumstances, gates
from bakeoff.report.sentences import sentences

_AHEAD = {"requests_per_s": "is faster", "p99": "answers sooner"}


def document(
    verdict: Verdict,
    plan: Plan | None = None,
    records: Sequence[Record] = (),
    receipts: Mapping[str, Receipt] | None = None,
) -> doc.Document:
    return doc.Document(
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
                    doc.Section("Contenders", portraits(plan, records, receipts or {})),
                    again(plan.command_line, f"Run {verdict.run}, seed {verdict.seed}"),
                )
                if plan
                else ()
            ),
            doc.Section(
                "Words used here", (doc.facts_table("Words", GLOSSARY.items()),), folded=True
            ),
        ),
        data=data(verdict),
    )


def _summary(verdict: Verdict) -> tuple[doc.Block, ...]:
    skipped = [doc.Item(f"skipped: {skip.reason}", "–", skip.name) for skip in verdict.skipped]
    return (
        doc.Charts(lambda: race_charts(verdict)[:1]),
        standings.standings(verdict),
        race_tables.events(verdict),
        rooms(verdict),
        held_streams(verdict),
        doc.List("Request by request", doc.items("≠", sentences(verdict.by_request)), wide=True),
        doc.List(
            "By server CPU",
            doc.items("≠", sentences(verdict.by_cpu[:MOST_TOLD], verdict.unit)),
            wide=True,
        ),
        doc.List(
            "Not ranked",
            (*(_not_ranked(entry, verdict) for entry in standings.unranked(verdict)), *skipped),
        ),
        gates(verdict.gates, verdict.ranked_by),
        trust.section(verdict),
    )


def _not_ranked(entry: VerdictEntry, verdict: Verdict) -> doc.Item:
    had = [f"it had {measured(entry, verdict.unit)}"]
    if until := until_end(entry, verdict.reference):
        had.append(until)
    return doc.Item(
        standings.reasons(entry, verdict.unit), "✗", entry.name, struck=True, lines=tuple(had)
    )


def _detail(verdict: Verdict, records: Sequence[Record]) -> tuple[doc.Block, ...]:
    return (
        doc.Section("Pictures", (doc.Charts(lambda: race_charts(verdict, records)[1:]),)),
        doc.Section(
            "Comparisons",
            (
                standings.requests(verdict),
                standings.pairs(verdict),
                race_tables.event_pairs(verdict),
                room_pairs(verdict),
                tables.long_slices(verdict),
                tables.boot_ratios(verdict),
                tables.warm_up(verdict),
                work_table(of_entries(verdict)),
            ),
        ),
        doc.Section(
            "Figures",
            (
                tables.latency(verdict, trust.latency_caution(verdict)),
                tables.first_bytes(verdict),
                tables.open_loop(verdict),
                tables.cpu(verdict),
                tables.memory(verdict),
                tables.errors(verdict),
                tables.handshakes(verdict),
                tables.datagrams(verdict),
                tables.loaders(verdict),
            ),
        ),
        circumstances(method(verdict).items(), verdict.machine),
    )


def data(verdict: Verdict) -> tuple[doc.DataRow, ...]:
    """A row for each entry; then the skipped ones, which have a reason and no figures."""
    whose: dict[str, doc.Value] = {"run": verdict.run, "workload": verdict.workload}
    skipped = (
        {**whose, "name": skip.name, "valid": "skipped", "reasons": skip.reason}
        for skip in verdict.skipped
    )
    return (*(whose | _row(verdict, entry) for entry in verdict.entries), *skipped)


def _row(verdict: Verdict, entry: VerdictEntry) -> dict[str, doc.Value]:
    best, worst = entry.rank or (None, None)
    pair = verdict.pair(entry.name, verdict.reference)
    return {
        **flat(entry),
        "valid": figures.yes_or_no(entry.valid),
        "reference": verdict.reference,
        "rank_best": best,
        "rank_worst": worst,
        **part(NextRace, pair and pair.next_race, "next_race"),
        **part(NoiseFloor, verdict.noise_floor, "noise_floor"),
    }
