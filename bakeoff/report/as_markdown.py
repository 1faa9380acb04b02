"""The report as Markdown, for a pull request or a wiki."""

import re

from bakeoff.model.verdict import Verdict
from bakeoff.report import circumstances, tables, words
from bakeoff.report.boots import boots_table, warm_up_table
from bakeoff.report.tables import Table
from bakeoff.report.work import work_of

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")


def markdown(verdict: Verdict) -> str:
    """Headline, standings, noise floor, warnings, what was left out, every pair, how and where."""
    parts = [
        f"# {escaped(verdict.workload)}: which server {words.question(verdict)}",
        f"**{escaped(words.headline(verdict))}**",
        *section(tables.standings_table(verdict), level=2),
        *listed("Gates", words.gates(verdict)),
        f"Noise floor: {escaped(words.noise_floor(verdict))} {words.detectable(verdict)}",
        *([f"Confirmation: {escaped(solo)}"] if (solo := words.confirmation(verdict)) else []),
        f"Measured: {escaped(words.mode(verdict))}.",
        *([said] if (said := words.precision(verdict)) else []),
        words.latency_caution(verdict),
        *listed("Warnings", words.warnings(verdict)),
        *listed("Unequal work", list(verdict.fairness)),
        *listed("Not ranked", [f"{e.name}: {words.reasons(e)}" for e in words.unranked(verdict)]),
        *listed("Skipped", [f"{each.name}: {each.reason}" for each in verdict.skipped]),
        *(part for table in _further(verdict) for part in section(table, level=2)),
    ]
    return "\n\n".join(parts) + "\n"


def _further(verdict: Verdict) -> list[Table]:
    return [
        tables.pairs_table(verdict),
        boots_table(verdict),
        warm_up_table(verdict),
        work_of(verdict),
        tables.latency_table(verdict),
        tables.open_loop_table(verdict),
        tables.cpu_table(verdict),
        tables.memory_table(verdict),
        tables.errors_table(verdict),
        tables.slices_table(verdict),
        circumstances.method_table(verdict),
        circumstances.machine_table(verdict.machine),
    ]


def section(table: Table, level: int) -> list[str]:
    """A table with its heading and its note as paragraphs; none where it has no rows."""
    if not table.rows:
        return []
    rule = "|".join(["---"] + ["---:" if table.figures else "---"] * (len(table.heads) - 1))
    lines = [_row(table.heads), f"|{rule}|", *(_row(row) for row in table.rows)]
    note = [escaped(table.note)] if table.note else []
    return [f"{'#' * level} {table.title}", "\n".join(lines), *note]


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(escaped(cell) for cell in cells)} |"


def listed(title: str, items: list[str]) -> list[str]:
    """A list with its heading as paragraphs; none where it has no items."""
    return [f"## {title}", "\n".join(f"- {escaped(item)}" for item in items)] if items else []


def escaped(text: str) -> str:
    """Text from outside as Markdown that shows it as it is."""
    return _SPECIAL.sub(r"\\\1", words.printable(text))
