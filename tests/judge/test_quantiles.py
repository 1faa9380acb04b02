"""Our distributions and quantiles against scipy's, to ten digits."""

from collections.abc import Callable
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.stats import beta, chi2, f, gamma, norm, t

from bakeoff.judge.crossing import rising_fit
from bakeoff.judge.quantiles import (
    beta_quantile,
    chi_square_quantile,
    f_quantile,
    gamma_quantile,
    normal_cdf,
    t_cdf,
    t_quantile,
)

FREEDOM = st.one_of(st.integers(1, 1000), st.floats(1, 1000))
SHARES = st.floats(1e-4, 1 - 1e-4)
UPPER = st.floats(0.51, 1 - 1e-6)
TESTED: dict[str, tuple[Callable[..., float], Callable[..., float], tuple[object, ...]]] = {
    "t_quantile": (t_quantile, lambda n, p: t.isf(1 - p, n), (FREEDOM, UPPER)),
    "t_cdf": (t_cdf, lambda n, x: t.cdf(x, n), (FREEDOM, st.floats(-50, -1e-3))),
    "chi_square": (chi_square_quantile, lambda n, p: chi2.ppf(p, n), (FREEDOM, SHARES)),
    "f": (f_quantile, lambda n, m, p: f.ppf(p, n, m), (FREEDOM, FREEDOM, SHARES)),
    "beta": (beta_quantile, lambda n, m, p: beta.ppf(p, n, m), (FREEDOM, FREEDOM, SHARES)),
    "gamma": (gamma_quantile, lambda a, p: gamma.ppf(p, a), (st.floats(0.5, 2000), SHARES)),
}


@pytest.mark.parametrize("name", TESTED)
@given(data=st.data())
def test_it_is_scipys_to_ten_digits(name: str, data: st.DataObject) -> None:
    ours, theirs, arguments = TESTED[name]
    values = [data.draw(strategy) for strategy in arguments]  # type: ignore[arg-type]
    assert ours(*values) == pytest.approx(float(theirs(*values)), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-300, 1e-160])
@pytest.mark.parametrize("freedom", [1, 4, 1000])
def test_below_next_to_nothing_is_half_of_students_t(value: float, freedom: int) -> None:
    assert t_cdf(freedom, -value) == pytest.approx(0.5)


def test_far_out_students_t_of_one_degree_of_freedom_is_cauchys() -> None:
    for value in (1e155, 1e300):
        assert t_cdf(1, -value) == pytest.approx(1 / pi / value)


def test_the_normal_one_is_scipys() -> None:
    x = np.linspace(-30, 30, 601)
    assert normal_cdf(x) == pytest.approx(norm.cdf(x), rel=1e-12)
    assert t_cdf(5, 0.0) == 0.5


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0.01, 100)), min_size=1, max_size=30))
def test_a_rising_fit_is_scipys(rungs: list[tuple[float, float]]) -> None:
    values, weights = np.array(rungs).T
    expected = isotonic_regression(values, weights=weights).x
    assert rising_fit(values, weights) == pytest.approx(expected, rel=1e-12, abs=1e-12)
