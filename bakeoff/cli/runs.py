"""`bakeoff resume` and `report`: runs that are there already, races, grids and replays alike."""

from pathlib import Path
from typing import Annotated

import typer

from bakeoff.cli import grid as grid_command
from bakeoff.cli import race as race_command
from bakeoff.cli import replay as replay_command
from bakeoff.cli.result import Json, check_json
from bakeoff.cli.stages import real_stages
from bakeoff.cli.watch import watch
from bakeoff.plan import Catalogue, available_cores
from bakeoff.race import (
    is_grid,
    is_replay,
    rejudge,
    report_grid,
    report_replay,
    resume_grid,
    resume_replay,
)
from bakeoff.race import resume as resume_race

_Run = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder: runs/latest, say.")]


def resume(run: _Run, json: Json = None) -> None:
    """Go on with a race, a grid or a replay that was cut off, from its last finished block."""
    check_json(json)
    stages = real_stages()
    if is_grid(run):
        with watch() as progress:
            gridded = resume_grid(run, stages, progress)
        grid_command.show(gridded, json)
        return
    if is_replay(run):
        with watch() as progress:
            replayed = resume_replay(run, Catalogue.shipped(), available_cores(), stages, progress)
        replay_command.show(replayed, json)
        return
    with watch() as progress:
        finished = resume_race(run, stages, progress)
    race_command.show(finished, json)


def report(run: _Run, json: Json = None) -> None:
    """Judge a run's samples again and write its reports; needs no server."""
    check_json(json)
    if is_grid(run):
        grid_command.show(report_grid(run, real_stages()), json)
    elif is_replay(run):
        replay_command.show(report_replay(run, real_stages()), json)
    else:
        race_command.show(rejudge(run, real_stages()), json)
