"""What commands that measure do with their result: print it, write it, end with a status."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from bakeoff.cli.console import err, out
from bakeoff.model.base import Contract
from bakeoff.model.errors import BadUsage
from bakeoff.race import Finished, Gridded, Replayed

Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE|-", help="Write the result as JSON.")
]


def check_json(json: str | None) -> None:
    """Find out before the measuring, not after it, that its result can't be written."""
    if json in (None, "-"):
        return
    assert json
    path = Path(json)
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise BadUsage(f"--json {json}: can't be written")


def write_json(json: str | None, result: Contract) -> None:
    """One line of JSON into the file `json`, or to standard output for `-`."""
    if json == "-":
        sys.stdout.write(result.to_json() + "\n")
    elif json:
        Path(json).write_text(result.to_json() + "\n")


def conclude(
    finished: Finished | Gridded | Replayed,
    shown: RenderableType,
    result: Contract,
    json: str | None,
    succeeded: bool,
) -> None:
    """Print what there is and where its report is, write `result`, and end with the right status.

    Raises `typer.Exit` with 130 after an interrupt, with 1 where nothing `succeeded`.
    """
    console = err if json == "-" else out
    console.print(shown)
    console.print(f"Report: {finished.report}", markup=False, soft_wrap=True)
    if finished.interrupted:
        again = f"bakeoff resume {finished.folder}"
        err.print(f"Interrupted; to go on: {again}", markup=False, soft_wrap=True)
    write_json(json, result)
    if finished.interrupted:
        raise typer.Exit(130)
    if not succeeded:
        raise typer.Exit(1)
