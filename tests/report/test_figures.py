"""How figures are written."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.model.ratio import Difference
from bakeoff.report import figures

FINITE = st.floats(min_value=1e-6, max_value=1e9)
ANY = st.floats(min_value=-1e12, max_value=1e12) | st.sampled_from([math.nan, math.inf, None])


@pytest.mark.parametrize(
    ("more", "low", "high", "text"),
    [
        (53.14, 48.02, 58.2, "+53.1 µs (48.0 to 58.2)"),
        (-53.14, -1048.02, 941.7, "-0.05 ms (-1.05 to 0.94)"),
        (0.0, 0.0, 0.0, "+0 µs (0 to 0)"),
    ],
)
def test_a_difference_of_times_has_one_unit(
    more: float, low: float, high: float, text: str
) -> None:
    assert figures.later(Difference(more=more, low=low, high=high)) == text
    assert figures.later(None) == figures.MISSING


def digits(text: str) -> str:
    return re.sub(r"[^0-9]", "", text).lstrip("0")


@pytest.mark.parametrize(
    ("ratio", "low", "high", "text"),
    [
        (1.7213, 1.7021, 1.7412, "1.72× (1.70 to 1.74)"),
        (1.002, 0.9966, 1.0076, "1.002× (0.997 to 1.008)"),
        (0.04133, 0.0409, 0.0417, "0.0413× (0.0409 to 0.0417)"),
        (24.21, 24.01, 24.44, "24.2× (24.0 to 24.4)"),
        (1.7, 1.2, 2.2, "1.70× (1.20 to 2.20)"),
        (1.005, 0.988, 1.022, "1.005× (0.988 to 1.022)"),
        (0.995, 0.978, 1.012, "0.995× (0.978 to 1.012)"),
        (1.0012, 1.0002, 1.0022, "1.0012× (1.0002 to 1.0022)"),
        (3.52, 3.412, None, "≥ 3.41×"),
        (0.284, None, 0.2934, "≤ 0.293×"),
        (1.0012, 1.0002, None, "≥ 1.0002×"),
        (3.52, None, None, "can't tell"),
        (None, None, None, "–"),
        (math.nan, 0.9, 1.1, "–"),
        (1.0, 0.9, math.inf, "–"),
    ],
)
def test_a_ratio_has_the_digits_that_its_interval_warrants(
    ratio: float | None, low: float | None, high: float | None, text: str
) -> None:
    assert figures.ratio_times(ratio, low, high) == text


@given(
    st.floats(min_value=0.01, max_value=100),
    st.floats(min_value=1e-4, max_value=0.5),
    st.floats(min_value=1e-4, max_value=0.5),
)
def test_a_bound_stays_on_its_side_of_1(ratio: float, below: float, above: float) -> None:
    low, high = ratio * (1 - below), ratio * (1 + above)
    _, shown_low, shown_high = figures.interval(ratio, low, high)
    for bound, shown in ((low, shown_low), (high, shown_high)):
        if abs(bound - 1) > 1e-6:
            assert math.copysign(1, float(shown) - 1) == math.copysign(1, bound - 1)
            assert float(shown) != 1


@given(FINITE)
def test_a_time_has_three_digits_and_the_unit_that_suits_it(us: float) -> None:
    number, unit = figures.duration(us).split(" ")
    scale = {"µs": 1.0, "ms": 1e3, "s": 1e6}[unit]
    value = float(number.replace(",", ""))
    assert value * scale == pytest.approx(us, rel=0.006)
    assert len(digits(number)) <= 3 or unit == "s"
    assert value < 1000 or unit == "s"


@given(ANY)
def test_nothing_is_ever_written_as_nan_or_inf(value: float | None) -> None:
    for write in (figures.rate, figures.duration, figures.mib, figures.percent):
        text = write(value)
        assert "nan" not in text
        assert "inf" not in text
        if value is None or not math.isfinite(value):
            assert text == figures.MISSING


@given(st.floats(min_value=-1, max_value=1).filter(lambda share: abs(share) > 1e-9))
def test_a_percentage_keeps_its_sign_and_never_becomes_zero(share: float) -> None:
    text = figures.percent(share)
    assert text.startswith("-") == (share < 0)
    assert float(text.removesuffix(" %")) != 0


@given(FINITE)
def test_a_rate_keeps_three_digits_at_least(per_s: float) -> None:
    assert float(figures.rate(per_s).replace(",", "")) == pytest.approx(per_s, rel=0.006)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (figures.rate(83214.4), "83,214"),
        (figures.rate(812.44), "812"),
        (figures.rate(0), "0.00"),
        (figures.duration(0), "0 µs"),
        (figures.duration(999.7), "1.00 ms"),
        (figures.duration(83.04), "83.0 µs"),
        (figures.duration(66.4e6), "66.4 s"),
        (figures.mib(1536.2), "1,536 MiB"),
        (figures.mib(7.4), "7.40 MiB"),
        (figures.percent(0.0061), "0.61 %"),
        (figures.percent(0.9961), "99.6 %"),
        (figures.percent(0), "0 %"),
        (figures.margin(0.02), "±2 %"),
        (figures.rank((1, 2)), "1–2"),
        (figures.rank((3, 3)), "3"),
        (figures.rank(None), "–"),
        (figures.plural(1, "boot"), "1 boot"),
        (figures.plural(1200, "block"), "1,200 blocks"),
    ],
)
def test_figures_as_people_write_them(written: str, text: str) -> None:
    assert written == text
