"""report.html of capacities: one file, offline and without script; all from outside is escaped."""

import shlex
from collections.abc import Sequence

from bakeoff.model.capacity import CapacityReport
from bakeoff.report.capacity import tables, words
from bakeoff.report.charts import Picture
from bakeoff.report.circumstances import machine_table
from bakeoff.report.render import inlined, render
from bakeoff.report.words import printable


def capacity_page(report: CapacityReport, pictures: Sequence[Picture]) -> str:
    """The whole page as HTML."""
    return render(
        "capacity.html",
        title=f"{report.workload}: how much each server holds",
        headline=printable(words.headline(report)),
        report=report,
        facts=[
            *words.objectives(report).values(),
            *words.mode(report).split(", "),
        ],
        standings=[
            *tables.capacity_tables(report),
            tables.means_table(report),
            tables.beyond_table(report),
            tables.pairs_table(report),
        ],
        pictures=inlined(pictures),
        unranked=words.unranked(report),
        warnings=words.warnings(report),
        curves=[tables.curve_table(report, entry) for entry in report.entries],
        circumstances=[tables.method_table(report), machine_table(report.machine)],
        command_line=shlex.join(report.command_line),
    )
