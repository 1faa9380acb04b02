"""A contender over time: its line against a reference, with what may explain a step; and all."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, ClassVar

from bakeoff.explore import address as to
from bakeoff.explore.address import Address
from bakeoff.explore.page import NotThere, Page
from bakeoff.history.index import Index
from bakeoff.model.history import ContenderLine, Point, Series, SeriesKey
from bakeoff.report.document import DataRow

if TYPE_CHECKING:
    from bakeoff.judge.steps import Measured

SHOWN_MAX = 100
"""Points in the table, the newest ones; the files have all."""
Z_95 = 1.96
"""Half the width of a 95 % interval, in standard errors."""
SAID_MAX = 60
"""Longer values are not repeated: of a hash nobody reads more than that it changed."""
WATCHED = {
    "version": "version",
    "source": "sources or settings",
    "kernel": "kernel",
    "bakeoff": "bakeoff",
    "method": "method",
    "reference_version": "the reference’s version",
    "reference_source": "the reference’s sources or settings",
}
"""What is said to have changed from one point to the next."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A step of the line before `point`: the level after it over that before it.

    `causes` are what changed between the two runs on either side; without one, nothing did that we
    know of. `before` and `after` count the runs of the two levels.
    """

    point: Point
    run: Address
    ratio: float
    low: float
    high: float
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
    """A point of the table; `changed` is what differs from the one before it in time."""

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

    name: str
    lines: tuple[tuple[SeriesKey, Address], ...]
    series: Series
    references: tuple[tuple[str, Address], ...]
    points: tuple[Seen, ...]
    total: int
    turns: tuple[Turn, ...]
    compared: int


def contender(index: Index, address: Address) -> Page:
    """The contender of the address, or all. Raises `NotThere` for one that never raced."""
    match address.parts:
        case (_,):
            contenders = index.contenders()
            return ContendersPage(
                address=address,
                title="Contenders",
                contenders=contenders,
                data=lambda: [each.model_dump(mode="json") for each in contenders],
            )
        case (_, name):
            return _contender(index, address, name)
    raise NotThere("a contender has one name")


def _contender(index: Index, address: Address, name: str) -> ContenderPage:
    lines = index.series_of(name)
    if not lines:
        raise NotThere(f"the history has no race of {name}")
    wanted = address.asked("series")
    if wanted and wanted not in {line.series for line in lines}:
        raise NotThere(f"{name} has no line called {wanted}")
    series = index.series(wanted or lines[0].series, address.asked("against"))
    if series is None:
        raise NotThere(f"{name} has no line called {wanted}")
    compared = [point for point in series.points if point.valid and point.low and point.high]
    return ContenderPage(
        address=address,
        title=f"{name} over time",
        data=lambda: _data(series),
        name=name,
        lines=tuple((line, to.contender(name, series=line.series)) for line in lines),
        series=series,
        references=tuple(
            (each, to.contender(name, series=series.key.series, against=each))
            for each in series.key.references
        ),
        points=_seen(series.points)[:SHOWN_MAX],
        total=len(series.points),
        turns=_turns(compared),
        compared=len(compared),
    )


def _turns(points: Sequence[Point]) -> tuple[Turn, ...]:
    # Here, not above: statistics libraries take a second to import.
    from bakeoff.judge.steps import levels, steps

    measured = [_measured(point) for point in points]
    found = steps(measured)
    runs = [level.n for level in levels(measured, found)]
    turns = [
        Turn(
            point=points[step.at],
            run=to.run(points[step.at].run, part=points[step.at].part),
            ratio=step.ratio,
            low=step.low,
            high=step.high,
            causes=_changed(points[step.at - 1], points[step.at]),
            before=before,
            after=after,
        )
        for step, (before, after) in zip(found, pairwise(runs), strict=True)
    ]
    return tuple(reversed(turns))


def _measured(point: Point) -> "Measured":
    from bakeoff.judge.steps import Measured

    assert point.ratio and point.low and point.high
    return Measured(log(point.ratio), (log(point.high) - log(point.low)) / (2 * Z_95))


def _seen(points: Sequence[Point]) -> tuple[Seen, ...]:
    seen = [
        Seen(
            point=point,
            run=to.run(point.run, part=point.part),
            changed=_changed(before, point) if before else (),
        )
        for before, point in zip((None, *points), points, strict=False)
    ]
    return tuple(reversed(seen))


def _changed(before: Point, after: Point) -> tuple[str, ...]:
    """What differs between two points, in words; what neither says can't differ."""
    return tuple(
        f"{words} {was} → {now}" if len(was + now) <= SAID_MAX else words
        for key, words in WATCHED.items()
        if (was := getattr(before, key)) and (now := getattr(after, key)) and was != now
    )


def _data(series: Series) -> list[DataRow]:
    return [{"reference": series.reference, **p.model_dump(mode="json")} for p in series.points]
