"""The table of what contenders do beside answering right."""

from collections.abc import Callable, Mapping

from bakeoff.model.audit import Work
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures, words
from bakeoff.report.figures import MISSING
from bakeoff.report.tables import Table, row_name

_COLUMNS: tuple[tuple[str, Callable[[Work], str]], ...] = (
    ("head", lambda work: figures.octets(work.head_bytes)),
    ("body", lambda work: figures.octets(work.body_bytes)),
    ("writes", lambda work: _writes(work)),
    ("Date", lambda work: _date(work)),
    ("keep-alive", lambda work: _keep_alive(work)),
    ("HTTP/1.0", lambda work: _http_1_0(work)),
    ("processes", lambda work: figures.count(work.crew.processes) if work.crew else MISSING),
    ("threads", lambda work: figures.count(work.crew.threads) if work.crew else MISSING),
    ("at work", lambda work: figures.count(work.crew.threads_at_work) if work.crew else MISSING),
    ("asked", lambda work: figures.count(work.workers)),
    ("log", lambda work: _log(work)),
)
ANSWER_COLUMNS = 6
"""So many columns are about the answer, and the rest about who makes it."""


def work_of(verdict: Verdict) -> Table:
    """The table of a race's entries, those that aren't ranked among them."""
    return work_table({row_name(entry): entry.work for entry in verdict.entries if entry.work})


def work_table(works: Mapping[str, Work]) -> Table:
    """A row for each contender."""
    return Table(
        slug="work",
        title="What each contender does",
        note=(
            "Writes: in how many an answer is sent. HTTP/1.0: whether such a client is kept when"
            " it asks. At work: threads that used more than half of the CPU time of the busiest"
            " one in their process. Asked: for how many workers. Log: bytes written to logs and"
            " files per request."
        ),
        heads=("contender", *(head for head, _ in _COLUMNS)),
        rows=tuple(
            (words.printable(name), *(cell(work) for _, cell in _COLUMNS))
            for name, work in works.items()
        ),
    )


def _writes(work: Work) -> str:
    count = work.audit.segments if work.audit else None
    return figures.count(count) if count else MISSING


def _date(work: Work) -> str:
    if work.audit:
        return work.audit.date
    return MISSING if "date" in work.headers or not work.headers else "none"


def _keep_alive(work: Work) -> str:
    if not work.keeps_alive:
        return "no"
    if work.audit and work.audit.kept < work.audit.asked:
        return figures.plural(work.audit.kept, "request")
    return "yes"


def _http_1_0(work: Work) -> str:
    if not work.audit:
        return MISSING
    return "yes" if work.audit.keeps_http_1_0 else "no"


def _log(work: Work) -> str:
    written = work.written_per_request
    if written is None:
        return MISSING
    return f"{figures.significant(written, 2)} B" if written else "0 B"
