"""Scales put values in their order and have round ticks; axes write these beside each other."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.report.charts.scale import Scale, across, plain, round_step, time, times
from bakeoff.report.charts.svg import element
from tests.report.charts.drawn import placed

RATIOS = st.floats(min_value=1e-3, max_value=1e3)


@given(st.lists(RATIOS, min_size=1, max_size=9))
def test_a_scale_has_room_for_every_ratio_and_for_1(ratios: list[float]) -> None:
    scale = Scale.ratios(ratios, 10, 110)
    places = [scale.at(ratio) for ratio in sorted([*ratios, 1.0])]
    assert places == sorted(places)
    assert all(10 < place < 110 for place in places)


def test_a_value_is_placed_by_its_share_or_by_its_ratio() -> None:
    assert Scale(0, 50, 100, 200).at(10) == 120
    assert Scale(1, 100, 0, 300, is_log=True).at(10) == pytest.approx(150)
    assert Scale(1, 100, 300, 0, is_log=True).at(10) == pytest.approx(150)


def test_what_is_beyond_an_end_is_at_that_end() -> None:
    scale = Scale(1, 100, 0, 300, is_log=True)
    assert [scale.at(value) for value in (0.1, 1000)] == [0, 300]


@given(RATIOS, st.floats(min_value=1.01, max_value=1e4), st.sampled_from([4, 8]), st.booleans())
def test_ticks_are_few_rising_and_inside(
    low: float, spread: float, most: int, is_log: bool
) -> None:
    high = low * spread
    ticks = [tick for tick, _ in Scale(low, high, 0, 100, is_log=is_log).axis("", most).ticks]
    assert ticks == sorted(ticks)
    assert len(ticks) <= most + 1
    assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.3, 1.2, [0.3, 0.5, 0.7, 1]),
        (0.94, 1.03, [0.94, 0.96, 0.98, 1, 1.02]),
        (3, 3000, [3, 10, 30, 100, 300, 1000, 3000]),
    ],
)
def test_ticks_of_ratios_are_those_that_people_count_in(
    low: float, high: float, ticks: list[float]
) -> None:
    axis = Scale(low, high, 0, 100, is_log=True).axis("", 8)
    assert [tick for tick, _ in axis.ticks] == ticks


@given(st.floats(min_value=1e-6, max_value=1e6))
def test_a_round_step_is_1_2_or_5_and_just_large_enough(least: float) -> None:
    step = round_step(least)
    assert least * (1 - 1e-9) <= step <= least * 2.5 * (1 + 1e-9)


@given(st.floats(0, 1e6), st.floats(1, 1e9), st.integers(60, 900), st.integers(1, 40))
def test_the_words_of_an_axis_stand_apart_and_end_with_it(
    low: float, span: float, width: int, most: int
) -> None:
    axis = Scale(low, low + span, 0, width).axis("", most)
    root = ET.fromstring(element("svg", *across(axis, 10), xmlns="http://www.w3.org/2000/svg"))
    boxes = [each.box for each in placed(root, "text") if each.text]
    assert all(a[2] < b[0] for a, b in pairwise(boxes))
    assert all(left >= 0 for left, *_ in boxes)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (plain(120_000), "120,000"), (plain(0.5), "0.5"), (times(0.05), "0.05×"),
        (time(100), "100 µs"), (time(2e3), "2 ms"), (time(1.5e6), "1.5 s"), (time(0.5), "0.5 µs"),
    ],
)  # fmt: skip
def test_ticks_are_written_in_the_unit_that_suits_them(written: str, said: str) -> None:
    assert written == said
