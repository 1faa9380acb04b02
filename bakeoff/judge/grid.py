"""What can be said over several verdicts without adding anything up: who leads, who changes."""

from collections.abc import Mapping
from itertools import combinations

from bakeoff.model.grid import ChangeOfPlaces
from bakeoff.model.verdict import Verdict


def leaders(verdict: Verdict) -> tuple[str, ...]:
    """The fastest, and all that can't be told from it; empty where nobody was compared."""
    if not verdict.valid or not verdict.pairs:
        return ()
    # The judge lists the ranked entries first, the fastest of them at the top.
    first = verdict.entries[0].name
    level = (
        entry.name
        for entry in verdict.entries[1:]
        if (pair := verdict.pair(first, entry.name)) and pair.finding != "faster"
    )
    return (first, *level)


def changes_of_places(verdicts: Mapping[str, Verdict]) -> tuple[ChangeOfPlaces, ...]:
    """Every two of which each is surely ahead in one of the `verdicts`, by cell, at least.

    Each cell's intervals hold for all its pairs at once, at 95 %; over the cells they don't.
    """
    names = dict.fromkeys(entry.name for verdict in verdicts.values() for entry in verdict.entries)
    found = []
    for a, b in combinations(names, 2):
        ahead = {
            cell: pair.finding for cell, verdict in verdicts.items() if (pair := verdict.pair(a, b))
        }
        a_ahead = tuple(cell for cell, finding in ahead.items() if finding == "faster")
        b_ahead = tuple(cell for cell, finding in ahead.items() if finding == "slower")
        if a_ahead and b_ahead:
            found.append(ChangeOfPlaces(a=a, b=b, a_ahead=a_ahead, b_ahead=b_ahead))
    return tuple(found)
