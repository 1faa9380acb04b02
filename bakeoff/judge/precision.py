"""How narrow the intervals are that decide who stands before whom."""

from collections.abc import Sequence
from itertools import pairwise
from math import expm1, log

from bakeoff.judge.compare import Pairs
from bakeoff.model.verdict import Precision


def precision(
    asked: float | None, names: Sequence[str], pairs: Pairs, measured_s: float
) -> Precision | None:
    """What became of the precision that was `asked` for; None: none was.

    `names` are the valid entries in the order of the standings; each pair of neighbours counts.
    An interval shrinks with the root of the time, as boots and blocks grow with it: that tells,
    roughly, how much more would have been needed.
    """
    if asked is None:
        return None
    halves = [_half_width(pairs, a, b) for a, b in pairwise(names)]
    known = [half for half in halves if half is not None]
    if not known or len(known) < len(halves):
        return Precision(asked=asked, reached=max(known, default=None), met=False, more_s=None)
    reached = max(known)
    met = reached <= asked
    needed_s = measured_s * (log(1 + reached) / log(1 + asked)) ** 2
    return Precision(
        asked=asked, reached=reached, met=met, more_s=None if met else needed_s - measured_s
    )


def _half_width(pairs: Pairs, a: str, b: str) -> float | None:
    """That of the simultaneous interval, as a share of the ratio; None: too few blocks."""
    found = pairs.get(frozenset({a, b}))
    return expm1(found.main.width.simultaneous) if found else None
