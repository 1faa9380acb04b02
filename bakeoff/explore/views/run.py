"""A run, or a part of it: its report, for all contenders or for a chosen family."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from bakeoff.explore import address as to
from bakeoff.explore.address import Address, Links
from bakeoff.explore.badge import Badge, of_verdict, of_words
from bakeoff.explore.opened import opened
from bakeoff.explore.page import NotThere, Page
from bakeoff.history.index import Index
from bakeoff.model.errors import BadUsage
from bakeoff.model.history import IndexedFigure, IndexedRun, RunLine
from bakeoff.model.verdict import Verdict
from bakeoff.report.document import Chart, Document
from bakeoff.report.render.html import Layout, layout, split_headline

MATES = 12
"""The number of other runs that are offered for a comparison."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A contender that a family may have: its number in the plan, and whether it is chosen."""

    number: int
    name: str
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class RunPage(Page):
    """`family` is empty if nothing can be judged again; `parts` lead to a composite's races.

    `before` is the run before it with the same reference, workload and machine, and `others` finds
    the newest such runs, for comparisons.
    """

    template: ClassVar[str] = "run.html"

    run: IndexedRun
    verdict: Verdict | None
    part: str
    document: Document
    further: str
    layout: Layout
    family: tuple[Member, ...]
    reference: str
    is_family: bool
    parts: tuple[tuple[str, Address], ...]
    before: RunLine | None
    others: Callable[[], tuple[RunLine, ...]]

    def badges(self) -> tuple[Badge, ...]:
        if self.is_family:
            return ()
        return (of_verdict(self.verdict) if self.verdict else of_words(self.title),)

    def in_a_site(self) -> tuple[Chart, ...]:
        """The first one, since a site has many runs. A family has none, since no site has its
        page."""
        return () if self.is_family else self.charts[:1]

    def href(self, link: Links) -> Callable[[str], str]:
        def leads(target: str) -> str:
            if target.startswith("https://"):
                return target
            pages = dict(self.parts)
            name, _, file = target.partition("/")
            return link(pages[name]) if file == "report.html" and name in pages else ""

        return leads


def run(index: Index, address: Address) -> RunPage:
    """The run of the address. Raises `NotThere`, and `BadUsage` where it can't be read."""
    indexed = found(index, address.parts[1:])
    part, of = address.asked("part"), numbers(address.asked("of"))
    against = numbers(address.asked("against"))
    shown = opened(indexed, part, of, against[0] if against else -1)
    finding, further = split_headline(shown.document)
    laid_out = layout(shown.document)
    verdict = shown.verdict
    before = None if part else run_before(index, indexed)
    return RunPage(
        address=address,
        title=finding,
        alarm=shown.document.alarm,
        data=lambda: shown.document.data,
        charts=laid_out.charts,
        run=indexed,
        verdict=verdict,
        part=part,
        document=shown.document,
        further=further,
        layout=laid_out,
        family=tuple(
            Member(number=number, name=name, chosen=not of or number in of)
            for number, name in enumerate(shown.entries)
        ),
        reference=verdict.reference if verdict else "",
        is_family=bool(of or against),
        parts=tuple((name, to.run(indexed.id, part=name)) for name in shown.parts),
        before=before,
        others=lambda: _others(index, indexed, before) if before else (),
    )


def found(index: Index, parts: tuple[str, ...]) -> IndexedRun:
    """The run whose id is the only one of `parts`. Raises `NotThere`."""
    indexed = index.run(parts[0]) if len(parts) == 1 else None
    if indexed is None:
        raise NotThere("the history has no such run; bakeoff history rebuild DIR adds those of DIR")
    return indexed


def numbers(text: str) -> tuple[int, ...]:
    """`0.2.3` as numbers, each once and in order. Raises `BadUsage`."""
    if not all(part.isdecimal() and len(part) < 5 for part in text.split(".") if text):
        raise BadUsage(f"{text}: contenders are given by their numbers, such as 0.2.3")
    return tuple(sorted({int(part) for part in text.split(".") if part}))


def run_before(index: Index, run: IndexedRun) -> RunLine | None:
    """The race before it with which it is compared; None: there is none, or it is not a race."""
    of = _reference(run)
    return next(iter(index.runs_of_line(of, run.kind, before=run, limit=1)), None) if of else None


def _others(index: Index, run: IndexedRun, before: RunLine) -> tuple[RunLine, ...]:
    of = _reference(run)
    found = index.runs_of_line(of, run.kind, limit=MATES + 1) if of else ()
    newest = (run_line for run_line in found if run_line.id not in (run.id, before.id))
    return (before, *newest)[:MATES]


def _reference(run: IndexedRun) -> IndexedFigure | None:
    """A race's reference: races that have it on the same line over time were measured alike."""
    race = run.races[0] if run.kind == "race" and run.races else None
    figures = race.figures if race else ()
    return next((figure for figure in figures if race and figure.name == race.reference), None)
