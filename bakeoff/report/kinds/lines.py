"""Lines as tables: each figure of all contenders, marked, and their ratios to the first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from bakeoff.model.pairs import Line, LinePair, Outcome
from bakeoff.report import figures
from bakeoff.report.document import DataRow, Sign, Table, tabulated
from bakeoff.report.figures import MISSING
from bakeoff.report.flat import flat

MARKS = (
    "✓ is better than all others on its line, = is in a tie with the best (the whole interval of "
    "their ratio is within 10 % of 1), ? can't be told from the best."
)
RATIOS = (
    "Above 1 is better, whatever a line measures. 95 % intervals hold for all pairs of a line at "
    "once."
)
COSTS: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "cpu_us_per_request": ("CPU/request", figures.duration),
    "memory_mib": ("memory", figures.mib),
    "energy_uj_per_request": ("energy/request", lambda uj: f"{figures.significant(uj, 3)} µJ"),
}
"""The name and the form of a cost."""
_SIGNS: Mapping[Outcome, Sign] = {"better": "✓", "worse": "✗", "tie": "=", "can't tell": "?"}
_L = TypeVar("_L", bound=Line)


def values_of(
    lines: Sequence[_L],
    names: Sequence[str],
    title: str,
    head: str,
    label: Callable[[_L], str],
    write: Callable[[_L, float], str],
) -> Table:
    def of(name: str) -> tuple[str, Callable[[_L], str]]:
        return name, lambda line: _value(line, name, names, write)

    return tabulated(title, lines, [(head, label), *map(of, names)])


def ratios_of(
    lines: Sequence[_L], names: Sequence[str], head: str, label: Callable[[_L], str]
) -> Table:
    first, *others = names

    def over(name: str) -> tuple[str, Callable[[_L], str]]:
        return name, lambda line: _ratio(line.pair(name, first))

    told = [line for line in lines if line.pairs] if others else []
    return tabulated(f"Ratios to {first}", told, [(head, label), *map(over, others)])


def mark(line: Line, name: str, names: Sequence[str]) -> Sign:
    """✓: better than all others; =, ?: against the best of the line; else nothing."""
    findings = [
        pair.finding for other in names if other != name and (pair := line.pair(name, other))
    ]
    if not findings:
        return ""
    if set(findings) == {"better"}:
        return "✓"
    # A contender that is behind another isn't among the best, even if it can't be told from the
    # others.
    if "worse" in findings:
        return ""
    return "=" if "tie" in findings and "can't tell" not in findings else "?"


def rows_of(line: Line, shared: Mapping[str, str]) -> Iterator[DataRow]:
    """A row for each value and for each pair, with the values that all share."""
    for value in line.values:
        yield {**shared, "contender": value.name, **flat(value, without={"name", "why"})}
    for pair in line.pairs:
        yield {
            **shared,
            "contender": pair.a,
            "over": pair.b,
            **flat(pair, without={"a", "b", "why"}),
        }


def _value(line: _L, name: str, names: Sequence[str], write: Callable[[_L, float], str]) -> str:
    value = line.value(name).value
    if value is None:
        return "out" if (why := line.value(name).why) and why.code != "not_seen" else MISSING
    return f"{mark(line, name, names)} {write(line, value)}".strip()


def _ratio(pair: LinePair | None) -> str:
    return f"{_SIGNS[pair.finding]} {figures.ratio_of(pair.ratio)}" if pair else MISSING
