"""A grid as CSV: a row per cell and contender, unrounded, each unit in its column's name."""

import csv as csv_format
import io

from bakeoff.model.grid import Cell, Grid
from bakeoff.model.verdict import VerdictEntry

COLUMNS = (
    "cell", "connections", "workers", "pipeline", "connection", "contender", "leads", "ratio",
    "low", "high", "n", "letters", "requests_per_s", "p50_us", "p99_us",
    "server_cpu_us_per_request", "memory_loaded_mib", "left_out",
)  # fmt: skip


def grid_csv(grid: Grid) -> str:
    """Cells in their order, contenders as they stand in each; what has no figures, its reason."""
    out = io.StringIO()
    writer = csv_format.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cell in grid.cells:
        whose = (cell.name, *cell.settings.model_dump().values())
        if not cell.verdict:
            writer.writerow((*whose, "", *[None] * 11, cell.skipped))
            continue
        writer.writerows((*whose, *_figures(cell, entry)) for entry in cell.verdict.entries)
        for one in cell.verdict.skipped:
            writer.writerow((*whose, one.name, *[None] * 11, one.reason))
    return out.getvalue()


def _figures(cell: Cell, entry: VerdictEntry) -> tuple[object, ...]:
    latency = entry.latency_us
    return (
        entry.name,
        int(cell.leaders == (entry.name,)),
        entry.ratio,
        entry.low,
        entry.high,
        entry.n,
        entry.letters,
        entry.requests_per_s,
        latency.p50 if latency else None,
        latency.p99 if latency else None,
        entry.cpu_us_per_request.server,
        entry.memory_mib.loaded,
        "; ".join(entry.reasons),
    )
