"""The picture of a grid: every cell's ratios with their intervals, on one axis."""

from collections.abc import Sequence

from bakeoff.model.grid import Grid
from bakeoff.report.charts.forest import Group, forest, open_ended, spoken
from bakeoff.report.charts.palette import TWIN, colours
from bakeoff.report.charts.race import Race, lanes
from bakeoff.report.document import Chart, printable


def ratios(grid: Grid, contenders: Sequence[str], titles: Sequence[str], note: str) -> Chart | None:
    """Small multiples: a forest plot for each cell, under its title; None: none has a ratio."""
    hues = colours(list(dict.fromkeys(map(printable, contenders))))
    groups = [
        Group(
            lanes(race, dict.fromkeys(race.colours, TWIN) | hues) if race else (),
            f"{cell.name}: {title}",
        )
        for cell, title in zip(grid.cells, titles, strict=True)
        for race in [Race.of(cell.verdict) if cell.verdict else None]
    ]
    if not any(len(group.lanes) > 1 for group in groups):
        return None
    said = "; ".join(f"{group.title}: {spoken(group.lanes) or 'no figures'}" for group in groups)
    return Chart(
        slug="grid",
        title="How fast, against the reference, in every cell",
        reading=(
            f"Each line is a simultaneous 95 % interval of its cell's own race. {note}"
            " The grey twin is a second copy of the reference: its gap to 1× is the cell's noise"
            f" floor.{open_ended([lane for group in groups for lane in group.lanes])}"
        ),
        alt_text=f"Ratios to {printable(grid.reference)}, by cell: {said}.",
        draw=lambda frame: forest(groups, "ratio, logarithmic", frame),
    )
