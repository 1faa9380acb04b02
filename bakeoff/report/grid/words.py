"""What a grid says in plain English. Every sentence of its report is made here."""

import re
from collections import Counter
from collections.abc import Sequence

from bakeoff.model.grid import Axis, AxisName, Cell, ChangeOfPlaces, Grid
from bakeoff.report import figures
from bakeoff.report import words as race_words
from bakeoff.report.words import listed, said_once

_LEADING = re.compile(r"^(at|with) (a (?=pipeline))?")
RATIOS_NOTE = (
    "Above 1× is better. Each cell is a race of its own, with simultaneous 95 % intervals for its"
    " own pairs: of twenty cells one may be wrong. Nothing is averaged over cells, and from cell to"
    " cell the machine's weather differs."
)
RATES_NOTE = (
    "Down a column the weather of the machine plays its part too: cells were measured one after"
    " another. Across a row it doesn't."
)


def headline(grid: Grid) -> str:
    """Who leads in how many of the cells, and where the order changes."""
    judged = [cell for cell in grid.cells if cell.verdict]
    said = [_leads(judged), _order(grid, judged)]
    missing = len(grid.cells) - len(judged)
    if missing:
        be = "is" if missing == 1 else "are"
        said.append(f"{figures.plural(missing, 'cell')} {be} without figures.")
    if not grid.complete:
        said.append("The grid ended early.")
    return " ".join(part for part in said if part)


def _leads(judged: Sequence[Cell]) -> str:
    cells = figures.plural(len(judged), "cell")
    if not any(cell.leaders for cell in judged):
        return f"No verdict: in none of {cells} two contenders could be compared."
    ahead = Counter(cell.leaders[0] for cell in judged if len(cell.leaders) == 1)
    level = sum(len(cell.leaders) > 1 for cell in judged)
    alone = sum(not cell.leaders for cell in judged)
    if not ahead:
        said = [f"Nobody surely leads in any of {cells}"]
    elif len(judged) == 1:
        said = [f"{next(iter(ahead))} leads in the only cell that was judged"]
    else:
        (first, most), *others = ahead.most_common()
        among = f"all {cells}" if most == len(judged) else f"{most} of {cells}"
        said = [", ".join([f"{first} leads in {among}", *(f"{n} in {k}" for n, k in others)])]
        said += [f"in {level} nobody surely leads"] if level else []
    said += [f"in {alone} there is nothing to compare"] if alone else []
    return f"{'; '.join(said)}."


def _order(grid: Grid, judged: Sequence[Cell]) -> str:
    if sum(bool(cell.leaders) for cell in judged) < 2:
        return ""
    if not grid.changes:
        return "No two surely change places between cells."
    points = {turning_point(grid, change) for change in grid.changes}
    point = points.pop() if len(points) == 1 else ""
    if point:
        return f"The order changes {point}."
    if len(grid.changes) == 1:
        return "The order changes between cells: one pair changes places."
    return f"The order changes between cells: {len(grid.changes)} pairs change places."


def turning_point(grid: Grid, change: ChangeOfPlaces) -> str:
    """Where along one axis the two change places (`at 512 connections`); empty: along none."""
    apart = _separating(grid, change)
    if not apart:
        return ""
    axis, of_a, of_b = apart
    if axis.name == "connection":
        return "between keep-alive and a connection per request"
    low, high = sorted((_numbers(of_a), _numbers(of_b)))
    return at(axis.name, [high[0]]) if low[-1] < high[0] else ""


def change(grid: Grid, found: ChangeOfPlaces) -> str:
    """Where each of two is surely ahead of the other."""
    apart = _separating(grid, found)
    if apart:
        axis, of_a, of_b = apart
        where, elsewhere = at(axis.name, of_a), at(axis.name, of_b)
    else:
        where, elsewhere = (f"in {listed(list(names))}" for names in (found.a_ahead, found.b_ahead))
    return f"{found.a} is surely ahead of {found.b} {where}, and surely behind {elsewhere}."


def at(axis: AxisName, values: Sequence[int | str]) -> str:
    """Some values of an axis, as a place where something holds."""
    many = listed([str(value) for value in values])
    if axis == "connection":
        return f"with {listed([_connection(value) for value in values])}"
    if axis == "pipeline":
        return f"with a pipeline of {many}"
    noun = axis if len(values) > 1 or values[0] != 1 else axis.removesuffix("s")
    return f"{'with' if axis == 'workers' else 'at'} {many} {noun}"


def title(grid: Grid, cell: Cell) -> str:
    """A cell by its values on the axes: `64 connections, pipeline of 16`."""
    places = (at(axis.name, [cell.settings.value(axis.name)]) for axis in grid.axes)
    return ", ".join(_LEADING.sub("", each) for each in places)


def leads(cell: Cell) -> str:
    """Who leads in a cell, as a table has it."""
    if len(cell.leaders) > 1:
        return f"can't tell: {', '.join(cell.leaders)}"
    return cell.leaders[0] if cell.leaders else figures.MISSING


def cell_headline(cell: Cell) -> str:
    """What a cell's own race found, or why there is none."""
    return race_words.headline(cell.verdict) if cell.verdict else f"Skipped: {cell.skipped}."


def skipped(grid: Grid) -> list[str]:
    """The cells without figures, with the reasons."""
    return said_once({cell.name: [cell.skipped] for cell in grid.cells if not cell.verdict})


def left_out(grid: Grid) -> list[str]:
    """Contenders that have no place in a cell, with the reasons."""
    return said_once(
        {
            cell.name: [
                *(
                    f"{each.name} is not ranked: {race_words.reasons(each)}"
                    for each in race_words.unranked(cell.verdict)
                ),
                *(f"{each.name} was skipped: {each.reason}" for each in cell.verdict.skipped),
            ]
            for cell in grid.cells
            if cell.verdict
        }
    )


def warnings(grid: Grid) -> list[str]:
    """The warnings of all cells; each is said once, with the cells that it is about."""
    return said_once(
        {cell.name: race_words.warnings(cell.verdict) for cell in grid.cells if cell.verdict}
    )


def axes(grid: Grid) -> list[str]:
    """The axes with their values."""
    return [f"{axis.name}: {', '.join(str(value) for value in axis.values)}" for axis in grid.axes]


def _connection(value: int | str) -> str:
    return "a connection per request" if value == "close" else str(value)


def _separating(
    grid: Grid, change: ChangeOfPlaces
) -> tuple[Axis, list[int | str], list[int | str]] | None:
    """The first axis on which the two ends of a change have no value in common."""
    settings = {cell.name: cell.settings for cell in grid.cells}
    for axis in grid.axes:
        of_a, of_b = (
            {settings[name].value(axis.name) for name in names}
            for names in (change.a_ahead, change.b_ahead)
        )
        if not of_a & of_b:
            return (
                axis,
                [value for value in axis.values if value in of_a],
                [value for value in axis.values if value in of_b],
            )
    return None


def _numbers(values: Sequence[int | str]) -> list[int]:
    return sorted(value for value in values if isinstance(value, int))
