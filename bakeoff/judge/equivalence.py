"""Two one-sided tests: equal enough, within a margin set beforehand."""

from math import log1p

MARGIN = 0.02


def equivalent(estimate: float, one_sided: float) -> bool:
    """Whether the ratio is within 1/1.02 to 1.02, each side tested at 5 %.

    `estimate` is ln ratio and `one_sided` the half-width of its 90 % interval. The margin is even
    on the log scale, so that which of the two is named first does not matter.
    """
    return abs(estimate) + one_sided < log1p(MARGIN)
