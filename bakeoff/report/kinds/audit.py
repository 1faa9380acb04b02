"""An audit without a race: what each contender does for an answer, and where that is unequal."""

from bakeoff.model.audit import AuditReport
from bakeoff.report import figures
from bakeoff.report.document import Document, Item, List, items
from bakeoff.report.kinds import work
from bakeoff.report.sentences import sentences


def document(report: AuditReport) -> Document:
    unequal = sentences(report.unequal)
    said = "No unequal work was"
    if unequal:
        were = "was" if len(unequal) == 1 else "were"
        said = f"{figures.plural(len(unequal), 'difference')} in work {were}"
    contenders = figures.plural(len(report.works), "contender")
    return Document(
        title=f"{report.workload}: what each contender does",
        headline=f"{said} found among {contenders}.",
        summary=(
            work.table(report.works),
            List("Skipped", tuple(Item(s.reason, "–", s.name) for s in report.skipped)),
            List("Unequal work", items("≠", unequal)),
        ),
        data=tuple(
            {"name": name, **each.model_dump(exclude={"headers", "audit", "crew"})}
            for name, each in report.works.items()
        ),
    )
