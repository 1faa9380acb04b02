"""Change points against those of ruptures, the field's reference implementation."""

from itertools import pairwise

import numpy as np
import pytest
from ruptures import KernelCPD

from bakeoff.judge.spread import Floats
from bakeoff.judge.warm_up import LEAST, stretches


def series(n: int, columns: int, seed: int) -> Floats:
    """Two levels, and noise of size 1 as in the judge."""
    rng = np.random.default_rng(seed)
    step = np.where(np.arange(n) < rng.integers(0, n + 1), 0.0, rng.normal(0, 5))
    values: Floats = 1000 + step[:, None] + rng.standard_normal((n, columns))
    return values


def ends(values: Floats, penalty: float) -> list[int]:
    """Where ruptures ends each stretch."""
    result = KernelCPD(kernel="linear", min_size=LEAST).fit(values).predict(pen=penalty)
    return [int(end) for end in result]


def cost(values: Floats, ends: list[int], penalty: float) -> float:
    """What is minimised, in other words than the code's."""
    parts = [values[slice(*each)] for each in pairwise([0, *ends])]
    return float(sum(np.var(part, axis=0).sum() * len(part) + penalty for part in parts))


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("n", [4, 5, 12, 40, 120])
@pytest.mark.parametrize("penalty", [4.0, 20.0])
def test_stretches_are_those_of_ruptures(n: int, columns: int, penalty: float) -> None:
    for seed in range(20):
        values = series(n, columns, seed)
        assert [end for _, end in stretches(values, penalty)] == ends(values, penalty), seed


@pytest.mark.parametrize("columns", [1, 2])
def test_with_many_changes_the_cost_is_never_above_that_of_ruptures(columns: int) -> None:
    """Whose search leaves out some stretches of the least length, so that it is above ours here."""
    penalty, above = 0.5, 0
    for seed in range(20):
        values = series(40, columns, seed)
        ours = cost(values, [end for _, end in stretches(values, penalty)], penalty)
        theirs = cost(values, ends(values, penalty), penalty)
        assert ours <= theirs + 1e-6, seed
        above += theirs > ours + 1e-6
    assert above
