"""Latency: merged without loss, the unanswered never forgotten."""

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.judge.latency import merge, percentile_series, summary
from tests.judge.races import encoded, event

counts = st.lists(
    st.tuples(st.integers(1_000, 50_000_000_000), st.integers(1, 1000)), min_size=1, max_size=9
)


@given(st.lists(counts, min_size=1, max_size=4))
@settings(max_examples=15, deadline=None)
def test_quantiles_are_hdrs(slices: list[list[tuple[int, int]]]) -> None:
    whole = HdrHistogram(1, 60_000_000_000, 3)
    for values in slices:
        for value, count in values:
            whole.record_value(value, count)
    merged = merge(event(latency=encoded(tuple(values))) for values in slices)
    assert merged.answered == whole.get_total_count()
    for p in (50, 90, 100):
        found = merged.quantile_us(p / 100)
        assert found is not None
        assert whole.get_lowest_equivalent_value(round(found * 1e3)) in (
            whole.get_lowest_equivalent_value(whole.get_value_at_percentile(p)),
            *_neighbours(whole, p),
        )


def _neighbours(whole: HdrHistogram, percentile: int) -> list[int]:
    """hdrh rounds the rank to the nearest, we up: the two may be one request apart."""
    step = 100 / whole.get_total_count()
    return [
        whole.get_lowest_equivalent_value(whole.get_value_at_percentile(percentile + each))
        for each in (-step, step)
    ]


def test_requests_never_answered_are_infinitely_late() -> None:
    merged = merge([event(latency=encoded(((1_000_000, 495),)), misses=each) for each in (4, 6)])
    found = summary(merged)
    assert found is not None
    assert found.p50 == found.p99 == pytest.approx(1000, rel=1e-3)
    assert found.p99_9 is None and found.max is None


def test_nothing_answered_has_no_latency() -> None:
    merged = merge([event(latency="", misses=5), event(latency=encoded(()))])
    assert summary(merged) is None and percentile_series(merged) == ()


def test_the_mean_is_the_exact_one_weighted_by_slices() -> None:
    slices = [
        event(latency=encoded(((1_000, 1),)), latency_mean_us=1.0),
        event(latency=encoded(((4_000, 3),)), latency_mean_us=4.0),
    ]
    assert merge(slices).mean_us == pytest.approx(13 / 4)


def test_the_deviation_is_that_of_the_answered() -> None:
    slices = [
        event(latency=encoded(((1_000_000, 300), (3_000_000, 100))), latency_mean_us=1500.0),
        event(latency="", misses=5),
    ]
    found = summary(merge(slices))
    assert found is not None and found.stdev is not None
    assert found.stdev == pytest.approx(np.std([1000] * 300 + [3000] * 100), rel=1e-3)


def test_percentiles_end_where_fewer_than_ten_requests_lie_beyond() -> None:
    rng = np.random.default_rng(1)
    values = tuple((int(each), 1) for each in rng.integers(10_000, 90_000, 1000))
    series = percentile_series(merge([event(latency=encoded(values))]))
    assert series[0][0] == 0 and series[-1][0] == pytest.approx(0.99)
    assert list(series) == sorted(series)


def test_percentiles_end_before_the_unanswered() -> None:
    series = percentile_series(merge([event(latency=encoded(((1000, 900),)), misses=100)]))
    assert 0.85 < series[-1][0] <= 0.9
