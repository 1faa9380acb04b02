"""From the options of a plan to the flags of a command."""

import inspect
import sys
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.models import OptionInfo

from bakeoff.plan import Catalogue, Environment, Flag, Options
from bakeoff.plan.questions import QuestionOptions
from bakeoff.plan.values import flag

FEW = 12
"""So many options need no headings."""
PANELS = {
    "Load": (
        *("close", "keep_alive", "connections", "pipeline", "protocol", "streams", "rate", "load"),
        *("arrivals", "slo", "storm", "slow_clients", "solo", "tools", "ca", "insecure"),
    ),
    "Time and precision": (
        *("duration", "warm_up", "boots", "instances", "precision", "until", "budget", "confirm"),
        *("rounds", "quick", "processes", "sets", "twin", "seed"),
    ),
    "Simulation": (
        *("effect", "power", "requests_per_s", "weather", "felt", "bursts"),
        *("contenders", "races", "like"),
    ),
    "Placement": (
        *("base", "head", "contender", "everything", "workers", "cpus", "ports", "pids"),
        *("ready_timeout", "probes"),
    ),
    "Verdict": ("reference", "within", "gates", "cant_tell", "same_answers", "keep_going"),
    "Traffic": tuple(QuestionOptions.model_fields.keys() - Options.model_fields.keys()),
    "Cluster": ("cluster", "i_may_load", "server_nodes"),
    "Output": ("summary", "junit", "runs_wanted", "to", "wide", "json", "out_dir"),
}
"""Heading → the options that the help of a command with many has under it."""
_PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names}


def contender_names(incomplete: str) -> list[str]:
    """What a shell completes to; where it is none of these, it takes files."""
    return [name for name in Catalogue.shipped().names() if name.startswith(incomplete)]


def article_names(incomplete: str) -> list[str]:
    """The same for articles."""
    return [name for name in Catalogue.shipped().article_names() if name.startswith(incomplete)]


CONTENDER_HELP = (
    "A catalogue name, a folder with contender.toml, a quoted command, or a URL. NAME=… before it "
    "gives it a name."
)
CONTENDER = typer.Argument(
    metavar="CONTENDER",
    help=CONTENDER_HELP,
    show_default=False,
    autocompletion=contender_names,
)
RUNS = Path("runs")

OutDir = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="DIR",
        help=f"Make run folders in this folder. (default: {RUNS})",
        show_default=False,
    ),
]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, such as runs/latest.")]


def environment() -> Environment:
    """This machine and this moment, with the command as it was typed."""
    return Environment.here(("bakeoff", *sys.argv[1:]))


def option(name: str, declared: Flag) -> Any:
    """The flag of the option `name`, for typer."""
    long = f"{flag(name)}/{flag(f'no_{name}')}" if declared.on else flag(name)
    names = [declared.letter, long] if declared.letter else [long]
    return typer.Option(
        *names,
        metavar=declared.metavar,
        help=declared.help,
        show_default=False,
    )


def takes(options: type[Options]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a flag for each of `options`. It takes them checked, as its `options`."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        flags = {
            name: inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=... if options.model_fields[name].is_required() else None,
                annotation=Annotated[declared.type | None, option(name, declared)],
            )
            for name, declared in options.flags().items()
        }

        def command(**values: Any) -> None:
            given = {name: values.pop(name) for name in flags}
            function(**values, options=options(**given))

        every = dict(inspect.signature(function).parameters) | flags
        del every["options"]
        # These end the help of every command.
        last = {
            name: every.pop(name) for name in ("seed", "wide", "json", "out_dir") if name in every
        }
        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in (every | last).values()
        ]
        if sum(map(_is_option, parameters)) > FEW:
            parameters = sorted(map(_in_panel, parameters), key=_place)
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


def _is_option(parameter: inspect.Parameter) -> bool:
    return isinstance(get_args(parameter.annotation)[1], OptionInfo)


def _in_panel(parameter: inspect.Parameter) -> inspect.Parameter:
    """The parameter, and if it is an option, under its heading."""
    if not _is_option(parameter):
        return parameter
    kind, declared = get_args(parameter.annotation)
    # Commands with few options have the same ones without headings.
    option = copy(declared)
    option.rich_help_panel = _PANEL_OF[parameter.name]
    return parameter.replace(annotation=Annotated[kind, option])


def _place(parameter: inspect.Parameter) -> int:
    """Arguments come first, then panels in their order."""
    option = _is_option(parameter)
    return 1 + list(PANELS).index(_PANEL_OF[parameter.name]) if option else 0
