"""Documents in a terminal."""

import io
import re

import pytest
from rich.console import Console
from rich.table import Table as Grid

from bakeoff.report.document import Document, Item, List, Table, Text, facts_table, items
from bakeoff.report.render import terminal
from bakeoff.report.render.terminal import fitted
from tests.report.documents import DOCUMENTS
from tests.report.render.golden import same_as_golden

BAR, RATIO = "0.04× 1×", "ratio (95 % interval)"
RATE, CPU, MEMORY = "requests/s", "server CPU per request", "memory loaded"
FIGURES = {
    "race": ("0.0412× (0.0400 to 0.0424)", "83,127", "1.90 ms", "20.4 µs", "81.2 MiB"),
    "capacity": ("51,450 (49,906 to 52,994)", "≥ 29,400", "1.010× (0.970 to 1.050)"),
    "grid": ("1,012,760", "0.801× (0.788 to 0.813)"),
    "replay": ("33,668", "1.012× (0.985 to 1.040)"),
    "replay-of-many-rows": ("75,018", "208,229", "3.40×", "16.7 ms", "645 µs", "28.0 MiB"),
    "crosscheck": ("≠ 0.500× (0.480 to 0.520)", "= 1.010× (0.970 to 1.050)", "48,000", "9.12 ms"),
    "day": ("= 3.10 ms", "0.500× (0.481 to 0.521)", "48,000", "130 ms"),
    "draws": ("1.2 % (0.60 to 3.0 %), n = 6", "±2.0 %", "5.5 %"),
    "comparison": ("0.951× (0.939 to 0.963)", "48,356", "61,000", "20.3 µs", "14.2 MiB"),
    "audit": ("7 requests", "0.31 B"),
    "why": ("95 % interval", "8.00", "10,000 requests/s"),
}


def printed(document: Document, width: int, colour: bool = False, wide: bool = False) -> str:
    out = io.StringIO()
    system = {"force_terminal": True, "color_system": "standard"} if colour else {}
    console = Console(file=out, width=width, **system)  # type: ignore[arg-type]
    console.print(terminal(document, wide=wide))
    return out.getvalue()


def one_table(table: Table, width: int) -> Grid:
    """The table as a terminal of `width` columns has it, which takes it in one piece."""
    console = Console(file=io.StringIO(), width=width)
    (grid,) = fitted(table, console, console.options, wide=False)
    assert isinstance(grid, Grid)
    return grid


def without_trailing_spaces(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@pytest.mark.parametrize(
    "name",
    ["race", "capacity", "grid", "replay", "crosscheck", "comparison", "audit", "day", "draws"],
)
def test_as_it_is_piped(name: str) -> None:
    text = printed(DOCUMENTS[name](), 80)
    same_as_golden(f"{name}-80.txt", without_trailing_spaces(text))
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (40, ["contender", "ratio", RATE]),
        (60, ["contender", BAR, "ratio", RATE, "p99"]),
        (80, ["contender", BAR, "ratio", RATE, "p99", CPU, MEMORY]),
        (100, ["contender", BAR, RATIO, RATE, "p99", CPU, MEMORY]),
        (140, ["contender", BAR, "rank", RATIO, "n blocks", RATE, "p50", "p99", CPU, MEMORY]),
    ],
)
def test_a_table_has_the_columns_that_fit(width: int, shown: list[str]) -> None:
    (table,) = (
        each for each in DOCUMENTS["race"]().summary if isinstance(each, Table) and each.rows
    )
    heads = [column.header for column in one_table(table, width).columns]
    assert [" ".join(str(head).split()) for head in heads] == shown


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_width_cuts_a_figure_where_all_is_wanted(name: str, width: int) -> None:
    text = printed(DOCUMENTS[name](), width, wide=True)
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    assert "…" not in text
    for figure in FIGURES[name]:
        assert figure in text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_forty_columns_are_enough_for_every_line_that_can_fold(name: str) -> None:
    text = printed(DOCUMENTS[name](), 40)
    assert all(len(line.rstrip()) <= 40 for line in text.splitlines())


def test_of_many_warnings_the_first_are_shown_and_the_others_counted() -> None:
    warned = List("Warnings", items("!", "abcde"), most=3)
    document = Document("", "Said.", (warned,))
    shown, all_of_them = (" ".join(printed(document, 80, wide=w).split()) for w in (False, True))
    assert shown.endswith("! c and 2 more, in the report")
    assert all_of_them.endswith("! d ! e")


def test_blocks_for_those_who_want_all_are_not_shown_to_others() -> None:
    document = Document(
        "", "Said.", (Text("more", wide=True), List("T", items("", "x"), wide=True))
    )
    assert printed(document, 80) == "Said.\n"
    assert printed(document, 80, wide=True).split() == ["Said.", "more", "T", "x"]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_long_name_folds_and_costs_no_table_its_columns(width: int) -> None:
    text = printed(DOCUMENTS["replay-of-many-rows"](), width)
    assert text.count("httprouter · go-gin (the") == (2 if width == 60 else 1)


def test_colour_changes_no_word() -> None:
    plain, coloured = (printed(DOCUMENTS["race"](), 80, colour) for colour in (False, True))
    assert "\x1b[" in coloured
    uncoloured = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert without_trailing_spaces(uncoloured) == without_trailing_spaces(plain)


def test_no_color_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", printed(DOCUMENTS["race"](), 80, colour=True))


def everywhere(word: str) -> Document:
    return Document(
        title=word,
        headline=word,
        lead=word,
        facts=(word,),
        context=(word,),
        alarm=word,
        summary=(
            facts_table(word, [(word, word)], word),
            List(word, (Item(word, "!", word, badge=word, lines=(word,)),), note=word),
            Text(word, word),
            Text(word, code=True),
        ),
        data=({word: word},),
    )


def test_words_from_outside_are_no_markup_and_no_commands() -> None:
    text = printed(everywhere("\x1b[2J[red]gone[/red]"), 80)
    assert "\x1b" not in text
    assert text.count("�[2J[red]gone[/red]") == 15


def test_what_has_nothing_in_it_is_not_shown() -> None:
    empty = (Table("Gone", (), ()), List("Gone", ()))
    assert printed(Document("", "Said.", empty), 80) == "Said.\n"
