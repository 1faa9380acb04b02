"""Headers that one contender sends and another doesn't: bytes, and work to make them."""

from collections.abc import Mapping, Sequence

from bakeoff.judge.groups import listed, rest, several, who

WITH_MOST = 5

Sent = Mapping[str, Sequence[str]]
"""Contender → the names of its headers, in lower case."""


def unequal(sent: Sent) -> list[str]:
    """Who lacks what most send, and who sends what most don't. `Date` has words of its own."""
    counted = {header for headers in sent.values() for header in headers if header != "date"}
    having = {header: [name for name in sent if header in sent[name]] for header in counted}
    usual = [header for header in sorted(having) if 2 * len(having[header]) >= len(sent)]
    return [*_missing(sent, usual), *_further(sent, usual)]


def _missing(sent: Sent, usual: Sequence[str]) -> list[str]:
    """One sentence for each group of contenders."""
    lacking: dict[tuple[str, ...], list[str]] = {}
    for header in usual:
        names = tuple(name for name in sent if header not in sent[name])
        if names:
            lacking.setdefault(names, []).append(f"no {_shown(header)}")
    return [
        f"{who(names)} {several(names, 'sends', 'send')} {listed(what)} header, "
        f"{rest(len(sent) - len(names))} {several(len(sent) - len(names), 'does', 'do')}"
        for names, what in lacking.items()
    ]


def _further(sent: Sent, usual: Sequence[str]) -> list[str]:
    """One sentence for all of them; of many, the groups that send most."""
    more: dict[tuple[str, ...], list[str]] = {}
    for name, headers in sent.items():
        rare = tuple(_shown(header) for header in headers if header not in (*usual, "date"))
        if rare:
            more.setdefault(rare, []).append(name)
    groups = sorted(more, key=lambda each: -len(each))
    if len(groups) == 1:
        (headers,) = groups
        names = more[headers]
        return [f"{who(names)} also {several(names, 'sends', 'send')} {listed(headers)}"]
    parts = [f"{who(more[each])} {listed(each)}" for each in groups[:WITH_MOST]]
    if left := sum(len(more[each]) for each in groups[WITH_MOST:]):
        parts.append(f"and {left} more")
    return [f"some also send what most don't: {'; '.join(parts)}"] if parts else []


def _shown(header: str) -> str:
    return "-".join(part.capitalize() for part in header.split("-"))
