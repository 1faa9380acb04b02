"""Ratios as a line of characters."""

import pytest

from bakeoff.model.ratio import Ratio
from bakeoff.report.render.terminal import Axis


def measured(ratio: float, low: float | None, high: float | None) -> Ratio:
    return Ratio(ratio=ratio, low=low, high=high, n=10)


FASTER, SLOWER = measured(2.0, 1.8, 2.2), measured(0.5, 0.4, 0.62)


@pytest.mark.parametrize(
    ("of", "drawn"),
    [
        (FASTER, "          │     ├●┤"),
        (SLOWER, "├─●──┤    │        "),
        (measured(1.0, 1.0, 1.0), "          ●        "),
        (measured(1.5, 1.3, None), "          │ ├─●───►"),
        (measured(0.5, None, 0.62), "◄─●──┤    │        "),
        (None, "          │        "),
    ],
)
def test_a_bar_is_the_interval_with_the_ratio_in_it(of: Ratio | None, drawn: str) -> None:
    assert Axis.of([FASTER, SLOWER], 19).bar(of) == drawn


def test_the_head_has_both_ends_of_the_axis() -> None:
    assert Axis.of([FASTER, SLOWER], 19).head == "0.4×           2.2×"


def test_equals_are_near_the_middle() -> None:
    assert Axis.of([measured(1.001, 0.999, 1.003)], 9).bar(None).index("│") == 4
