"""What commands that measure take alike: where runs go, the seed, and when and how they began."""

import random
import re
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

OutDir = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where run folders are made.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Seed of every random order and of the bootstrap.")
]
RUNS = Path("runs")
_DURATION = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(s|m|h)?")
_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600}


def duration_s(text: str) -> float:
    """A time as people write it. Raises `typer.BadParameter`."""
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise typer.BadParameter(f"is {text!r}; it takes seconds, as in 20, 90s or 2m")
    seconds = float(match[1]) * _SECONDS[match[2]]
    if not seconds > 0:
        raise typer.BadParameter(f"is {text}; it takes a time above zero")
    return seconds


def drawn(seed: int | None) -> int:
    """The seed that was asked for, or one by chance."""
    return random.SystemRandom().randrange(2**32) if seed is None else seed


def stamp() -> str:
    """The UTC time, as a run's name begins."""
    return time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime())


def command_line() -> tuple[str, ...]:
    """The command as it was typed."""
    return ("bakeoff", *sys.argv[1:])
