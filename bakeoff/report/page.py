"""report.html: one file, offline and without script; all that came from outside is escaped."""

import shlex
from collections.abc import Mapping, Sequence

from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import Verdict
from bakeoff.report import circumstances, tables, words
from bakeoff.report.boots import boots_table, warm_up_table
from bakeoff.report.charts import Picture
from bakeoff.report.contenders import portraits
from bakeoff.report.glossary import GLOSSARY
from bakeoff.report.render import inlined, render
from bakeoff.report.work import work_of


def page(
    plan: Plan,
    verdict: Verdict,
    records: Sequence[Record],
    receipts: Mapping[str, Receipt],
    pictures: Sequence[Picture],
) -> str:
    """The whole page as HTML."""
    finding, _, further = words.printable(words.headline(verdict)).partition(". ")
    return render(
        "page.html",
        title=f"{verdict.workload}: {finding.rstrip('.')}",
        headline=finding,
        further=further,
        verdict=verdict,
        workload_title=plan.workload.title,
        facts=_facts(verdict),
        standings=tables.standings_table(verdict),
        unranked=[(e.name, words.reasons(e), words.measured(e)) for e in words.unranked(verdict)],
        gates=words.gates(verdict),
        warnings=words.warnings(verdict),
        noise_floor=words.noise_floor(verdict),
        detectable=words.detectable(verdict),
        precision=words.precision(verdict),
        confirmation=words.confirmation(verdict),
        pictures=inlined(pictures),
        findings=[
            tables.pairs_table(verdict),
            tables.slices_table(verdict),
            boots_table(verdict),
            warm_up_table(verdict),
            work_of(verdict),
        ],
        costs=[
            tables.latency_table(verdict),
            tables.open_loop_table(verdict),
            tables.cpu_table(verdict),
            tables.memory_table(verdict),
            tables.errors_table(verdict),
        ],
        circumstances=[
            circumstances.method_table(verdict),
            circumstances.machine_table(verdict.machine),
        ],
        portraits=portraits(plan, records, receipts),
        command_line=shlex.join(plan.command_line),
        glossary=GLOSSARY,
    )


def _facts(verdict: Verdict) -> list[str]:
    return [part.strip() for part in words.mode(verdict).split(", ")]
