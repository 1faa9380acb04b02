"""What commands that measure take alike: where runs go, the seed, and when and how they began."""

import random
import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

OutDir = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where run folders are made.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Seed of every random order and of the bootstrap.")
]
Gates = Annotated[
    list[str] | None,
    typer.Option(
        metavar="GATE",
        help="What must hold, or the exit status is 1; may be given several times. It fails where "
        "the whole 95 % interval is on the wrong side.",
        show_default=False,
    ),
]
# Typer reads choices from a Literal of its own.
CantTellPolicy = Annotated[
    Literal["pass", "fail"],
    typer.Option(
        "--cant-tell",
        help="What becomes of a gate that nobody can decide. With pass only a proven breach stops "
        "a change; with fail only what is proven to hold gets through.",
    ),
]
RUNS = Path("runs")


def drawn(seed: int | None) -> int:
    """The seed that was asked for, or one by chance."""
    return random.SystemRandom().randrange(2**32) if seed is None else seed


def stamp() -> str:
    """The UTC time, as a run's name begins."""
    return time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime())


def command_line() -> tuple[str, ...]:
    """The command as it was typed."""
    return ("bakeoff", *sys.argv[1:])
