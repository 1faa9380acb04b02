"""When the few long slices are believed against the many short ones."""

import numpy as np
import pytest

from bakeoff.judge.bootstrap import sample
from bakeoff.judge.compare import Comparison, _weighed, family
from bakeoff.judge.paired import Paired

ALPHA = 0.01


def compared(boots: list[list[float]], least: int = 1) -> Comparison:
    """The comparison of a over b, whose log-ratios are these, boot by boot."""
    boot = np.repeat(np.arange(len(boots)), [len(each) for each in boots])
    ratios = np.array([value for each in boots for value in each])
    paired = Paired(("a", "b"), boot, np.stack([ratios, np.zeros(len(ratios))], axis=1))
    assert sample(paired, "a", "b", False).n == len(ratios)
    return family(paired, least, False, seed=1)[frozenset("ab")]


@pytest.fixture
def short() -> Comparison:
    """Many blocks: a is 1 % slower, give or take 0.3 %."""
    rng = np.random.default_rng(3)
    return compared([list(rng.normal(-0.01, 0.03, 140)) for _ in range(3)])


def test_few_long_blocks_that_agree_within_a_boot_by_chance_decide_nothing(
    short: Comparison,
) -> None:
    """As a live race had them: no spread within two boots, and a third one that is far off."""
    long = compared([[-0.06, -0.0601], [-0.061, -0.0609], [0.2, 0.2001]])
    found = _weighed(short, long, ALPHA)
    assert found.main is short and not found.disagrees


def test_long_blocks_whose_own_interval_leaves_the_short_figure_out_are_believed(
    short: Comparison,
) -> None:
    long = compared([[0.05, 0.051, 0.049, 0.05], [0.05, 0.052, 0.05, 0.049], [0.051, 0.05, 0.05]])
    found = _weighed(short, long, ALPHA)
    assert found.main is long and found.disagrees
