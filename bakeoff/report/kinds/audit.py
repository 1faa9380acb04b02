"""An audit, alone or of a race: each contender's work for an answer, and inequalities in it."""

from collections.abc import Callable, Mapping, Sequence

from bakeoff.model.audit import AuditReport, Work
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import Column, Document, List, Row, Table, items
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds.shared import skipped
from bakeoff.report.kinds.standings import row_name
from bakeoff.report.sentences import form, sentences


def document(report: AuditReport) -> Document:
    unequal = sentences(report.unequal)
    said = "No unequal work was"
    if unequal:
        were = form(unequal, "was", "were")
        said = f"{figures.plural(len(unequal), 'difference')} in work {were}"
    contenders = figures.plural(len(report.works), "contender")
    return Document(
        title=f"{report.workload}: what each contender does",
        headline=f"{said} found among {contenders}.",
        summary=(
            work_table(report.works),
            skipped(report.skipped, "Skipped"),
            List("Unequal work", items("≠", unequal)),
        ),
        data=tuple(
            {"name": name, **work.model_dump(exclude={"headers", "audit", "crew"})}
            for name, work in report.works.items()
        ),
    )


def of_entries(verdict: Verdict) -> dict[str, Work]:
    return {row_name(entry): entry.work for entry in verdict.entries if entry.work}


def work_columns(works: Sequence[Work]) -> Sequence[tuple[str, Callable[[Work], str]]]:
    """What these contenders do beside answering right: each property with its text."""
    over_others = any(work.protocol != "h1" for work in works)
    return (*(_PROTOCOL_COLUMNS if over_others else ()), *_COLUMNS)


def work_table(by_name: Mapping[str, Work], title: str = "What each contender does") -> Table:
    """What contenders do beside answering right, a row for each."""
    columns = work_columns(list(by_name.values()))
    return Table(
        title,
        (Column("contender", "text"), *(Column(head) for head, _ in columns)),
        tuple(Row((name, *(cell(work) for _, cell in columns))) for name, work in by_name.items()),
        "Writes: in how many an answer is sent. HTTP/1.0: whether the connection of such a client"
        " is kept when it requests that; this, one with Connection: close and an incomplete one"
        " were sent to a further process of each contender, which was not measured. At work:"
        " threads that used more than half of the CPU time of the busiest one in their process."
        " Workers: how many it was to have. Log: bytes written to logs and files per request.",
    )


def _tls(work: Work) -> str:
    """`1.3 AES_128_GCM_SHA256`, as agreed by the load generator's connections."""
    if work.agreed is None or work.agreed.tls_version is None:
        return MISSING
    cipher = (work.agreed.cipher or "").removeprefix("TLS13_").removeprefix("TLS_")
    return f"{work.agreed.tls_version} {cipher}".strip()


def _hpack(work: Work) -> str:
    if work.audit is None or work.audit.http2 is None:
        return MISSING
    return f"{work.audit.http2.head_bytes} → {work.audit.http2.next_head_bytes} B"


def _streams(work: Work) -> str:
    if work.audit is None or work.audit.http2 is None:
        return MISSING
    limit = work.audit.http2.max_concurrent_streams
    return "no limit" if limit is None else figures.count(limit)


_PROTOCOL_COLUMNS: Sequence[tuple[str, Callable[[Work], str]]] = (
    ("protocol", lambda w: w.protocol),
    ("TLS", _tls),
    (
        "resumes",
        lambda w: figures.yes_or_no(w.audit.tls.resumes if w.audit and w.audit.tls else None),
    ),
    ("HPACK", _hpack),
    ("streams", _streams),
)


def _date(work: Work) -> str:
    if work.audit:
        return work.audit.date
    return MISSING if "date" in work.headers or not work.headers else "none"


def _keep_alive(work: Work) -> str:
    if work.keeps_alive and work.audit and work.audit.kept < work.audit.asked:
        return figures.plural(work.audit.kept, "request")
    return figures.yes_or_no(work.keeps_alive)


def _log(work: Work) -> str:
    written = work.written_per_request
    if written is None:
        return MISSING
    return f"{figures.significant(written, 2)} B" if written else "0 B"


_COLUMNS: Sequence[tuple[str, Callable[[Work], str]]] = (
    ("head", lambda w: figures.octets(w.head_bytes)),
    ("body", lambda w: figures.octets(w.body_bytes)),
    ("writes", lambda w: str((w.audit and w.audit.segments) or MISSING)),
    ("Date", _date),
    ("keep-alive", _keep_alive),
    ("HTTP/1.0", lambda w: figures.yes_or_no(w.audit.keeps_http_1_0 if w.audit else None)),
    ("processes", lambda w: figures.count(w.crew.processes) if w.crew else MISSING),
    ("threads", lambda w: figures.count(w.crew.threads) if w.crew else MISSING),
    ("at work", lambda w: figures.count(w.crew.threads_at_work) if w.crew else MISSING),
    ("workers", lambda w: figures.count(w.workers)),
    ("log", _log),
)
