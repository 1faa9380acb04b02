"""Ratios for tests: made, and read where they have to be there."""

from typing import TypeVar

from bakeoff.model.ratio import Interval

T = TypeVar("T")


def known(value: T | None) -> T:
    assert value is not None
    return value


def interval(ratio: float, times: float = 1.01, n: int = 100) -> Interval:
    """A ratio whose ends are so many times less and more."""
    return Interval(ratio=ratio, low=ratio / times, high=ratio * times, n=n)
