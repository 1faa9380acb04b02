"""The best and the worst place that an entry may have."""

from collections.abc import Iterable, Sequence


def rank_ranges(
    names: Sequence[str], surely_faster: Iterable[tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    """[1 + those surely faster than it, k − those surely slower] for each of the k names.

    `surely_faster` has (faster, slower) for each pair that can be told apart.
    """
    best = dict.fromkeys(names, 1)
    worst = dict.fromkeys(names, len(names))
    for faster, slower in surely_faster:
        best[slower] += 1
        worst[faster] -= 1
    return {name: (best[name], worst[name]) for name in names}
