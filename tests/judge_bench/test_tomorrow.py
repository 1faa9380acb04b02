"""The next race of recorded ones is where it was expected."""

import pytest

from tests.judge_bench.tomorrow import coverage, lines, predictions


@pytest.mark.parametrize("basis", ["pair", "family"])
def test_recorded_races_are_covered(basis: str) -> None:
    unequal, equal = lines()
    assert (len(unequal), len(equal)) == (10, 5)
    for of, half_width in ((unequal, 0.06), (equal, 0.02)):
        found = coverage(list(predictions(of, 5, basis)))
        assert found.covered / found.n > 0.95
        assert found.half_width < half_width
