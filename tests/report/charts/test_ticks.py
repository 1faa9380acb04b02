"""Round figures for an axis."""

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.report.charts.ticks import ratio_ticks, round_step


@given(
    st.floats(min_value=1e-3, max_value=1e3),
    st.floats(min_value=1.01, max_value=1e4),
    st.sampled_from([4, 8]),
)
def test_ticks_of_ratios_are_few_rising_and_inside(low: float, spread: float, most: int) -> None:
    high = low * spread
    ticks = ratio_ticks(low, high, most)
    assert ticks == sorted(ticks)
    assert len(ticks) <= most + 1
    assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)


@given(st.floats(min_value=1e-6, max_value=1e6))
def test_a_round_step_is_1_2_or_5_and_just_large_enough(least: float) -> None:
    step = round_step(least)
    assert least * (1 - 1e-9) <= step <= least * 2.5 * (1 + 1e-9)
