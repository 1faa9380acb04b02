"""The live lines of a race and of a build, on a terminal of 80 columns."""

import io
import re

import pytest
from rich.console import Console

from bakeoff.cli import building, watch

THIRTY = [f"contender-{number}" for number in range(30)]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is drawn there."""
    file = io.StringIO()
    terminal = Console(file=file, width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(watch, "err", terminal)
    monkeypatch.setattr(building, "err", terminal)
    return file


def lines(drawn: io.StringIO) -> list[str]:
    """All lines without what steers the terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.getvalue()).replace("\r", "\n").split("\n")


def test_thirty_names_leave_room_for_the_bar_and_stay_on_their_line(drawn: io.StringIO) -> None:
    with watch.LiveWatch() as live:
        live.measured(300, 600, ", ".join(THIRTY))
    shown = [line for line in lines(drawn) if "contender-0" in line]
    assert shown and all("50%" in line and len(line) <= 80 for line in shown)
    assert not [line for line in lines(drawn) if "contender-29" in line]


def test_what_is_being_built_stands_beside_the_bar(drawn: io.StringIO) -> None:
    with building.LiveBuilding(30) as live:
        for name in THIRTY[:3]:
            live.began(name)
        live.ended(THIRTY[0], True, 12.0)
        live.ended(THIRTY[3], True, None)
    assert "contender-0: built, 12 s" in [line.strip() for line in lines(drawn)]
    under_way = re.compile(r"2/30 building contender-1 \d+ s, contender-2 \d+ s")
    assert any(under_way.search(line) for line in lines(drawn))
    assert not [line for line in lines(drawn) if "contender-3" in line], "it was built already"
