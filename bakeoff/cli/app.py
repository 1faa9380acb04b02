"""The commands. A command's modules are imported when it is used: all of them take a second."""

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

import bakeoff
from bakeoff.cli.output import out, say
from bakeoff.cli.verbatim import LOAD, PERSONALITIES, add_verbatim
from bakeoff.model.errors import STATUSES, MissingPiece

GROUPS = {
    "Compare": {
        "race": (
            "measuring",
            "Race HTTP servers: which is faster, by how much, how sure, at what cost.",
        ),
        "ci": ("ci", "Check whether a change is slower than its base."),
        "compare": (
            "runs",
            "Compare two runs, the earlier first: show what became faster or slower.",
        ),
        "capacity": (
            "measuring",
            "Find the highest rate at which servers hold a service level objective.",
        ),
        "day": ("day", "Measure a server's whole day: cold start, rest, load, overload, recovery."),
    },
    "Look": {
        "report": (
            "runs",
            "Judge a run's samples again and write its reports, without any server.",
        ),
        "explore": (
            "explore",
            "Show runs in a browser: each run, each server's history, every pair of servers.",
        ),
        "publish": (
            "publish",
            "Add a run to a static site: the explorer's pages, for any web host.",
        ),
        "history": ("history", "Show past results and how a contender's performance changed."),
        "resume": ("runs", "Resume a run that was cut off, after its last finished block."),
    },
    "Prepare": {
        "init": ("init", "Describe your own server, for `bakeoff race` and `bakeoff ci`."),
        "workload": (
            "workload",
            "Make a workload of your own traffic, or show a workload's requests.",
        ),
        "setup": ("setup", "Install what contenders need, and build them."),
        "contenders": (
            "contenders",
            "List the catalogue and what is missing on this machine, or audit contenders.",
        ),
        "doctor": (
            "contenders",
            "Show what disturbs measurements on this machine, and how to fix it.",
        ),
        "cluster": (
            "cluster",
            "Show how to race on several machines, and check what a cluster lacks.",
        ),
    },
    "Method": {
        "draws": ("method", "Measure why two runs of the same server differ."),
        "simulate": (
            "simulate",
            "Simulate races, to see how sure a verdict is and how long a race must be.",
        ),
        "crosscheck": (
            "method",
            "Compare the figures of our engine with those of other load tools.",
        ),
        "replay": (
            "measuring",
            "Replay a published test: check whether its claims hold on this machine.",
        ),
    },
}
"""Heading → name → the module of `bakeoff.cli` that has it, and the first line of its help."""
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}


EPILOG = "Exit status: " + "; ".join(f"{int(n)} {text}" for n, text in STATUSES.items()) + "."


_TYPES = {"int": "NUMBER", "float": "NUMBER", "str": "TEXT", "path": "PATH", "Path": "PATH"}


def _shown_type(option: TyperOption | TyperArgument, ctx: Any) -> str | None:
    """What help puts after an option's name: no type of Python; nothing for a switch."""
    if isinstance(option, TyperArgument) or option.is_flag:
        return None
    kind = option.display_type(ctx).strip("<>").removesuffix(" range")
    kind = kind.removeprefix("list[").removesuffix("]")
    return option.metavar or _TYPES.get(kind, kind)


# Typer has no setting for these.
TyperOption.display_type_rich = _shown_type  # type: ignore[assignment, method-assign]
TyperArgument.display_type_rich = _shown_type  # type: ignore[assignment, method-assign]


class _NamedCommand(TyperCommand):
    """A command of which only the name and the first line of help are known yet."""

    def imported(self) -> Any:
        """The command itself."""
        assert self.name
        module = import_module(f"bakeoff.cli.{COMMANDS[self.name][0]}")
        if isinstance(several := getattr(module, self.name), typer.Typer):
            group = typer.main.get_command(several)
            assert isinstance(group, TyperGroup)
            for command in (group, *group.commands.values()):
                command.epilog = EPILOG
            return group
        alone = typer.Typer(context_settings=_SETTINGS, add_completion=False)
        alone.command(self.name, epilog=EPILOG)(getattr(module, self.name))
        return typer.main.get_command(alone)


class _Commands(TyperGroup):
    """Ours, each imported when it is called, and those that are the engine's."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        named = {
            name: _NamedCommand(name, help=line, rich_help_panel=heading)
            for heading, group in GROUPS.items()
            for name, (_, line) in group.items()
        }
        self.commands = {**named, **self.commands}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`bakeoff help race` is `bakeoff race --help`."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.imported() if isinstance(command, _NamedCommand) else command, rest


_SETTINGS = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    name="bakeoff",
    cls=_Commands,
    help="Head-to-head HTTP server benchmarks that know when it is a tie.",
    epilog=f'Start here: bakeoff race "node a.js" "node b.js"\n\n{EPILOG}',
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings=_SETTINGS,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from bakeoff.load import engine_path, engine_version

        say(f"bakeoff {bakeoff.__version__}", out)
        try:
            say(f"{engine_version()}  {engine_path()}", out)
        except MissingPiece as error:
            say(str(error))
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option(
            "-V",
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print this version and the engine's.",
        ),
    ] = False,
) -> None:
    pass


add_verbatim(app, "load", LOAD)
for name, help_line in PERSONALITIES.items():
    add_verbatim(app, name, help_line)
