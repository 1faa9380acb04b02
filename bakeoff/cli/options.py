"""From the options of a plan to the flags of a command."""

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from bakeoff.plan import Catalogue, Environment, Flag, Options
from bakeoff.plan.values import flag


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

OutDir = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where run folders are made.")]
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
        rich_help_panel=declared.panel,
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
        last = {name: every.pop(name) for name in ("seed", "json", "out_dir") if name in every}
        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in (every | last).values()
        ]
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate
