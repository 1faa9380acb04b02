"""The tables of a replay, as text: terminal, Markdown and page show the same ones."""

from bakeoff.model.replay import ComparisonResult, RowResult
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.replay import words
from bakeoff.report.tables import Table


def rows_table(one: ComparisonResult) -> Table:
    """Every row of a comparison: published, measured, and the ratio of the two."""
    return Table(
        slug=f"rows-{one.name}",
        title=one.title,
        note="",
        heads=(
            "row", "workers", "published requests/s", "here", "here / published", "p50", "p99",
            "memory",
        ),
        rows=tuple(_cells(row) for row in one.rows),
    )  # fmt: skip


def _cells(row: RowResult) -> tuple[str, ...]:
    ratio = MISSING if row.ratio is None else f"{figures.significant(row.ratio, 3)}×"
    return (
        words.label(row),
        str(row.workers),
        figures.rate(row.published),
        figures.rate(row.requests_per_s),
        ratio,
        figures.duration(row.p50_us),
        figures.duration(row.p99_us),
        figures.mib(row.memory_mib),
    )
