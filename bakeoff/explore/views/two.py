"""Two runs side by side: the contenders whose ratio to the reference changed, and ties."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bakeoff.explore.address import Address, Links
from bakeoff.explore.badge import Badge, of_words
from bakeoff.explore.opened import opened
from bakeoff.explore.page import NotThere, Page
from bakeoff.explore.views.run import found
from bakeoff.history.index import Index
from bakeoff.model.errors import BadUsage
from bakeoff.model.history import IndexedRun
from bakeoff.report.document import Document
from bakeoff.report.kinds.comparison import document as document_of
from bakeoff.report.render.html import Layout, layout, split_headline

if TYPE_CHECKING:
    from bakeoff.judge import Run as JudgedRun


@dataclass(frozen=True, kw_only=True)
class TwoPage(Page):
    """`references` are the contenders of both runs; `reference` is the chosen one.

    `unlike`: runs on different machines are compared, too.
    """

    template: ClassVar[str] = "two.html"

    before: IndexedRun
    after: IndexedRun
    document: Document
    further: str
    layout: Layout
    reference: str
    references: tuple[str, ...]
    unlike: bool

    def badges(self) -> tuple[Badge, ...]:
        return (of_words(self.title),)

    def href(self, _link: Links) -> Callable[[str], str]:
        return lambda target: target if target.startswith("https://") else ""


def two(index: Index, address: Address) -> TwoPage:
    """The comparison of the two runs of the address, as `bakeoff compare` makes it.

    Raises `NotThere`, and `BadUsage` where the two were not measured alike.
    """
    # Imported here, not above: statistics libraries take a second to import.
    from bakeoff.judge import compare_runs

    if len(address.parts) != 3:
        raise NotThere("two runs are compared by their ids: /two/BEFORE/AFTER")
    before, after = (found(index, (part,)) for part in address.parts[1:])
    # Both are on one line over time, whatever their kernels: the comparison names the differences.
    unlike = address.asked("unlike") == "1" or before.machine_class == after.machine_class
    reference, part = address.asked("reference"), address.asked("part")
    judged = [_judged(run, part) for run in (before, after)]
    result = compare_runs(*judged, reference=reference or None, unlike_machines=unlike)
    document = document_of(result)
    finding, further = split_headline(document)
    laid_out = layout(document)
    names = [{entry.name for entry in run.verdict.entries if entry.valid} for run in judged]
    return TwoPage(
        address=address,
        title=finding,
        data=lambda: document.data,
        charts=laid_out.charts,
        before=before,
        after=after,
        document=document,
        further=further,
        layout=laid_out,
        reference=result.reference or "",
        references=tuple(sorted(names[0] & names[1])),
        unlike=unlike,
    )


def _judged(run: IndexedRun, part: str) -> "JudgedRun":
    from bakeoff.judge import Run as JudgedRun

    shown = opened(run, part)
    if shown.verdict is None:
        raise BadUsage(f"{run.name}: is a {run.kind}; races are compared, as a part of it may be")
    return JudgedRun(shown.verdict, shown.receipts)
