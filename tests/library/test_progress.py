"""Progress in a terminal, in a log and in a notebook."""

import io
import re
import time
from collections.abc import Iterator
from time import sleep

import pytest
from rich.console import Console

from bakeoff import progress
from bakeoff.cli import setup
from tests.judge.races import Race, judged
from tests.screen import STEERING, Screen
from tests.waiting import wait_for

THIRTY = [f"contender-{number}" for number in range(30)]
HEIGHT = 24


@pytest.fixture
def drawn() -> io.StringIO:
    """What is written to a terminal or a log."""
    return io.StringIO()


def console(drawn: io.StringIO, columns: int = 80) -> Console:
    return Console(
        file=drawn, width=columns, height=HEIGHT, force_terminal=True, _environ={"TERM": "xterm"}
    )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, which a test moves."""
    now_s = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(progress, "TICK_S", 0.01)
    return now_s


def screens(drawn: io.StringIO) -> Iterator[Screen]:
    """The terminal after each redraw."""
    screen = Screen(HEIGHT)
    for redraw in drawn.getvalue().split("\r"):
        screen.write(redraw)
        yield screen


def last(drawn: io.StringIO) -> list[str]:
    """The lines that are on the terminal in the end, or have scrolled out."""
    *_, screen = screens(drawn)
    return screen.lines


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (80, [r"b +│ +├?─*●─*┤? +1\.\d+× \(1\.\d+ to 1\.\d+\) +30,200", r"a +● +1× +20,100"]),
        (40, [r"b +1\.\d+× \(1\.\d+ to 1\.\d+\)", r"a +1×"]),
    ],
)
def test_each_contender_has_its_ratio_with_its_interval(
    drawn: io.StringIO, columns: int, rows: list[str], clock: list[float]
) -> None:
    with progress.terminal_watch(console(drawn, columns)) as watch:
        assert watch.live
        watch.measured(1, 20, "measuring", {"a": 20_000, "b": 30_000})
        clock[0] += 3
        watch.stands(judged(Race({"a": 1.0, "b": 1.5})))
        watch.measured(5, 20, "measuring", {"a": 20_100, "b": 30_200})
        shown = last(drawn)
    found = [line for line in shown if line.startswith(("b ", "a "))]
    for row, line in zip(rows, found, strict=True):
        assert re.fullmatch(row, line)
    assert re.search(r"[━╺╸]+ 25 %, 1\d s left measuring", shown[-1])
    assert max(map(len, shown)) <= columns


def test_before_ratios_are_known_there_are_throughputs_and_afterwards_nothing(
    drawn: io.StringIO,
) -> None:
    with progress.terminal_watch(console(drawn)) as watch:
        watch.stands(judged(Race({"x": 1.0, "y": 1.5})))
        watch.stands(None)
        watch.step("starting a, b")
        assert last(drawn)[-1] == "0 s starting a, b"
        watch.out("c", "it died")
        watch.measured(1, 20, "measuring", {"a": 20_000, "b": 30_000})
        watch.step("judging")
        assert [re.split(" {2,}", line) for line in last(drawn)] == [
            ["c is out: it died"],
            ["contender", "ratio", "requests/s"],
            ["─" * 28],
            ["a", "–", "20,000"],
            ["b", "–", "30,000"],
            ["╸" + 15 * "━" + " 0 s judging"],
        ]
    assert [line for line in last(drawn) if line] == ["c is out: it died"]


@pytest.mark.parametrize("columns", [40, 80])
def test_of_thirty_contenders_as_many_as_there_is_room_for_are_shown(
    drawn: io.StringIO, columns: int
) -> None:
    with progress.terminal_watch(console(drawn, columns)) as watch:
        watch.step(f"starting {', '.join(THIRTY)}")
        watch.measured(1, 20, "measuring", dict.fromkeys(THIRTY, 1.0))
        watch.step("judging")
        shown = last(drawn)
    rows = [line for line in shown if line.startswith("contender-")]
    assert len(rows) == 19 and "and 11 more" in shown and "judging" in shown[-1]
    assert max(len(screen.lines) for screen in screens(drawn)) <= HEIGHT, "nothing has scrolled out"


def test_without_colour_there_is_none(drawn: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    bare = Console(file=drawn, width=80, height=HEIGHT, force_terminal=True)
    with progress.terminal_watch(bare) as watch:
        watch.measured(1, 2, "measuring", {"a": 1.0})
    colours = [found[1] for found in STEERING.finditer(drawn.getvalue()) if found[2] == "m"]
    assert not [each for each in colours if each.startswith(("3", "4", "9"))]


def test_a_terminal_that_can_t_be_drawn_on_has_lines(drawn: io.StringIO) -> None:
    dumb = Console(file=drawn, force_terminal=True, _environ={"TERM": "dumb"})
    with progress.terminal_watch(dumb) as watch:
        assert not watch.live, "a log has no use for a moving figure"


def test_a_step_that_takes_long_is_not_silent(drawn: io.StringIO, clock: list[float]) -> None:
    with progress.terminal_watch(console(drawn)) as watch:
        watch.step("judging")
        clock[0] += 3
        wait_for(lambda: last(drawn)[-1] == "3 s judging")


def test_what_is_being_built_stands_beside_the_bar(
    drawn: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "err", console(drawn))
    with setup.BuildBar(30) as live:
        for name in THIRTY[:3]:
            live.began(name)
        live.ended(THIRTY[0], True, 12.0)
        live.ended(THIRTY[3], True, None)
    lines = [line for screen in screens(drawn) for line in screen.lines]
    under_way = re.compile(r"2/30 building contender-1 \d+ s, contender-2 \d+ s")
    assert any(map(under_way.search, lines))
    assert not [line for line in lines if "contender-3" in line], "it was built already"


def test_a_log_is_not_silent_for_long_not_even_in_a_slice(
    drawn: io.StringIO, clock: list[float]
) -> None:
    with progress.terminal_watch(Console(file=drawn, width=20)) as watch:
        watch.step("starting [a] of many contenders")
        clock[0] += 5
        wait_for(lambda: drawn.getvalue().endswith("contenders: 5 s\n"))
        watch.measured(1, 40, "measuring", {"a": 1.0})
        clock[0] += 4
        wait_for(lambda: drawn.getvalue().endswith("measuring: 2 %\n"))


def test_in_a_log_a_note_does_not_end_the_step_that_is_under_way(
    drawn: io.StringIO, clock: list[float]
) -> None:
    with progress.terminal_watch(Console(file=drawn, width=40)) as watch:
        watch.step("building")
        clock[0] += 1
        watch.note("a: built, 1 s")
        clock[0] += 4
        wait_for(lambda: drawn.getvalue().endswith("\na: built, 1 s\nbuilding: 5 s\n"))


def test_a_terminal_is_redrawn_between_slices_alone(drawn: io.StringIO, clock: list[float]) -> None:
    with progress.terminal_watch(console(drawn)) as watch:
        watch.measured(1, 40, "measuring", {"a": 1.0})
        shown = drawn.getvalue()
        clock[0] += progress.QUIET_S
        sleep(0.1)
        assert drawn.getvalue() == shown
        clock[0] += 1
        wait_for(lambda: drawn.getvalue() != shown)


def test_a_log_has_a_line_for_each_step_and_of_a_long_one_more_and_more_seldom(
    drawn: io.StringIO, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "TICK_S", 3600)
    with progress.terminal_watch(Console(file=drawn, width=20)) as watch:
        for done in range(8):
            watch.measured(done, 40, "measuring", {"a": 1.0})
            clock[0] += 2
        clock[0] += 584
        watch.measured(20, 40, "measuring")
        clock[0] += 20
        watch.measured(21, 40, "more seldom by and by")
        watch.step("judging")
        watch.out("b", "it died")
    assert drawn.getvalue().splitlines() == [
        "measuring: 0 s",
        "measuring: 5 %, 1 min 15 s left",
        "measuring: 10 %, 1 min 10 s left",
        "measuring: 15 %, 1 min 10 s left",
        "measuring: 50 %, 10 min left",
        "judging",
        "b is out: it died",
    ]


def test_the_time_left_of_a_second_run_is_its_own(
    drawn: io.StringIO, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "TICK_S", 3600)
    with progress.terminal_watch(Console(file=drawn, width=20)) as watch:
        for done in (0, 20, 40, 0, 4, 8):
            watch.measured(done, 40, "measuring")
            clock[0] += 10
    assert drawn.getvalue().splitlines()[-1] == "measuring: 20 %, 1 min 20 s left"


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
        watch.note("it goes on")
        assert "it goes on" in cell.shown[-1]["text/html"]
        watch.out("b", "it died")
    assert "b is out: it died" in cell.shown[-1]["text/plain"]
    assert "<progress" not in cell.shown[-1]["text/html"]


def test_elsewhere_nothing_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    with progress.suitable_watch() as watch:
        watch.step("starting")
        watch.note("started")
        watch.out("b", "it died")
    assert capfd.readouterr() == ("", "")
