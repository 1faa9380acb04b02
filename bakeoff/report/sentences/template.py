"""Templates of sentences, and lists in words."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any, TypeVar

Key = TypeVar("Key")
MOST_NAMED = 4
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def who(names: Collection[str]) -> str:
    """`a`, `a and b`, `a, b, c and d`; of five and more the first three, and how many others."""
    given = list(names)
    if len(given) <= MOST_NAMED:
        return listed(given)
    return f"{', '.join(given[: MOST_NAMED - 1])} and {len(given) - MOST_NAMED + 1} others"


def listed(words: Iterable[object]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


class _Template(Formatter):
    """Python's format with a few formats of its own, and optional parts.

    `{names:who}` and `{values:listed}` are those functions, `{boot:nth}` counts from 1 and
    `{value_us:ms}` and
    `{value_us:s}` are times. `{names:does|do}` is the first word for one of them and the
    second for any other number, `{workers:# worker}` a number with its noun. A share has a space
    before its sign: `1.4 %`. `{shares:to .0%}` are the least and the most of several, or the one
    that all are; `{counts:sum}` is their sum, `{texts:one}` the first, where all are the same.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        match format_spec.partition(" "):
            case "who", *_:
                return who(value)
            case "listed", *_:
                return listed(value)
            case "nth", *_:
                return str(value + 1)
            case "ms", *_:
                return f"{value / 1e3:.0f} ms"
            case "s", *_:
                return f"{value / 1e6:.1f} s"
            case "#", _, noun:
                return f"{value:,} {form(value, noun, f'{noun}s')}"
            case "to", _, spec:
                least, most = (self.format_field(pick(value), spec) for pick in (min, max))
                return most if least == most else f"{least.removesuffix(' %')} to {most}"
            case "sum", *_:
                return f"{sum(value):,}"
            case "one", *_:
                return str(value[0])
        one, bar, more = format_spec.partition("|")
        if bar:
            return form(value, one, more)
        text = str(super().format_field(value, format_spec))
        return f"{text[:-1]} %" if format_spec.endswith("%") else text


def filled(template: str, values: Mapping[str, Any]) -> str:
    """The template with its values; a part in brackets is left out where it lacks a value."""

    def optional(part: re.Match[str]) -> str:
        needed = (values[name] for _, name, _, _ in Formatter().parse(part[1]) if name)
        return part[1] if all(each or (each == 0 and each is not False) for each in needed) else ""

    return _Template().vformat(_OPTIONAL.sub(optional, template), (), values)


def form(number: Collection[object] | int, one: str, more: str) -> str:
    """The form that fits so many."""
    return one if (number if isinstance(number, int) else len(number)) == 1 else more


def each_or_range(values: Sequence[int]) -> str:
    """Each, in the order of the names; of many, from the least to the most."""
    if len(set(values)) == 1:
        return f"{min(values):,}"
    if len(values) > MOST_NAMED:
        return f"{min(values):,} to {max(values):,}"
    return listed(f"{value:,}" for value in values)


def grouped(pairs: Iterable[tuple[Key, str]]) -> dict[Key, list[str]]:
    """The names that share a key, by keys in the order in which they come."""
    groups: dict[Key, list[str]] = {}
    for key, name in pairs:
        groups.setdefault(key, []).append(name)
    return groups
