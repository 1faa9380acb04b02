"""What pairs of races say of the cost of watching."""

import pytest

from tests.watching_bench import Raced, costs


def raced(requests_per_s: float) -> Raced:
    return Raced(requests_per_s=requests_per_s, valid=True)


def test_it_is_the_ratio_within_pairs_whatever_the_machine_was_at() -> None:
    pairs = [(raced(0.99 * speed), raced(speed)) for speed in (100.0, 50.0, 80.0)]
    found = costs(pairs)
    assert found.ratio == found.low == found.high == pytest.approx(0.99)
    assert found.n == 3


def test_pairs_that_differ_widen_the_interval_and_one_has_none() -> None:
    found = costs([(raced(101.0), raced(100.0)), (raced(98.0), raced(100.0))])
    assert found.low is not None and found.high is not None
    assert found.low < 0.98 < found.ratio < 1.01 < found.high
    assert costs([(raced(98.0), raced(100.0))]).low is None
