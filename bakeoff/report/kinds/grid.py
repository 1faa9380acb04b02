"""A grid: the leader of each cell, changes of places, and a table over all cells."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from bakeoff.model.entry import VerdictEntry
from bakeoff.model.grid import Axis, AxisName, Cell, ChangeOfPlaces, Grid
from bakeoff.model.verdict import Verdict
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.charts.race import cells
from bakeoff.report.figures import MISSING
from bakeoff.report.flat import flat
from bakeoff.report.kinds import race_headline
from bakeoff.report.kinds.shared import again, machine_table, said_once, warned, warnings
from bakeoff.report.kinds.standings import least_rate, reasons, unranked
from bakeoff.report.sentences import listed

_Column = tuple[str, Callable[[Cell], str]]
_LEADING = re.compile(r"^(at|with) (a (?=pipeline))?")
RATIOS_NOTE = (
    "Above 1× is better. Each cell is a race of its own, with simultaneous 95 % intervals for its"
    " own pairs: of twenty cells one may be wrong. Nothing is averaged over cells, and from cell to"
    " cell the machine's speed may drift."
)
_RATES_NOTE = (
    "Cells were measured one after another, so the machine's drift is in a column, but"
    " not across a row."
)


def document(grid: Grid) -> doc.Document:
    titles = [title(grid, cell) for cell in grid.cells]
    axes = (f"{axis.name} {listed([str(value) for value in axis.values])}" for axis in grid.axes)
    return doc.Document(
        title=f"A grid of {figures.plural(len(grid.cells), 'cell')}",
        headline=headline(grid),
        tone="good" if any(cell.leaders for cell in grid.cells) else "bad",
        context=(f"a grid of {figures.plural(len(grid.cells), 'cell')}", grid.machine.taken_at),
        facts=tuple(axes),
        alarm="" if grid.complete else "The grid ended before it was complete.",
        summary=(
            doc.Charts(lambda: [cells(grid, contenders(grid), titles, RATIOS_NOTE)]),
            _ratios(grid),
            _rates(grid),
            doc.List(
                "Changes of places",
                doc.items("⇄", [change(grid, places) for places in grid.changes]),
            ),
            doc.List("Left out", tuple(_left_out(grid))),
            warned(_warnings(grid)),
        ),
        detail=(
            doc.List(
                "Cells",
                tuple(_cell(grid, cell) for cell in grid.cells),
                note="Each cell is a race of its own, with its samples, verdict and report.",
            ),
            machine_table(grid.machine),
            again(grid.command_line, f"Run {grid.run}, seed {grid.seed}"),
        ),
        data=data(grid),
    )


def headline(grid: Grid) -> str:
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
        return f"No verdict: none of {cells} has two contenders that can be compared."
    ahead = Counter(cell.leaders[0] for cell in judged if len(cell.leaders) == 1)
    level = sum(len(cell.leaders) > 1 for cell in judged)
    alone = sum(not cell.leaders for cell in judged)
    if not ahead:
        said = [f"No contender leads for sure in any of {cells}"]
    elif len(judged) == 1:
        said = [f"{next(iter(ahead))} leads in the only cell that was judged"]
    else:
        (first, most), *others = ahead.most_common()
        among = f"all {cells}" if most == len(judged) else f"{most} of {cells}"
        said = [", ".join([f"{first} leads in {among}", *(f"{n} in {k}" for n, k in others)])]
        said += [f"in {level} no contender leads for sure"] if level else []
    said += [f"in {alone} there is nothing to compare"] if alone else []
    return f"{'; '.join(said)}."


def _order(grid: Grid, judged: Sequence[Cell]) -> str:
    if sum(bool(cell.leaders) for cell in judged) < 2:
        return ""
    if not grid.changes:
        return "No two contenders change places between cells for sure."
    points = {turning_point(grid, places) for places in grid.changes}
    point = points.pop() if len(points) == 1 else ""
    if point:
        return f"The order changes {point}."
    if len(grid.changes) == 1:
        return "The order changes between cells: one pair changes places."
    return f"The order changes between cells: {len(grid.changes)} pairs change places."


def turning_point(grid: Grid, change: ChangeOfPlaces) -> str:
    apart = _separating(grid, change)
    if not apart:
        return ""
    axis, of_a, of_b = apart
    if axis.name == "connection":
        return "between keep-alive and a connection per request"
    low, high = sorted(
        sorted(value for value in values if isinstance(value, int)) for values in (of_a, of_b)
    )
    return at(axis.name, [high[0]]) if low[-1] < high[0] else ""


def change(grid: Grid, change: ChangeOfPlaces) -> str:
    apart = _separating(grid, change)
    if apart:
        axis, of_a, of_b = apart
        where, elsewhere = at(axis.name, of_a), at(axis.name, of_b)
    else:
        where, elsewhere = (f"in {listed(names)}" for names in (change.a_ahead, change.b_ahead))
    return f"{change.a} is ahead of {change.b} {where} and behind it {elsewhere}, both for sure."


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


def at(axis: AxisName, values: Sequence[int | str]) -> str:
    if axis == "connection":
        spoken = ["a connection per request" if v == "close" else str(v) for v in values]
        return f"with {listed(spoken)}"
    many = listed([str(value) for value in values])
    if axis == "path":
        return f"over {many}"
    if axis == "pipeline":
        return f"with a pipeline of {many}"
    if axis == "streams":
        return f"with {many} {'stream' if many == '1' else 'streams'}"
    noun = axis if len(values) > 1 or values[0] != 1 else axis.removesuffix("s")
    return f"{'with' if axis == 'workers' else 'at'} {many} {noun}"


def title(grid: Grid, cell: Cell) -> str:
    """A cell by its values on the axes: `64 connections, pipeline of 16`."""
    places = (at(axis.name, [cell.settings.value(axis.name)]) for axis in grid.axes)
    return ", ".join(_LEADING.sub("", place) for place in places)


def _cell(grid: Grid, cell: Cell) -> doc.Item:
    result = race_headline.headline(cell.verdict) if cell.verdict else f"Skipped: {cell.skipped}."
    link = f"{cell.name}/report.html" if cell.verdict else ""
    return doc.Item(f"({title(grid, cell)}) {result}", label=cell.name, link=link)


def _left_out(grid: Grid) -> list[doc.Item]:
    skipped = said_once({cell.name: [cell.skipped] for cell in grid.cells if not cell.verdict})
    unplaced = {
        cell.name: [
            *(
                f"{entry.name} is not ranked: {reasons(entry, cell.verdict.unit)}"
                for entry in unranked(cell.verdict)
            ),
            *(f"{skip.name} was skipped: {skip.reason}" for skip in cell.verdict.skipped),
        ]
        for cell in grid.cells
        if cell.verdict
    }
    return [*doc.items("–", skipped), *doc.items("✗", said_once(unplaced))]


def _warnings(grid: Grid) -> list[str]:
    return said_once({cell.name: warnings(cell.verdict) for cell in grid.cells if cell.verdict})


def contenders(grid: Grid) -> list[str]:
    names = [entry.name for cell in grid.cells if cell.verdict for entry in cell.verdict.entries]
    return list(dict.fromkeys([name for name in names if name == grid.reference] + names))


def _ratios(grid: Grid) -> doc.Table:
    note = f"Ratios are to {grid.reference}, or where it has no place to the one with 1×."

    def ratio(cell: Verdict, entry: VerdictEntry) -> str:
        if entry.name == cell.reference and entry.valid:
            return figures.REFERENCE
        return figures.ratio_of(entry.ratio) if entry.ratio is not None else "not ranked"

    leads, twin = ("leads", _leader), ("twin (noise floor)", _noise_floor)
    columns = [leads, *_contenders(grid, ratio), twin]
    return _per_cell(grid, "Ratios, cell by cell", f"{note} {RATIOS_NOTE}", columns)


def _rates(grid: Grid) -> doc.Table:
    def rate(_: Verdict, entry: VerdictEntry) -> str:
        return least_rate(entry) if entry.valid else "not ranked"

    return _per_cell(grid, "Requests per second", _RATES_NOTE, _contenders(grid, rate))


def _contenders(grid: Grid, write: Callable[[Verdict, VerdictEntry], str]) -> list[_Column]:
    def of(name: str) -> Callable[[Cell], str]:
        def figure(cell: Cell) -> str:
            entry = cell.verdict.entry(name) if cell.verdict else None
            return write(cell.verdict, entry) if cell.verdict and entry else MISSING

        return figure

    return [(name, of(name)) for name in contenders(grid)]


def _per_cell(grid: Grid, title: str, note: str, columns: Sequence[_Column]) -> doc.Table:
    cells = grid.cells if contenders(grid) else ()
    heads = [("cell", lambda cell: cell.name), *columns]
    return doc.tabulated(title, cells, heads, note, text=("leads",))


def _noise_floor(cell: Cell) -> str:
    return figures.ratio_of(cell.verdict.noise_floor if cell.verdict else None)


def _leader(cell: Cell) -> str:
    if len(cell.leaders) > 1:
        return f"can't tell: {', '.join(cell.leaders)}"
    return cell.leaders[0] if cell.leaders else MISSING


def data(grid: Grid) -> tuple[doc.DataRow, ...]:
    rows: list[doc.DataRow] = []
    for cell in grid.cells:
        whose = {"cell": cell.name, **cell.settings.model_dump()}
        if not cell.verdict:
            rows.append(whose | {"name": None, "reasons": cell.skipped})
            continue
        rows += [
            whose | {"leads": int(cell.leaders == (entry.name,))} | flat(entry)
            for entry in cell.verdict.entries
        ]
        rows += [whose | {"name": s.name, "reasons": s.reason} for s in cell.verdict.skipped]
    return tuple(rows)
