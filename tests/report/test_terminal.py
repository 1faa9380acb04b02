"""The standings in a terminal."""

import io
import re

import pytest
from rich.console import Console

from bakeoff.model.verdict import Verdict
from bakeoff.report import standings
from tests.report import sample
from tests.report.golden import same_as_golden


def printed(verdict: Verdict, width: int, colour: bool = False) -> str:
    out = io.StringIO()
    system = {"force_terminal": True, "color_system": "standard"} if colour else {}
    console = Console(file=out, width=width, **system)  # type: ignore[arg-type]
    console.print(standings(verdict))
    return out.getvalue()


def without_trailing_spaces(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@pytest.mark.parametrize("width", [80, 120])
def test_as_it_is_piped(width: int) -> None:
    text = printed(sample.verdict(), width)
    same_as_golden(f"terminal-{width}.txt", without_trailing_spaces(text))
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_no_width_cuts_a_figure(width: int) -> None:
    text = printed(sample.verdict(), width)
    assert all(len(line.rstrip()) <= width for line in text.splitlines())
    assert "…" not in text
    for figure in ("0.0413× (0.0409 to 0.0417)", "83,214", "1.27 ms", "20.3 µs", "61.2 MiB"):
        assert figure in text


def test_colour_changes_no_word() -> None:
    plain, coloured = (printed(sample.verdict(), 80, colour) for colour in (False, True))
    assert "\x1b[" in coloured
    uncoloured = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert without_trailing_spaces(uncoloured) == without_trailing_spaces(plain)


def test_no_color_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", printed(sample.verdict(), 80, colour=True))


def test_names_and_reasons_are_no_markup_and_no_commands() -> None:
    verdict = sample.verdict()
    hostile = tuple(
        entry.model_copy(update={"reasons": ("\x1b[2J[red]gone[/red]",)})
        for entry in verdict.entries
    )
    text = printed(verdict.model_copy(update={"entries": hostile}), 80)
    assert "�[2J[red]gone[/red]" in text


def test_a_race_without_a_valid_contender_prints_its_reasons() -> None:
    verdict = sample.verdict()
    entries = tuple(entry for entry in verdict.entries if not entry.valid)
    nothing = {"entries": entries, "pairs": (), "noise_floor": None}
    text = printed(verdict.model_copy(update=nothing), 80)
    assert "aiohttp is not ranked: 3 wrong answers" in text
    assert "contender" not in text.partition("aiohttp is not")[0].partition("\n")[2]
