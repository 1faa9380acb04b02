"""Ratios as a line of characters."""

from typing import NamedTuple

import pytest

from bakeoff.report.render.bars import Axis


class Measured(NamedTuple):
    ratio: float | None
    low: float | None
    high: float | None


FASTER, SLOWER = Measured(2.0, 1.8, 2.2), Measured(0.5, 0.4, 0.62)


@pytest.mark.parametrize(
    ("of", "drawn"),
    [
        (FASTER, "          │     ├●┤"),
        (SLOWER, "├─●──┤    │        "),
        (Measured(1.0, 1.0, 1.0), "          ●        "),
        (Measured(1.5, 1.3, None), "          │ ├─●───►"),
        (Measured(0.5, None, 0.62), "◄─●──┤    │        "),
        (Measured(None, None, None), "          │        "),
        (None, "          │        "),
    ],
)
def test_a_bar_is_the_interval_with_the_ratio_in_it(of: Measured | None, drawn: str) -> None:
    assert Axis.of([FASTER, SLOWER], 19).bar(of) == drawn


def test_the_head_has_both_ends_of_the_axis() -> None:
    assert Axis.of([FASTER, SLOWER], 19).head == "0.4×           2.2×"


def test_equals_are_near_the_middle() -> None:
    assert Axis.of([Measured(1.001, 0.999, 1.003)], 9).bar(None).index("│") == 4
