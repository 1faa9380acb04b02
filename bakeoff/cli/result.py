"""Where a result goes besides the terminal: the option --json of several commands."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from bakeoff.model.base import Contract
from bakeoff.model.errors import BadUsage

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
