"""A replay's comparisons and rows, each beside what the article has of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from bakeoff.model.article import Comparison, Published, Row, Shape
from bakeoff.model.replay import ComparisonResult, Replay, RowResult
from bakeoff.report.replay import words

KIB_PER_MIB = 1024


@dataclass(frozen=True)
class Part:
    """One comparison of the article; `measured` is None where the replay ended before it."""

    there: Comparison
    shape: Shape
    measured: ComparisonResult | None

    @property
    def rows(self) -> tuple[tuple[Row, RowResult | None], ...]:
        """The article's rows, in its order, each with what was measured of it."""
        found = {row.name: row for row in self.measured.rows} if self.measured else {}
        return tuple((row, found.get(row.name)) for row in self.there.rows)

    @property
    def skipped(self) -> str:
        """Why the whole comparison has no figures; empty where it has."""
        return self.measured.skipped if self.measured else words.NOT_REACHED

    @property
    def changes(self) -> tuple[str, ...]:
        """In what the measuring differs from the article's; nothing where there was none."""
        return self.measured.changes if self.measured and not self.skipped else ()

    @property
    def report(self) -> str:
        """The comparison's own race report, from the replay's folder; empty where it has none."""
        raced = self.measured and self.measured.run and self.measured.loader == "engine"
        return f"{self.measured.run}/report.html" if self.measured and raced else ""


def parts(replay: Replay) -> list[Part]:
    """Every comparison of the article, in its order."""
    found = {one.name: one for one in replay.comparisons}
    loads = replay.article.loads
    return [Part(one, loads[one.load], found.get(one.name)) for one in replay.article.comparisons]


def without_figures(part: Part) -> Iterator[tuple[str, str]]:
    """Rows that were skipped while others were measured, and why."""
    if not part.skipped:
        for row, measured in part.rows:
            if measured and measured.skipped:
                yield row.name, measured.skipped


def published_runs(published: Published) -> tuple[float, ...]:
    """Requests per second of each run that the article prints."""
    return published.requests_per_s or tuple(pages / 60 for pages in published.pages_per_min)


def published_mib(published: Published) -> float | None:
    """Memory as the article has it: the resident sets of all processes of a row."""
    return sum(published.memory_kib) / KIB_PER_MIB if published.memory_kib else None
