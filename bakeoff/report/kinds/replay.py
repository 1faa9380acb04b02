"""A replay: an article's comparisons measured again, and the outcome of its claims."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bakeoff.model.article import Article, Row, Setting, Shape
from bakeoff.model.replay import Agreement, ClaimResult, ComparisonResult, InARow, Replay, RowResult
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.charts import replay as charts
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds.published import Part, label, measured, parts, published_mib, rate_here
from bakeoff.report.kinds.shared import again, circumstances, pinning, warned, warnings
from bakeoff.report.sentences import joined, listed, sentence

METRICS = {
    "requests_per_s": "requests per second",
    "bytes_per_s": "bytes per second",
    "latency_p50": "median latency",
    "latency_p99": "p99 latency",
    "latency_stdev": "standard deviation of latency",
    "latency_p99_over_p50": "p99 over median latency",
    "memory": "memory",
    "cpu": "CPU use",
}
SIGNS: dict[str, doc.Sign] = {"holds": "✓", "does not hold": "✗", "can't tell": "?"}
_CLAIMS_NOTE = (
    "A claim is a range for the ratio of two rows. It holds where the whole 95 % interval lies in"
    " the range and does not where none of it does; otherwise it can't be told."
)
_Column = tuple[str, Callable[[tuple[Row, RowResult | None]], str]]


def document(replay: Replay) -> doc.Document:
    article, every = replay.article, parts(replay)
    method = [("load", f"{_driver(replay)}, {_scale(replay)}")]
    method += [
        (f"pinning, {part.measured.name}", ", ".join(pinning(part.measured.cores)))
        for part in every
        if part.measured and not part.skipped
    ]
    method += [("complete", "yes" if replay.complete else "no: the replay ended early")]
    claims = tuple(map(_claim, replay.claims))
    return doc.Document(
        title=f"{article.title}: measured again",
        headline=headline(replay),
        lead=f"{article.title} ({article.published}), measured again.",
        context=(f"a replay of {article.name}", replay.machine.taken_at),
        facts=(_driver(replay), _scale(replay)),
        alarm="" if replay.complete else "The replay ended before it was complete.",
        summary=(
            *(_comparison(part, every) for part in every),
            doc.List("Claims", claims, outcomes=True, ordered=True, note=_CLAIMS_NOTE),
            doc.Charts(lambda: [charts.claims(replay.claims)]),
        ),
        detail=(
            _article(article),
            doc.List("What a reader of the article could not see", doc.items("", article.traps)),
            circumstances(method, replay.machine),
            again(replay.command_line, f"Run {replay.run}"),
        ),
        data=tuple(_data_row(part, *row) for part in every for row in part.rows),
    )


def headline(replay: Replay) -> str:
    results = [claim.finding for claim in replay.claims]
    holds, fails = results.count("holds"), results.count("does not hold")
    untold = results.count("can't tell")
    counted = [f"{holds or 'none'} {'holds' if holds <= 1 else 'hold'} here"]
    counted += [f"{fails} {'does' if fails == 1 else 'do'} not"] if fails else []
    counted += [f"{untold} can't be told"] if untold else []
    of = figures.plural(len(replay.claims), "claim")
    said = f"Of {of} of {replay.article.name}, {listed(counted)}."
    if replay.complete:
        return said
    return f"{said} The replay ended early: what was not measured can't be told."


def _driver(replay: Replay) -> str:
    said = {
        "engine": "load by our engine in the article's shape",
        "both": "load by our engine, and by the article's own tool to compare",
    }
    return said.get(replay.driver, f"load by the real {replay.driver}")


def _scale(replay: Replay) -> str:
    return f"at scale {figures.given(replay.scale)}"


def _claim(claim: ClaimResult) -> doc.Item:
    """The finding, then its evidence: the interval, the published figure and the claim."""
    lines = [f"{claim.of} over {claim.over} in {METRICS[claim.metric]}: {measured(claim)}"]
    lines[0] += f"; published {figures.times(claim.published)}" if claim.published else ""
    lines[0] += f"; claimed {claimed(claim)}"
    lines += [sentence(claim.why)] if claim.why else []
    lines += [f"Unequal work: {claim.unequal}"] if claim.unequal else []
    return doc.Item(claim.text, SIGNS[claim.finding], badge=claim.finding, lines=tuple(lines))


def claimed(claim: ClaimResult) -> str:
    if claim.above and claim.below:
        return f"{figures.given(claim.above)} to {figures.given(claim.below)}×"
    if claim.above:
        return f"over {figures.given(claim.above)}×"
    return f"under {figures.given(claim.below)}×" if claim.below else MISSING


def _comparison(part: Part, every: Sequence[Part]) -> doc.Section:
    here = part.measured
    tool = f", by the real {here.loader}" if here and here.loader != "engine" else ""
    load = doc.Text(f"{part.shape.command}{tool}", quiet=True)
    blocks: list[doc.Block] = [load]
    if part.skipped:
        blocks.append(doc.List("Skipped", (doc.Item(part.skipped, "!"),)))
    bars = doc.Charts(lambda: [charts.speed(part, every), charts.memory(part, every)])
    blocks += [bars, _speed(part)]
    if here and not part.skipped:
        rows = [doc.Item(row.skipped, "–", row.name) for row in here.rows if row.skipped]
        invalid = [doc.Item(joined(row.reasons), "✗", row.name) for row in here.rows if row.reasons]
        blocks += [
            _costs(part),
            _agreement(here),
            _in_a_row(part),
            doc.List("Skipped rows", tuple(rows)),
            doc.List("Not valid", tuple(invalid)),
            warned(warnings(here)),
            doc.List("What was changed, and why", doc.items("·", here.changes)),
        ]
    notes = doc.facts_table("Notes", [(row.name, row.note) for row, _ in part.rows if row.note])
    blocks.append(doc.Section("The article's notes on its rows", (notes,), folded=True))
    if here and here.run and here.loader == "engine":
        link = f"{here.run}/report.html"
        blocks.append(doc.Text("The whole report of this comparison's race", link=link))
    return doc.Section(part.published.title, tuple(blocks))


def _speed(part: Part) -> doc.Table:
    columns: list[_Column] = [
        ("row", lambda of: label(of[0])),
        ("workers", lambda of: _count(of[1].workers if of[1] else of[0].workers)),
        ("published requests/s", lambda of: _published_rate(of[0])),
        ("here", lambda of: rate_here(of[1]) if of[1] else MISSING),
        ("here / published", lambda of: _over_published(of[1])),
        ("n", _here("n", _count)),
    ]
    renamed = any(label(row) != row.name for row, _ in part.rows)
    note = "After the dot: the article's name of the row, where it differs. " if renamed else ""
    if any(here and here.at_least for _, here in part.rows):
        note += "≥: at least that, as the load generator was the limit."
    return doc.tabulated("Requests per second", part.rows, columns, note.strip())


def _over_published(here: RowResult | None) -> str:
    ratio = figures.times(here.ratio if here else None)
    return f"≥ {ratio}" if here and here.at_least and here.ratio else ratio


def _costs(part: Part) -> doc.Table:
    columns: list[_Column] = [
        ("published mean", lambda of: _ms(of[0].published.latency_ms.mean)),
        ("published p50", lambda of: _ms(of[0].published.value("latency_p50"))),
        ("p50 here", _here("p50_us", figures.duration)),
        ("published p99", lambda of: _ms(of[0].published.value("latency_p99"))),
        ("p99 here", _here("p99_us", figures.duration)),
        ("published stdev", lambda of: _ms(of[0].published.latency_ms.stdev)),
        ("server CPU per request here", _here("server_cpu_us_per_request", figures.duration)),
        ("published memory", lambda of: figures.mib(published_mib(of[0].published))),
        ("memory here", _here("memory_mib", figures.mib)),
    ]
    known = [
        (head, cell) for head, cell in columns if any(cell(row) != MISSING for row in part.rows)
    ]
    rows = part.rows if known else ()
    return doc.tabulated("Latency and memory", rows, [("row", lambda of: of[0].name), *known])


def _here(name: str, write: Callable[[Any], str]) -> Callable[[tuple[Row, RowResult | None]], str]:
    return lambda of: write(getattr(of[1], name, None))


def _agreement(comparison: ComparisonResult) -> doc.Table:
    columns: list[tuple[str, Callable[[Agreement], str]]] = [
        ("row", lambda of: of.row),
        ("tool", lambda of: of.tool),
        ("engine / tool (95 % interval)", lambda of: figures.ratio_of(of.engine_over_tool)),
        ("n rounds", lambda of: figures.count(of.engine_over_tool.n)),
        ("finding", agreement),
    ]
    note = "Requests per second that our engine measures, over those of the article's own tool."
    text = ("tool", "finding")
    return doc.tabulated("Engine against tool", comparison.agreement, columns, note, text=text)


def agreement(row: Agreement) -> str:
    ratio = row.engine_over_tool
    return "agree within noise" if ratio.low <= 1 <= ratio.high else "differ"


def _in_a_row(part: Part) -> doc.Table:
    """The article's own procedure beside ours: runs of one row in a row, and their mean."""
    rows = {row.name: (row, here) for row, here in part.rows}
    runs = [
        series for series in (part.measured.in_a_row if part.measured else ()) if series.row in rows
    ]

    def in_turn(series: InARow) -> float | None:
        here = rows[series.row][1]
        return here.requests_per_s if here else None

    def over_in_turn(series: InARow) -> str:
        rate = in_turn(series)
        return figures.times(series.mean / rate if rate else None)

    columns: list[tuple[str, Callable[[InARow], str]]] = [
        ("row", lambda series: series.row),
        ("runs in a row", lambda series: ", ".join(map(figures.rate, series.requests_per_s))),
        ("their mean", lambda series: figures.rate(series.mean)),
        ("in turn", lambda series: figures.rate(in_turn(series))),
        ("in a row / in turn", over_in_turn),
        ("published", lambda series: _published_rate(rows[series.row][0])),
    ]
    note = (
        "Requests per second of runs in a row, one server after the other: whatever changed"
        " between two servers' runs looks like a difference between them. In turn: measured"
        " above, side by side."
    )
    return doc.tabulated("As the article did it", runs, columns, note, text=("runs in a row",))


def _published_rate(row: Row) -> str:
    return figures.rate(row.published.value("requests_per_s"))


def _count(number: int | None) -> str:
    return figures.count(number) if number else MISSING


def _ms(ms: float | None) -> str:
    return figures.duration(None if ms is None else ms * 1000)


def _article(article: Article) -> doc.Section:
    facts = [
        ("title", article.title),
        ("published", str(article.published)),
        ("language", article.language),
        *([("source", article.source)] if article.source else []),
        *setting(article.setting),
        *(
            (f"load {name}", f"{load.command} ({shape(load)})")
            for name, load in article.loads.items()
        ),
    ]
    # A link outside of the web would be controlled by the article.
    linked = article.source.startswith("https://")
    link = (doc.Text("The article itself", link=article.source),) if linked else ()
    summary = doc.Text(" ".join(article.summary.split()))
    return doc.Section("The article", (summary, *link, doc.facts_table("Facts", facts)))


def setting(setting: Setting) -> Iterator[tuple[str, str]]:
    yield "processor", setting.cpu
    if setting.cores:
        threads = f", {figures.plural(setting.threads, 'thread')}" if setting.threads else ""
        yield "cores", f"{setting.cores}{threads}"
    if setting.memory:
        yield "memory", setting.memory
    if setting.system:
        yield "system", setting.system
    if setting.versions:
        versions = (f"{name} {version}" for name, version in setting.versions.items())
        yield "versions", ", ".join(versions)


def shape(shape: Shape) -> str:
    requests = f"{figures.count(shape.requests)} requests" if shape.requests else ""
    return ", ".join(
        [
            requests or f"{figures.given(shape.duration_s or 0)} s",
            figures.plural(shape.connections, "connection"),
            "keep-alive" if shape.connection == "keep-alive" else "a connection per request",
            f"HTTP/{shape.http}",
            figures.plural(shape.threads, "thread"),
            "once" if shape.repeats == 1 else f"{shape.repeats} times",
        ]
    )


def _data_row(part: Part, row: Row, here: RowResult | None) -> doc.DataRow:
    """A row that was not measured has its reason."""
    return {
        "comparison": part.published.name,
        "row": row.name,
        "contender": row.contender,
        "workers": here.workers if here else row.workers,
        "published_requests_per_s": row.published.value("requests_per_s"),
        "requests_per_s": here.requests_per_s if here else None,
        "ratio": here.ratio if here else None,
        "n": (here.n if here else 0) or None,
        "memory_mib": here.memory_mib if here else None,
        "p50_us": here.p50_us if here else None,
        "p99_us": here.p99_us if here else None,
        "server_cpu_us_per_request": here.server_cpu_us_per_request if here else None,
        "skipped": (here.skipped if here else "") or part.skipped,
        "reasons": joined(here.reasons) if here else "",
        "at_least": joined(here.at_least) if here else "",
    }
