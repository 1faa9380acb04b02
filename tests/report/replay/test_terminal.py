"""A replay in a terminal."""

import io
import re

import pytest
from rich.console import Console

from bakeoff.model.replay import Replay
from bakeoff.report import replay_standings
from tests.report.golden import same_as_golden
from tests.report.replay import sample
from tests.report.test_terminal import without_trailing_spaces


def printed(replay: Replay, width: int, colour: bool = False) -> str:
    out = io.StringIO()
    system = {"force_terminal": True, "color_system": "standard"} if colour else {}
    console = Console(file=out, width=width, **system)  # type: ignore[arg-type]
    console.print(replay_standings(replay))
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_as_it_is_piped(width: int) -> None:
    text = printed(sample.cut_off(), width)
    same_as_golden(f"replay-terminal-{width}.txt", without_trailing_spaces(text))
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_width_cuts_a_figure(width: int) -> None:
    for replay in (sample.cut_off(), sample.brick()):
        text = printed(replay, width)
        assert all(len(line.rstrip()) <= width for line in text.splitlines())
        assert "…" not in text
    for figure in ("75,018", "208,229", "3.40×", "16.7 ms", "645 µs", "28.0 MiB", "18.4 MiB"):
        assert figure in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_long_name_folds_and_costs_no_table_its_columns(width: int) -> None:
    text = printed(sample.brick(), width)
    assert text.count("httprouter · go-gin (the") == (2 if width == 60 else 1)


def test_colour_changes_no_word() -> None:
    plain, coloured = (printed(sample.cut_off(), 80, colour) for colour in (False, True))
    assert "\x1b[" in coloured
    uncoloured = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert without_trailing_spaces(uncoloured) == without_trailing_spaces(plain)


def test_no_color_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", printed(sample.cut_off(), 80, colour=True))


def test_words_from_outside_are_no_markup_and_no_commands() -> None:
    text = printed(sample.hostile("\x1b[2J[red]gone[/red]"), 200)
    assert "�[2J[red]gone[/red]" in text
    assert "\x1b" not in text
