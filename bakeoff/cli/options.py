"""From the options of a plan to the flags of a command."""

import inspect
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from bakeoff.cli.output import OUTPUT, Quiet
from bakeoff.model.errors import BadUsage
from bakeoff.plan import Catalogue, Environment, Flag, Options
from bakeoff.plan.options import CLUSTER, LOAD, PLACEMENT, TIME, TRAFFIC, VERDICT, choices

PANELS = (LOAD, TRAFFIC, TIME, "Simulation", PLACEMENT, VERDICT, OUTPUT, CLUSTER)
"""The headings of options, in the order of the help."""


def contender_names(incomplete: str) -> list[str]:
    """What a shell completes to; where it is none of these, it takes files."""
    return [name for name in Catalogue.shipped().names() if name.startswith(incomplete)]


def article_names(incomplete: str) -> list[str]:
    return [name for name in Catalogue.shipped().article_names() if name.startswith(incomplete)]


CONTENDER_HELP = (
    "A catalogue name, a folder with contender.toml, such a folder's page on GitHub or …/NAME.git"
    "[#REF:FOLDER], a quoted command, or a server's URL. NAME=… before it "
    "gives it a name."
)
CONTENDER = typer.Argument(metavar="CONTENDER", help=CONTENDER_HELP, autocompletion=contender_names)
RUNS = Path("runs")

OutDir = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="DIR",
        help=f"Make run folders in this folder. (default: {RUNS})",
        rich_help_panel=OUTPUT,
    ),
]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, such as runs/latest.")]


def environment() -> Environment:
    """This machine and this moment, with the command as it was typed."""
    return Environment.here(("bakeoff", *sys.argv[1:]))


def option(name: str, declared: Flag, words: tuple[str, ...] = (), *, on: bool = False) -> Any:
    """The flag of the option called `name`, for typer.

    It takes one of `words`, if there are any. `on`: it is a switch that is on by default.
    """
    long = declared.name or "--" + name.replace("_", "-")
    names = [declared.letter, f"{long}/--no-{long[2:]}" if on else long, *declared.also]
    return typer.Option(
        *filter(None, names),
        metavar=declared.metavar or "|".join(words) or None,
        help=declared.text,
        rich_help_panel=declared.panel,
        autocompletion=(lambda incomplete: [word for word in words if word.startswith(incomplete)])
        if words
        else None,
    )


def takes(options: type[Options]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a flag for each of `options`. It takes them checked, as its `options`."""
    flags: dict[str, Flag] = {}
    switches: dict[str, tuple[str, str]] = {}
    own: dict[str, inspect.Parameter] = {}
    for name, declared in options.flags().items():
        if declared.help:
            field = options.model_fields[name]
            kind: Any = list[str] if declared.repeated else str
            if field.annotation is bool:
                kind = bool
            info = option(name, declared, choices(field.annotation), on=field.default is True)
            required = ... if field.is_required() else None
            flags[name] = declared
            own[name] = _parameter(name, Annotated[kind | None, info], required)
        for switch, (value, text) in (declared.switches or {}).items():
            key, info = switch.replace("-", "_"), option(switch, Flag(declared.panel, text))
            switches[key] = name, value
            own[key] = _parameter(key, Annotated[bool, info], False)
    own["quiet"] = _parameter("quiet", Quiet, False)

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def command(**values: Any) -> None:
            del values["quiet"]
            given = {name: values.pop(name) for name in flags}
            for name, of_name in groupby(switches, key=lambda switch: switches[switch][0]):
                on = [switch for switch in of_name if values.pop(switch)]
                if on and given.get(name) is not None:
                    raise BadUsage(f"--{on[0]} and {options.flag(name)}: give one of them")
                if on:
                    found = tuple(switches[switch][1] for switch in on)
                    given[name] = found if len(found) > 1 else found[0]
            function(**values, options=options(**given))

        every = dict(inspect.signature(function).parameters) | own
        del every["options"]
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        parameters = sorted(
            (each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every.values()),
            key=_place,
        )
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


def _parameter(name: str, annotation: Any, default: object) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _place(parameter: inspect.Parameter) -> int:
    """Operands come first, then panels in their order."""
    panel = getattr(get_args(parameter.annotation)[1], "rich_help_panel", None)
    return 1 + PANELS.index(panel) if panel else 0
