"""A finding as an English sentence, from its row. No other module words findings."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any, TypeVar

from bakeoff.model.finding import Finding
from bakeoff.model.findings import CODES
from bakeoff.model.workload import Unit
from bakeoff.report import figures

Key = TypeVar("Key")
MOST_NAMED = 4
MOST_GROUPS = 5
SLOWER = 1.1
"""The fixed work takes this many times as long, if a slope is given as a change of a ratio."""
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_EACH = re.compile("<([^<>]*)>")
_NOUN = re.compile(r"(?<![{,\w])request(?=s?\b)")
"""In a template; not the name of a field."""

CALLED: Mapping[str, str] = {
    # The words for comparisons, their findings, limits of contenders, and the phases of a day.
    "requests_per_s": "throughput",
    "p99": "p99",
    "requests_per_cpu_s": "server CPU",
    "faster": "ahead of",
    "slower": "behind",
    "within": "within the margin of",
    "can't tell": "not distinguishable from",
    "client": "the load generator",
    "upstream": "the upstream",
    "both": "themselves and by the load generator",
    "rate": "the offered rate",
    "start": "cold starts",
    "first": "the first 1,000 requests",
    "rest": "the rest",
    "peak": "the peak",
    "load_10": "10 % of its peak",
    "load_70": "70 % of its peak",
    "load_100": "100 % of its peak",
    "load_150": "150 % of its peak",
    "load_300": "300 % of its peak",
    "equal": "the equal rate",
    "recovery": "the recovery",
    "storm": "the connection storm",
    "slow": "slow clients",
    "after": "memory after it all",
    # The words for uses of CPU time.
    "scheduling": "scheduling and wake-ups",
    "page_faults": "page faults",
    "interrupts": "interrupts",
    "entering": "entering and leaving system calls",
    "unnamed": "kernel code without a name",
    "other": "other kernel work",
    "others": "other kernel work",
    "other_functions": "other functions",
    # The words for what keeps threads from work.
    "thread": "waiting for another thread (futex: a lock, a queue)",
    "timer": "asleep (timer)",
    "disk": "waiting for a disk",
    "socket": "in a blocking read or write of a socket",
}
"""A contract's words as they are in a sentence."""


def who(names: Collection[str]) -> str:
    """`a`, `a and b`, `a, b, c and d`; for five or more the first three, and the number of the
    others."""
    given = list(names)
    if len(given) <= MOST_NAMED:
        return listed(given)
    return f"{', '.join(given[: MOST_NAMED - 1])} and {len(given) - MOST_NAMED + 1} others"


def listed(words: Iterable[object]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


def _range(values: Sequence[float]) -> str:
    written = [f"{value:,.0f}" for value in values]
    if len(values) > MOST_NAMED:
        least, most = (f"{pick(values):,.0f}" for pick in (min, max))
        return least if least == most else f"{least} to {most}"
    return listed(dict.fromkeys(written) if len(set(written)) == 1 else written)


def _slower(slope: float) -> str:
    """The effect of a machine that is slower by `SLOWER` on a ratio with this slope."""
    change = SLOWER**slope - 1
    return f"{figures.percent(abs(change))} {'lower' if change < 0 else 'higher'}"


def _headers(names: str | Sequence[str]) -> str:
    given = names.split(",") if isinstance(names, str) else names
    return listed("-".join(part.capitalize() for part in name.split("-")) for name in given)


def _more(value: float, words: tuple[str, str], unit: str = "") -> str:
    """`3.2 µs more`, `0.25 fewer`."""
    size = f"{abs(value):.{1 if abs(value) >= 1 else 2}f}"
    return f"{size}{unit} {words[value < 0]}"


_FORMATS: Mapping[str, Callable[[Any], str]] = {
    "who": who,
    "listed": listed,
    "nth": lambda boot: str(boot + 1),
    "ms": lambda time_us: f"{time_us / 1e3:.0f} ms",
    "s": lambda time_us: f"{time_us / 1e6:.1f} s",
    "mbit": lambda bytes_per_s: f"{bytes_per_s * 8e-6:,.0f} Mbit/s",
    "sum": lambda values: f"{sum(values):,}",
    "one": lambda values: str(values[0]),
    "words": lambda word: word.replace("_", " "),
    "called": CALLED.__getitem__,
    "us_more": lambda us: _more(us, ("more", "less"), " µs"),
    "count_more": lambda count: _more(count, ("more", "fewer")),
    "range": _range,
    "slower": _slower,
    "headers": _headers,
    "duration": figures.duration,
    "mib": figures.mib,
    "percent": figures.percent,
    "times": figures.times,
    "interval": lambda of: figures.ratio_times(*of),
    "doubt": lambda ends: figures.percent(figures.doubt(*ends)),
    "share": lambda of: figures.percent(of[0] / of[1]),
}


class _Template(Formatter):
    """Python's format with the formats above, and a few that take more words.

    `{ratio,low,high:interval}` is a format of several values. `{names:does|do}` is the first word
    for one of them and the second for any other number, `{workers:# worker}` a number with its
    noun. A share has a space before its sign: `1.4 %`. `{shares:to .0%}` are the least and the
    greatest of several, or the one if all are equal, and `{shares:max .0%}` is the greatest. A flag
    gives the text behind its colon.
    """

    def get_field(self, field_name: str, args: Any, kwargs: Mapping[str, Any]) -> Any:  # noqa: ARG002
        names = field_name.split(",")
        of = tuple(kwargs[name] for name in names)
        return of if len(names) > 1 else of[0], names[0]

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, bool):
            return format_spec
        if worded := _FORMATS.get(format_spec):
            return worded(value)
        match format_spec.partition(" "):
            case "#", _, noun:
                one, bar, more = noun.partition("|")
                return f"{value:,} {form(value, one, more if bar else f'{noun}s')}"
            case "max", _, spec:
                return self.format_field(max(value), spec)
            case "to", _, spec:
                least, most = (self.format_field(pick(value), spec) for pick in (min, max))
                return most if least == most else f"{least.removesuffix(' %')} to {most}"
        one, bar, more = format_spec.partition("|")
        if bar:
            return form(value, one, more)
        text = str(super().format_field(value, format_spec))
        return f"{text[:-1]} %" if format_spec.endswith("%") else text


def filled(template: str, values: Mapping[str, Any]) -> str:
    """The template with its values.

    A part in brackets is left out if it lacks a value. A part in angle brackets is repeated for
    each place of its lists, with all other values unchanged; `names` that have all else in common
    are listed together.
    """

    def optional(part: re.Match[str]) -> str:
        needed = (values[name] for name in _fields(part[1]))
        return (
            part[1] if all(value or (value == 0 and value is not False) for value in needed) else ""
        )

    def of_each(part: re.Match[str]) -> str:
        lists = {name: values[name] for name in _fields(part[1])}
        names = lists.pop("names", None)
        rows = list(zip(*lists.values(), strict=True))
        groups = grouped(zip(rows, names or map(str, range(len(rows))), strict=True))
        said = [
            _Template().vformat(part[1], (), dict(zip(lists, row, strict=True)) | {"names": own})
            for row, own in list(groups.items())[:MOST_GROUPS]
        ]
        if left := sum(map(len, list(groups.values())[MOST_GROUPS:])):
            said.append(f"and {left} more")
        # Filled-in values are not filled again: their braces are not those of a template.
        whole = ("; " if any(", " in text for text in said) else ", ").join(said)
        return whole.replace("{", "{{").replace("}", "}}")

    return _Template().vformat(_EACH.sub(of_each, _OPTIONAL.sub(optional, template)), (), values)


def _fields(template: str) -> list[str]:
    fields = (field for _, field, _, _ in Formatter().parse(template) if field)
    return [name for field in fields for name in field.split(",")]


def form(number: Collection[object] | int, one: str, more: str) -> str:
    return one if (number if isinstance(number, int) else len(number)) == 1 else more


def grouped(pairs: Iterable[tuple[Key, str]]) -> dict[Key, list[str]]:
    """The names that share a key, by keys in the order in which they come."""
    groups: dict[Key, list[str]] = {}
    for key, name in pairs:
        groups.setdefault(key, []).append(name)
    return groups


__all__ = ["CALLED", "grouped", "in_unit", "joined", "listed", "sentence", "sentences", "who"]

OF_EACH = ("host_hides_limits", "machine_changed")
"""Findings whose `because` has those of contenders, which they replace."""


def sentence(finding: Finding, unit: Unit = "request") -> str:
    """The finding's text, without a full stop; it begins in lower case if not with a name.

    A warning ends with advice. Where messages are counted, requests are called messages.
    """
    code = finding.because[0].code if finding.code == "several" else finding.code
    said, advice = _said(finding, unit), CODES[code].advice
    return f"{said}; {in_unit(advice, unit)}" if advice else said


def sentences(findings: Iterable[Finding], unit: Unit = "request") -> list[str]:
    return [sentence(finding, unit) for finding in findings]


def joined(findings: Iterable[Finding], unit: Unit = "request") -> str:
    """All of them as one clause, without advice; empty: there are none."""
    return "; ".join(_said(finding, unit) for finding in findings)


def in_unit(template: str, unit: Unit) -> str:
    """A text about requests, or the same about messages. What fills it in stays as it is."""
    return template if unit == "request" else _NOUN.sub(unit, template)


def _said(finding: Finding, unit: Unit) -> str:
    template, values = CODES[finding.code].sentence, dict[str, Any](finding.values)
    because = "" if finding.code in OF_EACH else joined(finding.because, unit)
    if finding.code == "several":
        first = finding.because[0]
        template, because = CODES[first.code].several, joined(first.because, unit)
        values |= {
            key: [value for cause in finding.because if (value := cause.values[key]) is not None]
            for key in first.values
        }
    return filled(in_unit(template, unit), values | {"because": because})
