"""A document in a terminal of any width from 60 columns on, without pictures, links and details."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text as Line

from bakeoff.model.ratio import Ratio
from bakeoff.report import document as doc
from bakeoff.report.figures import MISSING

STYLES: dict[doc.Tone, str] = {
    "good": "green",
    "bad": "red",
    "unknown": "yellow",
    "warning": "bold yellow",
    "left-out": "yellow",
    "note": "cyan",
    "": "",
}
HEAD_WIDTH, FOLDED_WIDTH = 9, 30
BAR_MIN, BAR_MAX = 8, 24
INTERVAL_SPARE, BAR_SPARE = 5, 1
"""As `Column.spare`: bars show the intervals, so these are left out of figures first."""


class terminal:
    """A rich renderable of a whole document; it adapts itself to its width.

    `wide`: with all blocks and columns.
    """

    def __init__(self, document: doc.Document, wide: bool = False) -> None:
        self._document, self._wide = document, wide

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        document = self._document
        yield Line(doc.printable(document.headline), f"bold {STYLES[document.tone]}".strip())
        if document.lead:
            yield Line(doc.printable(document.lead))
        for block in document.summary:
            yield from _block(block, console, options, self._wide)
        if document.measured:
            yield Line()
            yield Line(doc.printable(document.measured))


def _block(
    block: doc.Block, console: Console, options: ConsoleOptions, wide: bool
) -> Iterator[RenderableType]:
    if block.wide and not wide:
        return
    match block:
        case doc.Text() if block.text and not block.link:
            yield _labelled(block)
        case doc.Table() if block.rows:
            yield from _titled(block.title)
            yield from fitted(block, console, options, wide)
            if block.note:
                yield Line(doc.printable(block.note), "dim")
        case doc.List() if block.items:
            yield from _titled(block.title)
            most = None if wide else block.most
            for place, item in enumerate(block.items[:most], start=1):
                yield from _item(item, f"{place}." if block.ordered else "")
            if most is not None and (more := len(block.items) - most) > 0:
                yield Line(f"and {more} more, in the report", "dim")
        case doc.Section() if not block.folded:
            inner = [
                part for within in block.blocks for part in _block(within, console, options, wide)
            ]
            if inner:
                yield from _titled(block.title)
                yield from inner
        case _:
            pass


def _titled(title: str) -> Iterator[Line]:
    yield Line()
    yield Line(doc.printable(title), "bold")


def _labelled(block: doc.Text) -> Line:
    label = f"{doc.printable(block.label)}: " if block.label else ""
    return Line.assemble(
        (label, "bold"), doc.printable(block.text), style="dim" if block.quiet else ""
    )


def _item(item: doc.Item, place: str) -> Iterator[RenderableType]:
    tone = STYLES[doc.TONES[item.sign]]
    said = Line.assemble(
        (f"{doc.printable(item.badge)}: " if item.badge else "", tone),
        (doc.printable(item.label), "strike" if item.struck else "bold"),
        ": " if item.label else "",
        "\n".join(map(doc.printable, item.text.splitlines())),
    )
    line = Grid.grid(padding=(0, 1, 0, 0))
    signs = [mark for mark in ((place, "dim"), (item.sign, tone)) if mark[0]]
    for _ in signs:
        line.add_column(no_wrap=True)
    line.add_column(overflow="fold")
    line.add_row(*(Line(mark, style) for mark, style in signs), said)
    yield line
    for below in item.lines:
        style = "dim strike" if item.struck else "dim"
        yield Padding(Line(doc.printable(below), style), (0, 0, 0, 2), expand=False)


def fitted(
    table: doc.Table, console: Console, options: ConsoleOptions, wide: bool
) -> Iterator[Grid | Line]:
    """Columns in their order, as many side by side as fit; the first one names the rows of each
    grid.

    Without enough room, the columns to spare are left out before the table is divided, except if
    `wide`.
    """
    unbounded = options.update(max_width=10_000)

    def room(places: Sequence[int], shape: "_Shape") -> int:
        grid = _grid(table, places, shape)
        return options.max_width - Measurement.get(console, unbounded, grid).maximum

    places = list(range(1, len(table.columns)))
    if wide:
        shape = _Shape()
    else:
        shape = _Shape(bar=BAR_MAX if any(row.bar for row in table.rows) else 0)
        spare = sorted({column.spare for column in table.columns} | {INTERVAL_SPARE, BAR_SPARE})
        while (left := room(places, shape)) < 0 and spare[-1]:
            if shape.bar > BAR_MIN:
                shape = replace(shape, bar=max(BAR_MIN, shape.bar + left))
                continue
            level = spare.pop()
            places = [place for place in places if table.columns[place].spare != level]
            shape = replace(
                shape,
                bar=shape.bar and BAR_MAX if level != BAR_SPARE else 0,
                interval=shape.interval and (level != INTERVAL_SPARE or not shape.bar),
            )
    taken: list[int] = []
    for place in places:
        if taken and room([*taken, place], shape) < 0:
            yield _grid(table, taken, shape)
            yield Line()
            taken = []
        taken.append(place)
    yield _grid(table, taken, shape)


@dataclass(frozen=True)
class _Shape:
    """The width of bars, 0 for none, and whether figures have their intervals in brackets."""

    bar: int = 0
    interval: bool = True

    def head(self, head: str) -> str:
        return head if self.interval else head.removesuffix(doc.WITH_INTERVAL)

    def cell(self, column: doc.Column, cell: str) -> str:
        cut = not self.interval and column.head.endswith(doc.WITH_INTERVAL)
        return cell.partition(" ")[0] if cut else cell


def _grid(table: doc.Table, places: Sequence[int], shape: _Shape) -> Grid:
    grid = Grid(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="dim",
    )
    for place in (0, *places):
        column, figure = table.columns[place], table.columns[place].kind == "figure"
        folding: dict[str, Any] = {"no_wrap": True} if figure else {"max_width": FOLDED_WIDTH}
        cells = [shape.cell(column, row.cells[place]) for row in table.rows]
        head = doc.printable(shape.head(column.head))
        grid.add_column(
            textwrap.fill(head, max(HEAD_WIDTH, *map(cell_len, cells)), break_long_words=False),
            justify="right" if figure else "left",
            style="" if place else "bold",
            vertical="bottom",
            overflow="fold",
            **folding,
        )
        if shape.bar and not place:
            axis = Axis.of([row.bar for row in table.rows if row.bar], shape.bar)
            grid.add_column(axis.head, vertical="bottom", no_wrap=True)
    for row in table.rows:
        cells = [
            doc.printable(shape.cell(table.columns[place], row.cells[place]))
            for place in (0, *places)
        ]
        # A second table shows nothing of a row that has no figure in it.
        if places[:1] == [1] or any(cell != MISSING for cell in cells[1:]):
            if shape.bar:
                cells.insert(1, axis.bar(row.bar))
            grid.add_row(*map(Line, cells), style="dim" if row.mark in ("twin", "unranked") else "")
    return grid


LEFT, LINE, POINT, RIGHT, OPEN_LEFT, OPEN_RIGHT, ONE = "├─●┤◄►│"


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis, `width` characters wide, from `low` to `high`, which are over 0."""

    low: float
    high: float
    width: int

    @classmethod
    def of(cls, ratios: Sequence[Ratio], width: int) -> "Axis":
        ends = [end for of in ratios for end in (of.ratio, of.low, of.high) if end]
        return cls(min([0.98, *ends]), max([1.02, *ends]), width)

    @property
    def head(self) -> str:
        left, right = f"{self.low:.2g}×", f"{self.high:.2g}×"
        return f"{left}{right:>{self.width - len(left)}}"

    def bar(self, of: Ratio | None) -> str:
        """The ratio and its interval, with a mark at the ratio 1, if it has an interval or not.

        An open end is an arrow.
        """
        cells = [" "] * self.width
        cells[self._place(1)] = ONE
        if of:
            low, high = (None if end is None else self._place(end) for end in (of.low, of.high))
            first, last = low or 0, self.width - 1 if high is None else high
            cells[first : last + 1] = LINE * (last + 1 - first)
            cells[first] = OPEN_LEFT if low is None else LEFT
            cells[last] = OPEN_RIGHT if high is None else RIGHT
            cells[self._place(of.ratio)] = POINT
        return "".join(cells)

    def _place(self, ratio: float) -> int:
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)
