"""Progress on a terminal of 80 columns, in a log and in a notebook."""

import io
import re

import pytest
from rich.console import Console

from bakeoff import progress
from bakeoff.cli import setup

THIRTY = [f"contender-{number}" for number in range(30)]


@pytest.fixture
def drawn() -> io.StringIO:
    """What is drawn there."""
    return io.StringIO()


@pytest.fixture
def terminal(drawn: io.StringIO) -> Console:
    return Console(file=drawn, width=80, force_terminal=True, color_system=None)


def lines(drawn: io.StringIO) -> list[str]:
    """All lines without what steers the terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.getvalue()).replace("\r", "\n").split("\n")


def test_thirty_names_leave_room_for_the_bar_and_stay_on_their_line(
    drawn: io.StringIO, terminal: Console
) -> None:
    with progress.terminal_watch(terminal) as live:
        live.measured(300, 600, ", ".join(THIRTY))
    shown = [line for line in lines(drawn) if "contender-0" in line]
    assert shown and all("50%" in line and len(line) <= 80 for line in shown)
    assert not [line for line in lines(drawn) if "contender-29" in line]


def test_how_contenders_stand_comes_before_their_throughputs_and_stays(
    drawn: io.StringIO, terminal: Console
) -> None:
    with progress.terminal_watch(terminal) as live:
        assert live.live
        live.stands("1.52× (1.49 to 1.55) a / b")
        live.measured(1, 2, "a 15.2k/s, b 10.0k/s")
        live.step("")
        live.measured(2, 2, "a 15.1k/s")
        live._progress.refresh()  # type: ignore[attr-defined]
    shown = "\n".join(lines(drawn))
    assert "1.52× (1.49 to 1.55) a / b; a 15.2k/s" in shown
    assert "1.52× (1.49 to 1.55) a / b; a 15.1k/s" in shown
    assert not progress.LineWatch(terminal).live, "a log has no use for a moving figure"


def test_what_is_being_built_stands_beside_the_bar(
    drawn: io.StringIO, terminal: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "err", terminal)
    with setup.BuildBar(30) as live:
        for name in THIRTY[:3]:
            live.began(name)
        live.ended(THIRTY[0], True, 12.0)
        live.ended(THIRTY[3], True, None)
    under_way = re.compile(r"2/30 building contender-1 \d+ s, contender-2 \d+ s")
    assert any(under_way.search(line) for line in lines(drawn))
    assert not [line for line in lines(drawn) if "contender-3" in line], "it was built already"


def test_a_log_has_a_line_for_each_step_and_none_for_the_measuring(drawn: io.StringIO) -> None:
    with progress.terminal_watch(Console(file=drawn, width=20)) as watch:
        watch.step("starting [a] of many contenders")
        watch.measured(1, 2, "half way")
        watch.out("b", "it died")
    assert drawn.getvalue() == "starting [a] of many contenders\nb is out: it died\n"


class Cell:
    """The output of a notebook's cell: what is displayed, and each update of it."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def display(self, data: dict[str, str], **_: object) -> "Cell":
        self.shown.append(data)
        return self

    def update(self, data: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown.append(data)


def test_a_notebook_shows_a_bar_and_keeps_only_who_is_out() -> None:
    cell = Cell()
    with progress.NotebookWatch(cell.display) as watch:
        watch.step("starting <a>")
        assert "starting &lt;a&gt;" in cell.shown[-1]["text/html"]
        watch.measured(1, 2, "not redrawn so soon")
        assert "starting" in cell.shown[-1]["text/html"]
        watch._drawn_at_s = 0
        watch.measured(1, 2, "half way")
        assert '<progress value="1" max="2">' in cell.shown[-1]["text/html"]
        watch.out("b", "it died")
    assert "b is out: it died" in cell.shown[-1]["text/plain"]
    assert "<progress" not in cell.shown[-1]["text/html"]


def test_elsewhere_nothing_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    with progress.suitable_watch() as watch:
        watch.step("starting")
        watch.out("b", "it died")
    assert capfd.readouterr() == ("", "")
