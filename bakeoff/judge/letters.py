"""The compact letter display: who can't be told apart from whom.

Piepho, J. Comput. Graph. Stat. 13(2), 2004: insert and absorb.
"""

from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase

LETTERS = ascii_lowercase + ascii_uppercase


def letters(names: Sequence[str], different: set[frozenset[str]]) -> dict[str, str]:
    """Letters per name: two names share one if and only if they are not in `different`.

    `names` are in the order of the standings, so that `a` goes to the first.
    """
    columns: list[frozenset[str]] = [frozenset(names)]
    for pair in sorted(different, key=sorted):
        columns = _absorbed(_inserted(columns, pair))
    place = {name: position for position, name in enumerate(names)}
    ordered = sorted(columns, key=lambda column: sorted(place[name] for name in column))
    return {
        name: "".join(_letter(i) for i, column in enumerate(ordered) if name in column)
        for name in names
    }


def _inserted(columns: list[frozenset[str]], pair: frozenset[str]) -> list[frozenset[str]]:
    """Each column that holds both of `pair`, split in two that hold one of them each."""
    split: list[frozenset[str]] = []
    for column in columns:
        split += [column - {name} for name in sorted(pair)] if pair <= column else [column]
    return split


def _absorbed(columns: list[frozenset[str]]) -> list[frozenset[str]]:
    """Without the columns that lie within another."""
    distinct = list(dict.fromkeys(columns))
    return [column for column in distinct if not any(column < other for other in distinct)]


def _letter(position: int) -> str:
    """a to z, A to Z, then with a number; a race that needs more is hard to imagine."""
    rounds, index = divmod(position, len(LETTERS))
    return LETTERS[index] + (str(rounds) if rounds else "")
