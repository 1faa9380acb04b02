"""Capacities as Markdown, for a pull request or a wiki."""

import shlex

from bakeoff.model.capacity import CapacityReport
from bakeoff.report.as_markdown import escaped, listed, section
from bakeoff.report.capacity import tables, words
from bakeoff.report.circumstances import machine_table


def capacity_markdown(report: CapacityReport) -> str:
    """Headline, capacities, past them, what has none, every pair and rate, how and where."""
    parts = [
        f"# {escaped(report.workload)}: how much each server holds",
        f"**{escaped(words.headline(report))}**",
        *(part for table in tables.capacity_tables(report) for part in section(table, level=2)),
        *section(tables.means_table(report), level=2),
        *section(tables.beyond_table(report), level=2),
        *listed("Without a plain capacity", words.unranked(report)),
        *listed("Warnings", words.warnings(report)),
        *section(tables.pairs_table(report), level=2),
        *(
            part
            for entry in report.entries
            for part in section(tables.curve_table(report, entry), level=2)
        ),
        *section(tables.method_table(report), level=2),
        *section(machine_table(report.machine), level=2),
        "## Measure it again",
        escaped(shlex.join(report.command_line)),
    ]
    return "\n\n".join(parts) + "\n"
