"""Documents in a terminal."""

import io
import re

import pytest
from rich.console import Console

from bakeoff.report.document import Document, Item, List, Table, Text, facts_table
from bakeoff.report.render import terminal
from tests.report.documents import DOCUMENTS
from tests.report.render.golden import same_as_golden

FIGURES = {
    "race": ("0.0412× (0.0403 to 0.0421)", "83,127", "1.90 ms", "20.4 µs", "81.2 MiB"),
    "capacity": ("51,450 (49,906 to 52,994)", "≥ 29,400", "1.010× (0.970 to 1.050)"),
    "grid": ("1,012,760", "0.801× (0.789 to 0.813)"),
    "replay": ("33,668", "1.012× (0.985 to 1.040)"),
    "replay-of-many-rows": ("75,018", "208,229", "3.40×", "16.7 ms", "645 µs", "28.0 MiB"),
    "crosscheck": ("≠ 0.500× (0.480 to 0.520)", "= 1.010× (0.970 to 1.050)", "48,000", "9.12 ms"),
    "day": ("= 3.10 ms", "0.500× (0.481 to 0.521)", "48,000", "130 ms"),
    "draws": ("1.2 % (0.60 to 3.0 %), n = 6", "±2.0 %", "5.5 %"),
    "comparison": ("0.951× (0.939 to 0.963)", "48,356", "61,000", "20.3 µs", "14.2 MiB"),
    "audit": ("7 requests", "0.31 B"),
}


def printed(document: Document, width: int, colour: bool = False) -> str:
    out = io.StringIO()
    system = {"force_terminal": True, "color_system": "standard"} if colour else {}
    Console(file=out, width=width, **system).print(terminal(document))  # type: ignore[arg-type]
    return out.getvalue()


def without_trailing_spaces(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@pytest.mark.parametrize(
    "name", ["race", "capacity", "grid", "replay", "crosscheck", "comparison", "audit", "day"]
)
def test_as_it_is_piped(name: str) -> None:
    text = printed(DOCUMENTS[name](), 80)
    same_as_golden(f"{name}-80.txt", without_trailing_spaces(text))
    assert "\x1b" not in text


def test_a_wide_terminal_takes_the_table_whole() -> None:
    heads = [line for line in printed(DOCUMENTS["race"](), 120).splitlines() if " rank " in line]
    assert [head.split()[-3:] for head in heads] == [["per", "request", "loaded"]]


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_width_cuts_a_figure(name: str, width: int) -> None:
    text = printed(DOCUMENTS[name](), width)
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    assert "…" not in text
    for figure in FIGURES[name]:
        assert figure in text


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
    """`word` wherever a document has text."""
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
