"""The pages of a board: the content of each, before it is HTML."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from markupsafe import Markup, escape

from bakeoff.board import differing
from bakeoff.board.document import CHANGED, leaders, out_of, state_of, to_be_raced
from bakeoff.board.drawing import bar
from bakeoff.explore.address import Address
from bakeoff.explore.page import Page
from bakeoff.model.board import (
    Board,
    BoardCell,
    BoardContender,
    BoardPair,
    BoardRace,
    BoardRow,
    Measure,
)
from bakeoff.model.pairs import pair_of
from bakeoff.model.ratio import Ratio
from bakeoff.report import figures
from bakeoff.report.document import Document
from bakeoff.report.kinds.audit import work_table
from bakeoff.report.render.html import Layout, layout
from bakeoff.report.sentences import joined, sentences

MEASURES: Mapping[Measure, tuple[str, str]] = {
    "throughput": ("Throughput", "answers/s"),
    "cpu": ("CPU per answer", "CPU per answer"),
    "first_byte": ("First byte", "first byte, p50"),
    "memory": ("Memory", "memory under load"),
}
"""A measure → its name, and the head of its figures."""
_CODE = re.compile("`([^`]+)`")


def coded(text: str) -> Markup:
    """A note as HTML, with its commands and names of settings as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def index() -> Address:
    return Address.of()


def cell_at(cell: BoardCell, measure: Measure = "throughput") -> Address:
    ending = "" if measure == "throughput" else f"-{measure.replace('_', '-')}"
    return Address.of("cell", cell.workload, f"{cell.protocol}{ending}")


def contender_at(name: str = "") -> Address:
    return Address.of("contender", *([name] if name else []))


def pair_at(a: str, b: str) -> Address:
    return Address.of("pair", *sorted((a, b)))


def trust_at() -> Address:
    return Address.of("trust")


NAVIGATION = (("Board", index()), ("Contenders", contender_at()), ("Trust", trust_at()))


@dataclass(frozen=True, kw_only=True)
class BoardPage(Page):
    """A page of a board's site."""

    is_shared: ClassVar[bool] = False

    board: Board

    def race(self, names: Sequence[str], cell: BoardCell, *, command: str = "race") -> str:
        """The command that races contenders in a cell on the reader's machine."""
        protocol = f" --protocol {cell.protocol}" if cell.protocol != "h1" else ""
        return f"bakeoff {command} {' '.join(names)} --workload {cell.workload}{protocol}"


@dataclass(frozen=True)
class Line:
    """A contender in a cell's picture."""

    row: BoardRow
    contender: BoardContender
    figure: str
    ratio: str
    bar: Markup
    rank: str
    letters: str


@dataclass(frozen=True, kw_only=True)
class CellPage(BoardPage):
    """A cell by one measure: the best first."""

    template: ClassVar[str] = "board_cell.html"

    cell: BoardCell
    measure: Measure

    @cached_property
    def measures(self) -> Sequence[Measure]:
        return [each for each in MEASURES if any(each in row.by for row in self.cell.rows)]

    @cached_property
    def best(self) -> str:
        return next((line.row.name for line in self.lines), "")

    @cached_property
    def lines(self) -> Sequence[Line]:
        standings = {row.name: by for row in self.cell.rows if (by := row.by.get(self.measure))}
        least = min((each.value for each in standings.values() if each.value), default=1.0)
        ratios: dict[str, Ratio | None] = {
            name: _of_memory(least, each.value) if self.measure == "memory" else each.ratio
            for name, each in standings.items()
        }
        ends = (
            end for ratio in ratios.values() if ratio for end in (ratio.ratio, ratio.high) if end
        )
        furthest = max(ends, default=1.0)
        rows = sorted(
            (row for row in self.cell.rows if row.name in standings),
            key=lambda row: -(each.ratio if (each := ratios[row.name]) else 0.0),
        )
        return [self._line(row, ratios[row.name], furthest) for row in rows]

    def _line(self, row: BoardRow, ratio: Ratio | None, furthest: float) -> Line:
        standing = row.by[self.measure]
        compared = self.measure != "memory"
        is_first = standing.rank[0] == 1 if standing.rank else bool(ratio and ratio.ratio == 1)
        drawn = Markup()
        if ratio:
            drawn = bar(ratio, furthest, is_first=is_first, has_interval=compared)
        said = (
            figures.ratio_of(ratio) if compared else figures.times(ratio.ratio if ratio else None)
        )
        if ratio and ratio.low == ratio.high == 1:
            said = figures.REFERENCE
        return Line(
            row=row,
            contender=self.board.contender(row.name),
            figure=figure_of(self.measure, standing.value),
            ratio=said,
            bar=drawn,
            rank=figures.rank(standing.rank),
            letters=standing.letters,
        )

    @property
    def out(self) -> Sequence[tuple[BoardRow, str]]:
        return out_of(self.cell)

    @property
    def to_be_raced(self) -> Sequence[str]:
        return to_be_raced(self.cell)

    @property
    def fewer_connections(self) -> Sequence[str]:
        """Why races of this cell had fewer connections than it says."""
        found = (each for race in self.cell.races for each in race.warnings)
        return [joined([each]) for each in found if each.code == "fewer_connections"]

    @property
    def finding(self) -> str:
        return leaders(self.cell)

    @property
    def state(self) -> str:
        return state_of(self.cell)

    @property
    def unpaired(self) -> Mapping[str, Sequence[str]]:
        """Each contender of the picture → the others of it that it can't be compared with."""
        met = {frozenset((pair.a, pair.b)) for pair in self.cell.pairs}
        names = sorted(line.row.name for line in self.lines)
        return {
            name: [other for other in names if other != name and {name, other} not in met]
            for name in names
        }

    def changed(self, row: BoardRow) -> str:
        return "; ".join(CHANGED[change] for change in row.changed)


def figure_of(measure: Measure, value: float | None) -> str:
    if measure == "throughput":
        return figures.rate(value)
    return figures.mib(value) if measure == "memory" else figures.duration(value)


def _of_memory(least: float, value: float) -> Ratio | None:
    """How many times as little memory it takes: one figure, without an interval."""
    return Ratio(ratio=least / value, low=least / value, high=None, n=1) if value else None


@dataclass(frozen=True, kw_only=True)
class ContendersPage(BoardPage):
    """All contenders, by name."""

    template: ClassVar[str] = "board_contenders.html"

    def places(self, name: str) -> str:
        rows = {row.name: row for row in self.board.cells[0].rows}
        row = rows.get(name)
        by = row.by.get("throughput") if row else None
        return figures.rank(by.rank) if by else figures.MISSING


@dataclass(frozen=True, kw_only=True)
class ContenderPage(BoardPage):
    """A contender: its cells, its build, and the contenders with which it can be compared."""

    template: ClassVar[str] = "board_contender.html"

    contender: BoardContender

    @property
    def rows(self) -> Iterator[tuple[BoardCell, BoardRow]]:
        for cell in self.board.cells:
            for row in cell.rows:
                if row.name == self.contender.name:
                    yield cell, row

    @property
    def others(self) -> Sequence[str]:
        own = self.contender.name
        met = {
            name
            for cell in self.board.cells
            for pair in cell.pairs
            if own in (pair.a, pair.b)
            for name in (pair.a, pair.b)
        }
        return sorted(met - {own})

    @property
    def audit(self) -> Layout:
        work = self.contender.work
        title = "What it does for an answer"
        table = work_table({self.contender.name: work} if work else {}, title)
        return layout(Document(self.title, "", (table,)))


@dataclass(frozen=True, kw_only=True)
class PairPage(BoardPage):
    """Two contenders in every cell that has both, `a` over `b`."""

    template: ClassVar[str] = "board_pair.html"

    a: BoardContender
    b: BoardContender
    pairs: Sequence[tuple[BoardCell, BoardPair]]

    @cached_property
    def _most(self) -> tuple[BoardCell, BoardPair] | None:
        return differing.furthest(self.pairs)

    @property
    def answer(self) -> str:
        return differing.answer(self.a, self.b, self.pairs)

    @property
    def furthest(self) -> BoardCell | None:
        """The cell in which they differ the most; none where no cell tells them apart."""
        return self._most[0] if self._most else None

    @property
    def shown(self) -> BoardCell:
        """The cell whose CPU time and cores are shown."""
        return self.furthest or self.pairs[0][0]

    @property
    def lies_in(self) -> str:
        return differing.lies_in(self._most[1]) if self._most else ""

    @property
    def sides(self) -> Sequence[differing.Line]:
        return differing.sides(self.a, self.b, self.shown)

    @property
    def links(self) -> Sequence[str]:
        """The contenders through which the two are compared; none where each race had both."""
        return list(dict.fromkeys(link for _, pair in self.pairs for link in pair.links))


@dataclass(frozen=True, kw_only=True)
class TrustPage(BoardPage):
    """How far to trust the board."""

    template: ClassVar[str] = "board_trust.html"

    @property
    def told(self) -> tuple[int, int]:
        """The number of pairs that are told apart, and of all pairs, over all cells."""
        pairs = [pair for cell in self.board.cells for pair in cell.pairs]
        return sum(pair.finding in ("faster", "slower") for pair in pairs), len(pairs)

    @property
    def warnings(self) -> Sequence[tuple[BoardCell, BoardRace, Sequence[str]]]:
        """What the judge of each race warned of."""
        return [
            (cell, race, sentences(race.warnings))
            for cell in self.board.cells
            for race in cell.races
            if race.warnings
        ]


def pages(board: Board) -> Iterator[BoardPage]:
    cells = [cell for cell in board.cells if cell.rows] or list(board.cells[:1])
    for place, cell in enumerate(cells):
        first = CellPage(
            address=cell_at(cell), title=f"{cell.workload} over {cell.protocol}",
            board=board, cell=cell, measure="throughput",
        )  # fmt: skip
        if not place:
            yield CellPage(
                address=index(), title="Which HTTP server is the fastest?",
                board=board, cell=cell, measure="throughput",
            )  # fmt: skip
        yield first
        for measure in first.measures:
            if measure != "throughput":
                yield CellPage(
                    address=cell_at(cell, measure),
                    title=f"{cell.workload} over {cell.protocol}: {MEASURES[measure][0]}",
                    board=board,
                    cell=cell,
                    measure=measure,
                )
    yield ContendersPage(address=contender_at(), title="Contenders", board=board)
    for contender in board.contenders:
        yield ContenderPage(
            address=contender_at(contender.name), title=contender.title, board=board,
            contender=contender,
        )  # fmt: skip
    yield from _pairs(board)
    yield TrustPage(address=trust_at(), title="How far to trust this", board=board)


def _pairs(board: Board) -> Iterator[PairPage]:
    met: dict[tuple[str, str], list[tuple[BoardCell, BoardPair]]] = {}
    for cell in board.cells:
        for pair in cell.pairs:
            a, b = sorted((pair.a, pair.b))
            seen = pair_of((pair,), a, b)
            assert seen
            met.setdefault((a, b), []).append((cell, seen))
    for (a, b), pairs in met.items():
        one, other = board.contender(a), board.contender(b)
        yield PairPage(
            address=pair_at(a, b), title=f"{one.title} or {other.title}?", board=board,
            a=one, b=other, pairs=pairs,
        )  # fmt: skip
