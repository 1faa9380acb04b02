"""A replay as CSV: a row per row of the article, unrounded, each unit in its column's name."""

import csv as csv_format
import io

from bakeoff.model.article import Row
from bakeoff.model.replay import Replay, RowResult
from bakeoff.report.replay.parts import Part, parts

COLUMNS = (
    "comparison", "row", "contender", "workers", "published_requests_per_s", "requests_per_s",
    "ratio", "n", "memory_mib", "p50_us", "p99_us", "skipped",
)  # fmt: skip


def replay_csv(replay: Replay) -> str:
    """Comparisons and rows in the article's order; what was not measured has its reason."""
    out = io.StringIO()
    writer = csv_format.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for part in parts(replay):
        writer.writerows(_cells(part, row, here) for row, here in part.rows)
    return out.getvalue()


def _cells(part: Part, row: Row, here: RowResult | None) -> tuple[object, ...]:
    whose = (part.there.name, row.name, row.contender)
    published = row.published.value("requests_per_s")
    if here is None:
        return (*whose, row.workers, published, *[None] * 6, part.skipped)
    return (
        *whose,
        here.workers,
        published,
        here.requests_per_s,
        here.ratio,
        here.n or None,
        here.memory_mib,
        here.p50_us,
        here.p99_us,
        here.skipped or part.skipped,
    )
