"""A race in a terminal: how servers stand while they are measured, and the result in its place."""

import re
from pathlib import Path

import pytest

from bakeoff.model.errors import Status
from tests.e2e.conftest import BAKEOFF, QUICK, Place
from tests.screen import Typed, typed

pytestmark = pytest.mark.e2e
HEIGHT = 24
ROW = re.compile(r"slow .*× \((\d+\.\d+) to (\d+\.\d+)\)")


@pytest.fixture
def servers(place: Place) -> tuple[str, ...]:
    fast = place.server("fast")
    return f"fast={fast}", f"slow={place.server('slow', before='time.sleep(0.1)')}"


def widths(shown: Typed) -> list[float]:
    """How wide the ratio's interval was, each time that it was drawn anew."""
    drawn: list[float] = []
    for _, screen in shown.screens(HEIGHT):
        for low, high in ROW.findall("\n".join(screen.lines)):
            width = float(high) / float(low)
            if width not in drawn[-1:]:
                drawn.append(width)
    return drawn


@pytest.mark.parametrize("columns", [80, pytest.param(40, marks=pytest.mark.slow)])
def test_ratios_narrow_while_servers_race_and_the_result_takes_their_place(
    place: Place, servers: tuple[str, ...], columns: int
) -> None:
    words: list[str | Path] = [BAKEOFF, "race", *servers, "-d", "10", *QUICK]
    shown = typed(words, place.path, columns, HEIGHT)
    assert shown.status == 0
    drawn = widths(shown)
    assert len(drawn) > 1 and drawn[-1] < drawn[0]
    *_, (_, screen) = shown.screens(HEIGHT)
    heads = [line for line in screen.lines if line.startswith("contender ")]
    assert len(heads) == 1, "the table has left nothing behind"


def test_ctrl_c_leaves_the_verdict_so_far_and_resume_goes_on_with_the_table(
    place: Place, servers: tuple[str, ...]
) -> None:
    race: list[str | Path] = [BAKEOFF, "race", *servers, "-d", "8", *QUICK]
    cut = typed(race, place.path, 80, HEIGHT, interrupt_at="left measuring")
    assert cut.status == Status.INTERRUPTED
    *_, (_, screen) = cut.screens(HEIGHT)
    assert screen.lines[-2].startswith("Interrupted; ")
    assert not [line for line in screen.lines if line.endswith("left measuring")]
    whole = typed([BAKEOFF, "resume", "runs/latest"], place.path, 80, HEIGHT)
    assert whole.status == 0 and widths(whole)
