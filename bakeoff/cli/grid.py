"""`bakeoff race` with several values of a setting: a grid of races."""

from pathlib import Path

from bakeoff.cli.console import err
from bakeoff.cli.result import conclude
from bakeoff.cli.watch import watch
from bakeoff.model.grid import GridPlan
from bakeoff.race import Gridded, Stages, race_grid
from bakeoff.report import grid_standings


def race(asked: GridPlan, out_dir: Path, stages: Stages, json: str | None) -> None:
    """Race every cell, and print what came of it; ends the program where it must."""
    err.print(_outlook(asked), markup=False, soft_wrap=True)
    with watch() as progress:
        gridded = race_grid(asked, out_dir, stages, progress)
    show(gridded, json)


def show(gridded: Gridded, json: str | None) -> None:
    """Print the grid and where its report is; ends the program where it must."""
    found = gridded.grid
    verdicts = [cell.verdict for cell in found.cells if cell.verdict]
    valid = any(entry.valid for verdict in verdicts for entry in verdict.entries)
    passed = all(gate.passes for verdict in verdicts for gate in verdict.gates)
    conclude(gridded, grid_standings(found), found, json, valid and passed)


def _outlook(asked: GridPlan) -> str:
    """What a grid is going to do, before it does it."""
    plans = [cell.plan for cell in asked.cells if cell.plan]
    skipped = len(asked.cells) - len(plans)
    each, first = plans[0].duration_s, plans[0]
    return (
        f"{len(plans)} cells of {each:.3g} s of measuring each, "
        f"{each * len(plans):.4g} s in all"
        + (f" ({skipped} more can't be had)" if skipped else "")
        + f"; {first.boots} boots in each cell, before each of which {len(first.entries)} servers "
        "are started, and warmed up for 1 to 20 s each"
    )
