"""Latency: merged without loss, the unanswered never forgotten; what its quantiles are signs of."""

import numpy as np
import pytest

from bakeoff.judge.latency import in_flight, merge, percentile_series, signatures, summary
from bakeoff.model.load import Latency
from tests.judge.facts import NO_TROUBLE, TROUBLE
from tests.judge.races import MS, encoded, event


def test_requests_never_answered_are_infinitely_late() -> None:
    merged = merge([event(latency=encoded(((1_000_000, 495),)), misses=each) for each in (4, 6)])
    quantiles = summary(merged)
    assert quantiles is not None
    assert quantiles.p50 == quantiles.p99 == pytest.approx(1000, rel=1e-3)
    assert quantiles.p99_9 is None and quantiles.max is None


def test_nothing_answered_has_no_latency() -> None:
    merged = merge([event(latency="", misses=5), event(latency=encoded(()))])
    assert summary(merged) is None and percentile_series(merged) == ()


def test_the_mean_is_the_exact_one_weighted_by_slices() -> None:
    slices = [
        event(latency=encoded(((1_000, 1),)), latency_mean_us=1.0),
        event(latency=encoded(((4_000, 3),)), latency_mean_us=4.0),
        event(latency=encoded(()), latency_mean_us=99.0),
    ]
    assert merge(slices).mean_us == pytest.approx(13 / 4)


def test_the_deviation_is_that_of_the_answered() -> None:
    slices = [
        event(latency=encoded(((1_000_000, 300), (3_000_000, 100))), latency_mean_us=1500.0),
        event(latency="", misses=5),
    ]
    quantiles = summary(merge(slices))
    assert quantiles is not None and quantiles.stdev is not None
    assert quantiles.stdev == pytest.approx(np.std([1000] * 300 + [3000] * 100), rel=1e-3)


def test_percentiles_end_where_fewer_than_ten_requests_lie_beyond() -> None:
    rng = np.random.default_rng(1)
    values = tuple((int(each), 1) for each in rng.integers(10_000, 90_000, 1000))
    series = percentile_series(merge([event(latency=encoded(values))]))
    assert series[0][0] == 0 and series[-1][0] == pytest.approx(0.99)
    assert list(series) == sorted(series)


def test_percentiles_end_before_the_unanswered() -> None:
    series = percentile_series(merge([event(latency=encoded(((1000, 900),)), misses=100)]))
    assert 0.85 < series[-1][0] <= 0.9


def test_requests_in_flight_are_a_mean_over_the_windows() -> None:
    first = event(in_flight_ns=20 * 20 * MS)
    second = event(in_flight_ns=50 * 40 * MS, end_ns=1040 * MS)
    assert in_flight([first, second]) == pytest.approx(40)
    assert in_flight([]) == 0
    assert merge([]).mean_us == 0


def test_the_unanswered_count_among_those_that_percentiles_are_of() -> None:
    """995 answered and 5 not: the series ends at 99 %, where ten of a thousand lie beyond."""
    merged = merge([event(latency=encoded(((1000, 960), (1500, 35))), misses=5)])
    assert percentile_series(merged)[-1][0] == pytest.approx(0.99)


def latency(p50_ms: float, p99_ms: float, p99_9_ms: float) -> Latency:
    return Latency(
        mean=p50_ms * 1e3,
        p50=p50_ms * 1e3,
        p75=p50_ms * 1e3,
        p90=p50_ms * 1e3,
        p99=p99_ms * 1e3,
        p99_9=p99_9_ms * 1e3,
        max=None,
    )


@pytest.mark.parametrize(
    ("quantiles", "busy", "code", "quantile"),
    [
        (latency(44, 45, 46), 0.02, "delayed_ack", None),
        (latency(1, 204, 210), 0.9, "packets_lost", "p99"),
        (latency(1, 2, 1010), 0.9, "syn_repeated", "p99.9"),
        (latency(1, 3020, 7100), 0.9, "syn_repeated", "p99"),
    ],
)
def test_signatures_are_named(
    quantiles: Latency, busy: float, code: str, quantile: str | None
) -> None:
    (finding,) = signatures(quantiles, busy)
    assert (finding.code, finding.values.get("quantile")) == (code, quantile)


def test_a_busy_server_with_44_ms_is_only_slow() -> None:
    assert not list(signatures(latency(44, 60, 70), 0.99))
    assert not list(signatures(latency(190, 210, 220), 0.99))


@pytest.mark.parametrize(
    ("quantiles", "counted"),
    [(latency(1, 204, 210), {"retransmits": 9}), (latency(1, 2, 1010), {"dropped": 8})],
)
def test_a_signature_rests_on_what_the_kernel_counted(
    quantiles: Latency, counted: dict[str, int]
) -> None:
    (finding,) = signatures(quantiles, 0.9, TROUBLE)
    assert counted.items() <= finding.values.items()
    assert not list(signatures(quantiles, 0.9, NO_TROUBLE))
