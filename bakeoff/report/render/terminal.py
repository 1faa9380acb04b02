"""A document in a terminal of any width from 60 columns on, without pictures, links and details."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text as Line

from bakeoff.report.document import (
    TONES,
    Block,
    Document,
    Item,
    List,
    Section,
    Table,
    Text,
    Tone,
    printable,
)
from bakeoff.report.figures import MISSING

STYLES: dict[Tone, str] = {
    "good": "green",
    "bad": "red",
    "unknown": "yellow",
    "warning": "bold yellow",
    "left-out": "yellow",
    "note": "cyan",
    "": "",
}
HEAD_WIDTH, FOLDED_WIDTH = 12, 30


class terminal:
    """A rich renderable of a whole document; it fits itself to the width that it is given."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The headline, then each block of the summary."""
        document = self._document
        yield Line(printable(document.headline), f"bold {STYLES[document.tone]}".strip())
        if document.lead:
            yield Line(printable(document.lead))
        for block in document.summary:
            yield from _block(block, console, options)
        if document.measured:
            yield Line()
            yield Line(printable(document.measured))


def _block(block: Block, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
    match block:
        case Text() if not block.link:
            yield _labelled(block)
        case Table() if block.rows:
            yield from _titled(block.title)
            yield from _fitted(block, console, options)
            if block.note:
                yield Line(printable(block.note), "dim")
        case List() if block.items:
            yield from _titled(block.title)
            for place, item in enumerate(block.items, start=1):
                yield from _item(item, f"{place}." if block.ordered else "")
        case Section() if not block.folded:
            inner = [part for each in block.blocks for part in _block(each, console, options)]
            if inner:
                yield from _titled(block.title)
                yield from inner
        case _:
            pass


def _titled(title: str) -> Iterator[Line]:
    yield Line()
    yield Line(printable(title), "bold")


def _labelled(block: Text) -> Line:
    label = f"{printable(block.label)}: " if block.label else ""
    return Line.assemble((label, "bold"), printable(block.text), style="dim" if block.quiet else "")


def _item(item: Item, place: str) -> Iterator[RenderableType]:
    """The sign, and beside it the text, which keeps to its own column where it folds."""
    tone = STYLES[TONES[item.sign]]
    said = Line.assemble(
        (f"{printable(item.badge)}: " if item.badge else "", tone),
        (printable(item.label), "strike" if item.struck else "bold"),
        ": " if item.label else "",
        "\n".join(map(printable, item.text.splitlines())),
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
        yield Padding(Line(printable(below), style), (0, 0, 0, 2), expand=False)


def _fitted(table: Table, console: Console, options: ConsoleOptions) -> Iterator[Grid]:
    """Columns in their order, as many side by side as fit; the first one names the rows of each."""
    unbounded = options.update(max_width=10_000)
    taken: list[int] = []
    for place in range(1, len(table.columns)):
        wider = Measurement.get(console, unbounded, _grid(table, [*taken, place])).maximum
        if taken and wider > options.max_width:
            yield _grid(table, taken)
            taken = []
        taken.append(place)
    yield _grid(table, taken)


def _grid(table: Table, places: Sequence[int]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for place in (0, *places):
        column, figure = table.columns[place], table.columns[place].kind == "figure"
        folding: dict[str, Any] = {"no_wrap": True} if figure else {"max_width": FOLDED_WIDTH}
        widest = max((cell_len(row.cells[place]) for row in table.rows), default=0)
        grid.add_column(
            "\n".join(textwrap.wrap(printable(column.head), max(HEAD_WIDTH, widest))),
            justify="right" if figure else "left",
            style="" if place else "bold",
            vertical="bottom",
            overflow="fold",
            **folding,
        )
    for row in table.rows:
        cells = [printable(row.cells[place]) for place in (0, *places)]
        # A second table says nothing of a row that has no figure in it.
        if places[:1] == [1] or any(cell != MISSING for cell in cells[1:]):
            grid.add_row(*map(Line, cells), style="dim" if row.mark in ("twin", "unranked") else "")
    return grid
