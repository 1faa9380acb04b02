"""Names in a sentence: thirty contenders must not make it a list of thirty."""

from collections.abc import Collection, Sequence

NAMED = 4


def who(names: Collection[str]) -> str:
    """`a`, `a and b`, `a, b, c and d`; of five and more the first three, and how many others."""
    given = list(names)
    if len(given) <= NAMED:
        return listed(given)
    return f"{', '.join(given[: NAMED - 1])} and {len(given) - NAMED + 1} others"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def several(names: Collection[str] | int, one: str, more: str) -> str:
    """The form that fits so many."""
    return one if (names if isinstance(names, int) else len(names)) == 1 else more


def rest(count: int) -> str:
    """Those who aren't named."""
    return "the other" if count == 1 else "the others"
