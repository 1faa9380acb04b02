"""Pairs of contenders, each written down once and asked for from either side."""

from collections.abc import Iterable
from typing import Protocol, Self, TypeVar


class Turnable(Protocol):
    """A comparison of `a` with `b`."""

    @property
    def a(self) -> str: ...  # noqa: D102
    @property
    def b(self) -> str: ...  # noqa: D102
    def turned(self) -> Self: ...  # noqa: D102


PairT = TypeVar("PairT", bound=Turnable)


def pair_of(pairs: Iterable[PairT], a: str, b: str) -> PairT | None:
    """`a` over `b`, turned round where `pairs` has `b` over `a`; None: there is neither."""
    for pair in pairs:
        if (pair.a, pair.b) == (a, b):
            return pair
        if (pair.a, pair.b) == (b, a):
            return pair.turned()
    return None
