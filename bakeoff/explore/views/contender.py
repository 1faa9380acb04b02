"""A contender over time: its line against a reference, with possible causes of a step; and all."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from bakeoff.explore import address as to
from bakeoff.explore.address import Address
from bakeoff.explore.badge import Badge, of_ratio
from bakeoff.explore.drawing.past import line_over_time
from bakeoff.explore.page import NotThere, Page
from bakeoff.history.index import Index
from bakeoff.model.history import ContenderLine, Line, LineStep, Point, Series, SeriesKey
from bakeoff.report.document import DataRow
from bakeoff.report.flat import flat
from bakeoff.report.sentences import sentences

SHOWN_MAX = 100
"""The number of newest points in the table; the files have all."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A step of the line, with the changes at it, in words; `run` is the first after it.

    `before` and `after` count the runs of the levels beside it.
    """

    step: LineStep
    run: Address
    causes: tuple[str, ...]
    before: int
    after: int


@dataclass(frozen=True, kw_only=True)
class ContendersPage(Page):
    """All contenders of the history, by name."""

    template: ClassVar[str] = "contenders.html"

    contenders: tuple[ContenderLine, ...]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A point of the table; `changed` has the differences from the one before it in time."""

    point: Point
    run: Address
    changed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ContenderPage(Page):
    """`lines` are all lines over time of this contender, and `series` the chosen one.

    `points` has its newest points first; `total` counts all, and `compared` those that have an
    interval to the reference: the steps of those are `turns`, the newest first.
    """

    template: ClassVar[str] = "contender.html"
    goes_on: ClassVar[bool] = True

    name: str
    lines: tuple[tuple[SeriesKey, Address], ...]
    series: Series
    references: tuple[tuple[str, Address], ...]
    points: tuple[Seen, ...]
    total: int
    turns: tuple[Turn, ...]
    compared: int

    def badges(self) -> tuple[Badge, ...]:
        reference = self.series.reference
        for point in reversed(self.series.points):
            if point.valid and point.ratio and (point.ratio.low or point.ratio.high):
                day = f"{point.began_at:%Y-%m-%d}"
                return (of_ratio("last", self.name, reference, point.ratio, day),)
        return ()


def contender(index: Index, address: Address) -> Page:
    match address.parts:
        case (_,):
            contenders = index.contenders()
            return ContendersPage(
                address=address,
                title="Contenders",
                contenders=contenders,
                data=lambda: [line.model_dump(mode="json") for line in contenders],
            )
        case (_, name):
            return _contender(index, address, name)
    raise NotThere("no page has this address")


def _contender(index: Index, address: Address, name: str) -> ContenderPage:
    lines = index.series_of(name)
    if not lines:
        raise NotThere(f"the history has no race of {name}")
    asked = address.asked("series")
    key = next((line for line in lines if line.series == (asked or lines[0].series)), None)
    if key is None:
        raise NotThere(
            f"{name} has no series called {asked}; /contender/{name} lists those that it has"
        )
    series = index.series(key, address.asked("against"))
    # Imported here, not above: statistics libraries take a second to import.
    from bakeoff.judge.past import line_of

    line = line_of(series)
    return ContenderPage(
        address=address,
        title=f"{name} over time",
        data=lambda: _data(series),
        charts=line_over_time(line),
        name=name,
        # Each has one address: the first line and the first reference need no name. Another line of
        # one race says no more than that race.
        lines=tuple(
            (line, to.contender(name))
            if not number
            else (line, to.run(line.only_run, part=line.only_part))
            if line.only_run
            else (line, to.contender(name, series=line.series))
            for number, line in enumerate(lines)
        ),
        series=series,
        references=tuple(
            (reference, to.contender(name, series=asked, against=reference if number else ""))
            for number, reference in enumerate(series.key.references)
        ),
        points=_seen(series),
        total=len(series.points),
        turns=_turns(line),
        compared=line.compared,
    )


def _turns(line: Line) -> tuple[Turn, ...]:
    turns = [
        Turn(
            step=step,
            run=to.run(step.run, part=line.points[step.at].part),
            causes=tuple(sentences(step.causes)),
            before=before.ratio.n,
            after=after.ratio.n,
        )
        for step, (before, after) in zip(line.steps, pairwise(line.levels), strict=True)
    ]
    return tuple(reversed(turns))


def _seen(series: Series) -> tuple[Seen, ...]:
    from bakeoff.judge.past import differences

    points = series.points[-SHOWN_MAX - 1 :]
    seen = [
        Seen(
            point=after,
            run=to.run(after.run, part=after.part),
            changed=tuple(sentences(differences(before, after, series.reference))),
        )
        for before, after in pairwise(points)
    ]
    if len(points) <= SHOWN_MAX and points:
        first = points[0]
        seen.insert(0, Seen(point=first, run=to.run(first.run, part=first.part), changed=()))
    return tuple(reversed(seen))


def _data(series: Series) -> list[DataRow]:
    return [{"reference": series.reference, **flat(point)} for point in series.points]
