"""Two contenders side by side: which of them is ahead, and where their difference lies."""

from collections.abc import Iterator, Sequence
from math import log

from bakeoff.model.audit import Work
from bakeoff.model.board import BoardCell, BoardContender, BoardPair, BoardRow
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds.audit import work_columns

MOST = 0.8
"""From this share of a ratio on, in logarithms, a part of it is called most of it."""

HEADS = {
    "head": "head of an answer",
    "body": "body of an answer",
    "writes": "writes for an answer",
    "HTTP/1.0": "keeps connections of HTTP/1.0",
    "at work": "threads at work",
    "log": "log for an answer",
}
"""Properties of work whose heads in a wide table are too short beside two values."""

Pairs = Sequence[tuple[BoardCell, BoardPair]]
Line = tuple[str, str, str]
"""A property, and its value for each of the two."""


def furthest(pairs: Pairs) -> tuple[BoardCell, BoardPair] | None:
    """The cell in which they differ the most; None where no cell tells them apart."""
    told = [each for each in pairs if each[1].finding in ("faster", "slower")]
    return max(told, key=lambda each: abs(log(each[1].ratio.ratio)), default=None)


def answer(a: BoardContender, b: BoardContender, pairs: Pairs) -> str:
    """The sentence that answers "a or b?"."""
    most = furthest(pairs)
    if not most:
        both = f"{a.title} and {b.title} apart"
        if len(pairs) == 1:
            return f"{pairs[0][0].name} can’t tell {both}."
        return f"None of {len(pairs)} cells tells {both}."
    cell, pair = most
    is_a = pair.finding == "faster"
    first, second = (a, b) if is_a else (b, a)
    times = figures.times(pair.ratio.ratio if is_a else 1 / pair.ratio.ratio)
    said = (
        f"{first.title} gives {times} as many answers per second as {second.title} in {cell.name}"
    )
    if len(pairs) == 1:
        return f"{said}."
    ahead = [sum(each.finding == side for _, each in pairs) for side in ("faster", "slower")]
    level = len(pairs) - sum(ahead)
    counts = [(a.title, ahead[0]), (b.title, ahead[1])]
    told = [
        f"{title} is ahead in {count} of {len(pairs)} cells" for title, count in counts if count
    ]
    told += [f"{figures.plural(level, 'cell')} can’t tell them apart"] if level else []
    return f"{'; '.join(told)}. The most: {said}."


def lies_in(pair: BoardPair) -> str:
    """Where a difference in throughput lies: throughput is answers per CPU second times the
    cores at work. Empty: CPU time was not compared."""
    if pair.cpu_ratio is None or pair.finding not in ("faster", "slower"):
        return ""
    share = log(pair.cpu_ratio.ratio) / log(pair.ratio.ratio)
    if share < 0:
        return "The one that is behind takes less CPU time for an answer, but uses fewer cores."
    if share <= 1 - MOST:
        return "Most of the difference lies in how many cores are at work, not in CPU time."
    if share < MOST:
        return "A part of the difference is CPU time for an answer; the other is cores at work."
    if share <= 1 / MOST:
        return "Most of the difference is CPU time for an answer."
    return "The difference in CPU time for an answer is greater than that in throughput."


def sides(a: BoardContender, b: BoardContender, cell: BoardCell) -> list[Line]:
    """The CPU time and cores of both in a cell, and every difference of their audited work."""
    rows = {row.name: row for row in cell.rows}
    one, other = rows.get(a.name), rows.get(b.name)
    lines = [
        ("CPU time for an answer", _cpu(one), _cpu(other)),
        ("cores at work", _cores(one), _cores(other)),
    ]
    if a.work and b.work:
        lines += _unequal(a.work, b.work)
    return lines


def _unequal(a: Work, b: Work) -> Iterator[Line]:
    for head, value in work_columns((a, b)):
        if value(a) != value(b):
            yield HEADS.get(head, head), value(a), value(b)
    if a.headers and b.headers and {*a.headers} != {*b.headers}:
        yield "further headers", _further(a, b), _further(b, a)


def _further(own: Work, other: Work) -> str:
    return ", ".join(sorted({*own.headers} - {*other.headers})).title() or "none"


def _cpu(row: BoardRow | None) -> str:
    by = row.by.get("cpu") if row else None
    return figures.duration(by.value) if by else MISSING


def _cores(row: BoardRow | None) -> str:
    by = row.by if row else {}
    if "cpu" not in by or "throughput" not in by:
        return MISSING
    return figures.significant(by["cpu"].value * by["throughput"].value / 1e6, 2)
