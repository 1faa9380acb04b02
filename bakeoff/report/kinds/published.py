"""An article's figures beside the measured ones, for a replay's tables and pictures."""

from dataclasses import dataclass

from bakeoff.model.article import Comparison, Published, Row, Shape
from bakeoff.model.replay import ClaimResult, ComparisonResult, Replay, RowResult
from bakeoff.report import figures
from bakeoff.report.figures import MISSING

_NOT_REACHED = "the replay ended before it was measured"
KIB_PER_MIB = 1024


@dataclass(frozen=True)
class Part:
    """One comparison of the article; `measured` is None if the replay ended before it."""

    published: Comparison
    shape: Shape
    measured: ComparisonResult | None

    @property
    def rows(self) -> tuple[tuple[Row, RowResult | None], ...]:
        """The article's rows, in its order, each with its measurements."""
        here = {row.name: row for row in self.measured.rows} if self.measured else {}
        return tuple((row, here.get(row.name)) for row in self.published.rows)

    @property
    def skipped(self) -> str:
        return self.measured.skipped if self.measured else _NOT_REACHED


def parts(replay: Replay) -> list[Part]:
    measured = {comparison.name: comparison for comparison in replay.comparisons}
    article = replay.article
    return [Part(c, article.loads[c.load], measured.get(c.name)) for c in article.comparisons]


def label(row: Row) -> str:
    """Our name of a row, with the article's if they differ."""
    return row.name if row.label.lower() == row.name else f"{row.name} · {row.label}"


def measured(claim: ClaimResult) -> str:
    ratio = claim.measured
    if ratio is None:
        return "not measured"
    return f"{figures.ratio_of(ratio)}, n = {figures.count(ratio.n)}"


def published_runs(published: Published) -> tuple[float, ...]:
    return published.requests_per_s or tuple(pages / 60 for pages in published.pages_per_min)


def published_mib(published: Published) -> float | None:
    """Memory as in the article: the resident sets of all processes of a row."""
    return sum(published.memory_kib) / KIB_PER_MIB if published.memory_kib else None


def rate_here(here: RowResult) -> str:
    """The measured rate of a row, marked if it is a lower bound or not valid."""
    rate = figures.least_rate(here.requests_per_s, at_least=bool(here.at_least))
    return f"{rate} (not valid)" if here.reasons and rate != MISSING else rate
