"""The tables of a grid, as text: terminal, Markdown and page show the same ones."""

from collections.abc import Callable

from bakeoff.model.grid import Grid
from bakeoff.model.verdict import VerdictEntry
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.grid import words
from bakeoff.report.tables import Table
from bakeoff.report.words import printable


def contenders(grid: Grid) -> list[str]:
    """Everybody who has a row in a cell, the reference first."""
    seen = [one.name for cell in grid.cells if cell.verdict for one in cell.verdict.entries]
    return list(dict.fromkeys([name for name in seen if name == grid.reference] + seen))


def ratios_table(grid: Grid) -> Table:
    """A row for each cell: who leads, everybody's ratio, and the twin's, the noise floor."""
    reference = (
        f"Ratios are to {printable(grid.reference)}, or where it has no place to the one with 1×. "
    )
    return _per_cell(
        grid, "ratios", "Ratios, cell by cell", reference + words.RATIOS_NOTE, _ratio, twin=True
    )


def rates_table(grid: Grid) -> Table:
    """A row for each cell: everybody's throughput."""
    return _per_cell(grid, "rates", "Requests per second", words.RATES_NOTE, _rate, twin=False)


def _per_cell(
    grid: Grid,
    slug: str,
    title: str,
    note: str,
    shown: Callable[[VerdictEntry], str],
    *,
    twin: bool,
) -> Table:
    names = contenders(grid)
    rows = []
    for cell in grid.cells:
        found = {one.name: one for one in cell.verdict.entries} if cell.verdict else {}
        cells = [shown(found[name]) if name in found else MISSING for name in names]
        floor = cell.verdict.noise_floor if cell.verdict else None
        noise = figures.ratio_times(floor.ratio, floor.low, floor.high) if floor else MISSING
        rows.append(
            (
                cell.name,
                *([printable(words.leads(cell))] if twin else []),
                *cells,
                *([noise] if twin else []),
            )
        )
    heads = (
        "cell",
        *(["leads"] if twin else []),
        *map(printable, names),
        *(["twin (noise floor)"] if twin else []),
    )
    return Table(slug, title, note, heads, tuple(rows) if names else ())


def _ratio(entry: VerdictEntry) -> str:
    if entry.ratio is None:
        return "not ranked"
    return figures.ratio_times(entry.ratio, entry.low, entry.high)


def _rate(entry: VerdictEntry) -> str:
    return figures.rate(entry.requests_per_s) if entry.valid else "not ranked"
