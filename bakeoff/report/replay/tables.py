"""The tables of a replay, as text: terminal, Markdown and page show the same ones."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bakeoff.model.article import Article, Row
from bakeoff.model.replay import InARow, Replay, RowResult
from bakeoff.model.verdict import Interval
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.replay import words
from bakeoff.report.replay.parts import Part, published_mib
from bakeoff.report.tables import Table
from bakeoff.report.words import cores, printable

_Column = tuple[str, Callable[[Row, RowResult | None], str]]


def speed_table(part: Part) -> Table:
    """Requests per second of every row: published, measured, and the ratio of the two."""
    columns: list[_Column] = [
        ("workers", _workers),
        ("published requests/s", lambda row, _: _published_rate(row)),
        ("here", lambda _, here: figures.rate(here.requests_per_s if here else None)),
        ("here / published", lambda _, here: figures.times(here.ratio if here else None)),
        ("n", lambda _, here: figures.count(here.n) if here and here.n else MISSING),
    ]
    table = _per_row(part, "speed", "Requests per second", words.label, columns)
    renamed = any(words.label(row) != row.name for row, _ in part.rows)
    return replace(table, note=words.ROWS_NOTE if renamed else "")


def cost_table(part: Part) -> Table:
    """Latency and memory of every row, ours beside the article's where it has any."""
    quantiles: list[_Column] = [
        ("published mean", lambda row, _: _ms(row.published.latency_ms.mean)),
        ("published p50", lambda row, _: _ms(row.published.value("latency_p50"))),
        ("p50 here", lambda _, here: figures.duration(here.p50_us if here else None)),
        ("published p99", lambda row, _: _ms(row.published.value("latency_p99"))),
        ("p99 here", lambda _, here: figures.duration(here.p99_us if here else None)),
        ("published stdev", lambda row, _: _ms(row.published.latency_ms.stdev)),
        ("published memory", lambda row, _: figures.mib(published_mib(row.published))),
        ("memory here", lambda _, here: figures.mib(here.memory_mib if here else None)),
    ]
    told = [
        (head, cell) for head, cell in quantiles if any(cell(*row) != MISSING for row in part.rows)
    ]
    return _per_row(part, "costs", "Latency and memory", lambda row: row.name, told)


def agreement_table(part: Part) -> Table:
    """What our engine makes of a row, over what the article's tool makes of it."""
    found = part.measured.agreement if part.measured else ()
    return Table(
        slug=f"agreement-{part.there.name}",
        title="Engine against tool",
        note="Requests per second that our engine measures, over those of the article's own tool.",
        heads=("row", "tool", "engine / tool (95 % interval)", "n rounds", "finding"),
        rows=tuple(
            (
                printable(one.row),
                one.tool,
                figures.ratio_times(*_bounds(one.engine_over_tool)),
                figures.count(one.engine_over_tool.n),
                words.agreement(one),
            )
            for one in found
        ),
    )


def in_a_row_table(part: Part) -> Table:
    """The article's own procedure beside ours: runs of one row in a row, and their mean."""
    there = {row.name: (row, here) for row, here in part.rows}
    found = part.measured.in_a_row if part.measured else ()
    return Table(
        slug=f"in-a-row-{part.there.name}",
        title="As the article did it",
        note=(
            "Requests per second of runs in a row, one server after the other: whatever changed"
            " between two servers' runs looks like a difference between them. In turn: measured"
            " above, side by side."
        ),
        heads=("row", "runs in a row", "their mean", "in turn", "in a row / in turn", "published"),
        rows=tuple(_in_a_row(one, *there[one.row]) for one in found if one.row in there),
    )


def _in_a_row(one: InARow, row: Row, here: RowResult | None) -> tuple[str, ...]:
    in_turn = here.requests_per_s if here else None
    return (
        printable(one.row),
        ", ".join(figures.rate(rate) for rate in one.requests_per_s),
        figures.rate(one.mean),
        figures.rate(in_turn),
        figures.times(one.mean / in_turn if in_turn else None),
        _published_rate(row),
    )


def claims_table(replay: Replay) -> Table:
    """Every claim with its finding, and the ratios that it rests on."""
    return Table(
        slug="claims",
        title="Claims",
        note=words.CLAIMS_NOTE,
        heads=("claim", "finding", "ratio", "measured (95 % interval)", "published", "claimed"),
        rows=tuple(
            (
                printable(f"{place}. {one.text}"),
                f"{words.MARKS[one.finding]} {one.finding}",
                printable(words.of_over(one)),
                words.measured(one),
                figures.times(one.published),
                words.claimed(one),
            )
            for place, one in enumerate(replay.claims, start=1)
        ),
        figures=False,
    )


def article_table(article: Article) -> Table:
    """Where the published figures come from."""
    facts = [
        ("title", article.title),
        ("published", str(article.published)),
        ("language", article.language),
        *([("source", article.source)] if article.source else []),
        *words.machine(article.setting),
        *(
            (f"load {name}", f"{one.command} ({words.shape(one)})")
            for name, one in article.loads.items()
        ),
    ]
    rows = tuple((printable(name), printable(value)) for name, value in facts)
    return Table("article-facts", "Facts", "", ("fact", "value"), rows, figures=False)


def method_table(replay: Replay, parts: Sequence[Part]) -> Table:
    """How it was measured here."""
    measured = [part.measured for part in parts if part.measured and not part.skipped]
    facts = [
        ("load", words.mode(replay)),
        *((f"pinning, {one.name}", cores(one.cores)) for one in measured),
        ("complete", "yes" if replay.complete else "no: the replay ended early"),
    ]
    rows = tuple((printable(name), printable(value)) for name, value in facts)
    return Table("method", "How it was measured", "", ("fact", "value"), rows, figures=False)


def _per_row(
    part: Part,
    slug: str,
    title: str,
    name: Callable[[Row], str],
    columns: Sequence[_Column],
) -> Table:
    rows = (
        (printable(name(row)), *(cell(row, here) for _, cell in columns)) for row, here in part.rows
    )
    return Table(
        slug=f"{slug}-{part.there.name}",
        title=title,
        note="",
        heads=("row", *(head for head, _ in columns)),
        rows=tuple(rows) if columns else (),
    )


def _workers(row: Row, here: RowResult | None) -> str:
    workers = here.workers if here else row.workers
    return figures.count(workers) if workers else MISSING


def _published_rate(row: Row) -> str:
    return figures.rate(row.published.value("requests_per_s"))


def _ms(ms: float | None) -> str:
    return figures.duration(None if ms is None else ms * 1000)


def _bounds(found: Interval) -> tuple[float, float, float]:
    return found.ratio, found.low, found.high
