"""The picture of a grid: every cell's ratios with their intervals, on one axis."""

from bakeoff.model.grid import Grid
from bakeoff.report.charts.forest import Group, forest, open_ended, spoken
from bakeoff.report.charts.palette import TWIN, colours
from bakeoff.report.charts.race import Race, lanes
from bakeoff.report.document import Chart, printable
from bakeoff.report.kinds.grid import RATIOS_NOTE, contenders, title


def ratios(grid: Grid) -> Chart | None:
    """Small multiples: a forest plot for each cell. None where no cell has a ratio."""
    hues = colours(list(dict.fromkeys(map(printable, contenders(grid)))))
    groups = [
        Group(
            lanes(race, dict.fromkeys(race.colours, TWIN) | hues) if race else (),
            f"{cell.name}: {title(grid, cell)}",
        )
        for cell in grid.cells
        for race in [Race.of(cell.verdict) if cell.verdict else None]
    ]
    if not any(len(group.lanes) > 1 for group in groups):
        return None
    said = "; ".join(f"{group.title}: {spoken(group.lanes) or 'no figures'}" for group in groups)
    return Chart(
        slug="grid",
        title="How fast, against the reference, in every cell",
        reading=(
            f"Each line is a simultaneous 95 % interval of its cell's own race. {RATIOS_NOTE}"
            " The grey twin is a second copy of the reference: its gap to 1× is the cell's noise"
            f" floor.{open_ended([lane for group in groups for lane in group.lanes])}"
        ),
        alt_text=f"Ratios to {printable(grid.reference)}, by cell: {said}.",
        draw=lambda frame: forest(groups, "ratio, logarithmic", frame),
    )
