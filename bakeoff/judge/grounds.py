"""What the intervals of a race rest on, and where it is too few to say much."""

from collections.abc import Iterator, Sequence

from bakeoff.judge.history import History
from bakeoff.model.finding import Finding

FEW = 5
"""Fewer groups than this have an interval half as wide again as many have, or wider: Student's t is
4.3 with three, 3.2 with four, 2.8 with five and 2.1 with twenty."""


def grounds(history: History, names: Sequence[str]) -> Iterator[Finding]:
    """Where the intervals of `names`, the valid entries, rest on too few boots or processes."""
    boots = len(history.boots)
    if boots > 1 and len(history.draws) <= boots:
        # Each boot is one draw: alone (--solo), or in records of earlier versions.
        if boots < FEW:
            yield Finding.of("few_boots", n=boots)
        return
    if not history.draws:
        yield Finding.of("one_boot")
        return
    counts = {name: history.processes(name) for name in names}
    if single := [name for name in names if counts[name] <= boots]:
        yield Finding.of("one_process", names=single)
    if few := [name for name in names if boots < counts[name] < FEW]:
        yield Finding.of("few_processes", names=few, n=min(counts[name] for name in few))
