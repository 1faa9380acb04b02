"""What commands that measure take alike: where runs go, the seed, and when and how they began."""

import random
import re
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from bakeoff.model.plan import Cores
from bakeoff.plan import available_cores, default_cores, parse_cores

OutDir = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where run folders are made.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Seed of every random order and of the bootstrap.")
]
Boots = Annotated[
    int | None, typer.Option(min=1, help="How often all servers restart. (default: 3)")
]
Cpus = Annotated[
    str | None,
    typer.Option(
        metavar="server=0,client=1",
        help="Cores of the servers and of the generator. (default: the first and the last)",
    ),
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
_DURATION = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(s|m|h)?")
_SHARE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(%)?")
_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600}


def contender_words(none_means: str = "") -> Any:
    """The argument that names contenders; `none_means` ends its help."""
    return typer.Argument(
        metavar="CONTENDER",
        help="A catalogue name, a folder with contender.toml, a quoted command, or a URL."
        + none_means,
        show_default=False,
    )


def timed(*flags: str, help: str) -> Any:
    """An option that takes a time as people write it."""
    return typer.Option(*flags, parser=duration_s, metavar="TIME", help=help)


def cores(cpus: str | None) -> Cores:
    """The cores that `--cpus` names, or the usual ones. Raises `BadUsage`."""
    available = available_cores()
    return parse_cores(cpus, available) if cpus else default_cores(available)


def duration_s(text: str) -> float:
    """A time as people write it. Raises `typer.BadParameter`."""
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise typer.BadParameter(f"is {text!r}; it takes seconds, as in 20, 90s or 2m")
    seconds = float(match[1]) * _SECONDS[match[2]]
    if not seconds > 0:
        raise typer.BadParameter(f"is {text}; it takes a time above zero")
    return seconds


def share(text: str) -> float:
    """A share as people write it. Raises `typer.BadParameter`."""
    match = _SHARE.fullmatch(text.strip())
    if not match:
        raise typer.BadParameter(f"is {text!r}; it takes a share, as in 70% or 0.7")
    return float(match[1]) / (100 if match[2] else 1)


def drawn(seed: int | None) -> int:
    """The seed that was asked for, or one by chance."""
    return random.SystemRandom().randrange(2**32) if seed is None else seed


def stamp() -> str:
    """The UTC time, as a run's name begins."""
    return time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime())


def command_line() -> tuple[str, ...]:
    """The command as it was typed."""
    return ("bakeoff", *sys.argv[1:])
