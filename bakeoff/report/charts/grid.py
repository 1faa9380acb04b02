"""The picture of a grid: every cell's ratios with their intervals, on one axis."""

from bakeoff.model.grid import Cell, Grid
from bakeoff.report import figures
from bakeoff.report.charts.forest import Group, Line, forest, open_ended
from bakeoff.report.charts.race import Race
from bakeoff.report.charts.theme import colours
from bakeoff.report.document import Chart, printable
from bakeoff.report.kinds.grid import RATIOS_NOTE, contenders, title

_TWIN = "twin"


def ratios(grid: Grid) -> Chart | None:
    """Small multiples: a forest plot for each cell. None where no cell has a ratio."""
    groups = [Group(_lines(cell), f"{cell.name}: {title(grid, cell)}") for cell in grid.cells]
    if not any(len(group.lines) > 1 for group in groups):
        return None
    names = list(dict.fromkeys(map(printable, contenders(grid))))
    signs = {name: ("circle", hue) for name, hue in colours([*names, _TWIN], _TWIN).items()}
    spoken = "; ".join(
        f"{group.title}: "
        + (
            ", ".join(f"{line.key} {figures.ratio_of(line)}" for line in group.lines)
            or "no figures"
        )
        for group in groups
    )
    return Chart(
        slug="grid",
        title="How fast, against the reference, in every cell",
        reading=(
            f"Each line is a simultaneous 95 % interval of its cell's own race. {RATIOS_NOTE}"
            " The grey twin is a second copy of the reference: its gap to 1× is the cell's noise"
            f" floor.{open_ended([line for group in groups for line in group.lines])}"
        ),
        alt_text=f"Forest plots of ratios to {printable(grid.reference)}, by cell: {spoken}.",
        draw=lambda frame: forest(groups, signs, frame, legend=True),
    )


def _lines(cell: Cell) -> list[Line]:
    """The ranked contenders, the fastest first, and the twin."""
    if not cell.verdict:
        return []
    floor = cell.verdict.noise_floor
    twin = printable(floor.name) if floor else None
    return [
        Line(_TWIN if lane.name == twin else lane.name, lane.ratio, lane.low, lane.high)
        for lane in Race.of(cell.verdict).lanes
    ]
