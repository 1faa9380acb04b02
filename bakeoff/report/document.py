"""A report as data: its content, in order. Renderers decide how it looks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from markupsafe import Markup

from bakeoff.model.ratio import Ratio

Sign = Literal["✓", "✗", "?", "!", "≠", "=", "–", "⇄", "·", ""]
Tone = Literal["good", "bad", "unknown", "warning", "left-out", "note", ""]
TONES: Mapping[Sign, Tone] = {
    "✓": "good",
    "=": "good",
    "✗": "bad",
    "?": "unknown",
    "!": "warning",
    "≠": "warning",
    "–": "left-out",
    "⇄": "note",
    "·": "note",
    "": "",
}
"""The meaning of each sign, by which renderers choose colours."""

Value = str | int | float | bool | None
DataRow = Mapping[str, Value]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class _Block:
    """`wide`: a terminal shows it only with `--wide`."""

    wide: bool = False


@dataclass(frozen=True)
class Text(_Block):
    """A paragraph; an empty one is not shown. `label` names it, `quiet` makes it less prominent,
    `code` keeps its form.

    `link` is its target: an address on the web, or a path from the report's folder.
    """

    text: str
    label: str = ""
    quiet: bool = False
    code: bool = False
    link: str = ""


@dataclass(frozen=True)
class Item:
    """One entry of a list: `label: text`, further `lines` below it.

    `badge` is a finding that is shown separately. `struck` crosses out the label and the lines:
    they are recorded but don't count. `link` is the label's target.
    """

    text: str
    sign: Sign = ""
    label: str = ""
    link: str = ""
    badge: str = ""
    struck: bool = False
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class List(_Block):
    """Entries under a title; a list without entries is not shown.

    `outcomes`: each entry has an outcome, and its sign is shown in every format. Otherwise only the
    terminal shows signs. `most`: a terminal shows this many entries, and counts the others.
    """

    title: str
    items: tuple[Item, ...]
    outcomes: bool = False
    ordered: bool = False
    note: str = ""
    most: int | None = None


WITH_INTERVAL = " (95 % interval)"
"""The end of the head of a column whose cells have a figure and its interval in brackets."""


@dataclass(frozen=True)
class Column:
    """The head of a column. Figures are aligned to the right and never wrap; text may.

    A terminal without enough room leaves out the columns with the highest `spare` first; those with
    0 stay.
    """

    head: str
    kind: Literal["figure", "text"] = "figure"
    spare: int = 0


@dataclass(frozen=True)
class Row:
    """One line of a table, as text. `twin` and `unranked` rows are less prominent.

    `bar` is the ratio that a terminal draws, with its interval, beside the row's name.
    """

    cells: tuple[str, ...]
    mark: Literal["", "reference", "twin", "unranked"] = ""
    bar: Ratio | None = None


@dataclass(frozen=True)
class Table(_Block):
    """Rows under a title; the first column names the row. A table without rows is not shown.

    `facts` are names with a value each, without a line of heads; `code` values are commands or the
    output of programs.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    facts: bool = False
    code: bool = False


@dataclass(frozen=True)
class Frame:
    """The room of a picture, in px. Narrow is a telephone held upright."""

    width: int
    narrow: bool = False

    @property
    def ticks(self) -> int:
        return 4 if self.narrow else 8


WIDE, NARROW = Frame(976), Frame(340, narrow=True)


class Drawing(NamedTuple):
    """Elements of SVG, with this height in px and the width of the frame for which they were
    drawn."""

    height: float
    parts: Sequence[Markup]


@dataclass(frozen=True)
class Chart:
    """A picture: `reading` says how to read it, `alt_text` describes it, `draw` makes it.

    `slug` is the name of its file. It is drawn twice, for a desktop and for a telephone. A `script`
    makes it interactive; without one it still shows everything.
    """

    slug: str
    title: str
    reading: str
    alt_text: str
    draw: Callable[[Frame], Drawing]
    script: str = ""


@dataclass(frozen=True)
class Charts(_Block):
    """Pictures that are made when a renderer needs them: a terminal needs none."""

    make: Callable[[], Sequence[Chart | None]]


@dataclass(frozen=True)
class Section(_Block):
    """Blocks under a title. `folded`: only on the page, closed until a reader opens it."""

    title: str
    blocks: "tuple[Block, ...]"
    note: str = ""
    folded: bool = False


Block = Text | List | Table | Charts | Section


@dataclass(frozen=True)
class Document:
    """A whole report.

    `headline` is the result in a few sentences, `tone` its outcome, `lead` its subject. `context`
    and `facts` say in a few words what was measured, where and how. `alarm` has the reasons to
    doubt the result. Every format has `summary`; the terminal leaves `detail` out. `data` has the
    unrounded figures, a row for each observation, the unit at the end of each key.
    """

    title: str
    headline: str
    summary: tuple[Block, ...]
    detail: tuple[Block, ...] = ()
    data: tuple[DataRow, ...] = ()
    tone: Tone = ""
    lead: str = ""
    context: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    alarm: str = ""

    @property
    def measured(self) -> str:
        between = "; " if any(", " in fact for fact in self.facts) else ", "
        return f"Measured: {between.join(self.facts)}." if self.facts else ""


NOTHING_SPARE: Mapping[str, int] = {}


def tabulated(
    title: str,
    items: Sequence[T],
    columns: Sequence[tuple[str, Callable[[T], str]]],
    note: str = "",
    text: Sequence[str] = (),
    mark: Callable[[T], Literal["", "reference", "twin", "unranked"]] = lambda _: "",
    bar: Callable[[T], Ratio | None] = lambda _: None,
    spare: Mapping[str, int] = NOTHING_SPARE,
) -> Table:
    """A row for each of `items`, a column for each head and function. `text`: columns of words.

    `bar` and `spare`, by head, are those of `Row` and `Column`.
    """
    heads = [
        Column(head, "text" if not place or head in text else "figure", spare.get(head, 0))
        for place, (head, _) in enumerate(columns)
    ]
    rows = (Row(tuple(cell(it) for _, cell in columns), mark(it), bar(it)) for it in items)
    return Table(title, tuple(heads), tuple(rows), note)


def facts_table(
    title: str, facts: Iterable[tuple[str, object]], note: str = "", *, code: bool = False
) -> Table:
    """Names with a value each: True is `on`, None is `–`."""
    said = {True: "on", False: "off", None: "–"}
    rows = tuple(
        Row((name, said[value] if value is None or isinstance(value, bool) else str(value)))
        for name, value in facts
    )
    return Table(
        title, (Column("fact", "text"), Column("value", "text")), rows, note, facts=True, code=code
    )


def items(sign: Sign, texts: Sequence[str]) -> tuple[Item, ...]:
    return tuple(Item(text, sign) for text in texts)


def printable(text: str) -> str:
    """Text from outside without control characters, which could steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c in "\r\n\t" else "�" for c in text)
