"""The commands. A command's modules are imported when it is used: all of them take a second."""

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

import bakeoff
from bakeoff.cli.help import SETTINGS, Commands, Group, fault
from bakeoff.cli.output import err, out, say
from bakeoff.cli.verbatim import LOAD, PERSONALITIES, add_verbatim
from bakeoff.installation import engine_path, engine_version
from bakeoff.model.errors import BadUsage, MissingPiece

GROUPS = {
    "Compare": {
        "race": (
            "measuring",
            "Race HTTP servers: which is faster, by how much, how sure, at what cost.",
        ),
        "why": ("measuring", "Race servers, and find out where the difference comes from."),
        "ci": ("ci", "Check whether a change is slower than its base."),
        "compare": (
            "runs",
            "Compare two runs, the earlier first: show what became faster or slower.",
        ),
        "capacity": ("measuring", "Find the highest rate at which servers keep an objective."),
        "day": (
            "measuring",
            "Measure a server's whole day: cold start, rest, load, overload, recovery.",
        ),
    },
    "Look": {
        "report": ("runs", "Judge a run's samples again and write its reports."),
        "explore": (
            "explore",
            "Show runs in a browser: each run, each server's history, every pair of servers.",
        ),
        "board": (
            "board",
            "Race every contender in every cell, and make the site that compares them.",
        ),
        "publish": ("explore", "Add a run to a static site of the explorer's pages."),
        "history": ("history", "Show past results and how a contender's performance changed."),
        "resume": ("runs", "Resume a run that was cut off, after its last finished block."),
    },
    "Prepare": {
        "init": ("init", "Describe your own server, for `bakeoff race` and `bakeoff ci`."),
        "workload": ("workload", "Make a workload of your own traffic, or show its requests."),
        "setup": ("setup", "Install what contenders need, and build them."),
        "contenders": (
            "contenders",
            "List the catalogue and what is missing here, or audit contenders.",
        ),
        "doctor": ("contenders", "Show what disturbs measurements here, and how to fix it."),
        "cluster": ("cluster", "Show how to race on several machines, or what a cluster lacks."),
    },
    "Method": {
        "draws": ("method", "Measure why two runs of the same server differ."),
        "simulate": ("simulate", "Simulate races: how sure is a verdict, how long must a race be?"),
        "crosscheck": ("method", "Compare our engine's figures with those of other load tools."),
        "replay": (
            "measuring",
            "Replay a published test: check whether its claims hold on this machine.",
        ),
    },
}
"""Heading → name → the module of `bakeoff.cli` that has it, and the first line of its help."""
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}


class _NamedCommand(TyperCommand):
    """A command of which only the name and the first line of help are known yet."""

    def imported(self) -> Any:
        assert self.name
        module = import_module(f"bakeoff.cli.{COMMANDS[self.name][0]}")
        command = getattr(module, self.name)
        if not isinstance(command, typer.Typer):
            alone = Commands()
            alone.command(self.name, context_settings=SETTINGS)(command)
            command = alone
        return typer.main.get_command(command)


class _Commands(Group):
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

    def main(self, *args: Any, **more: Any) -> None:
        err.quiet = False
        try:
            status = super().main(*args, **{**more, "standalone_mode": False})
        except TyperException as error:
            raise BadUsage(fault(error)) from None
        sys.exit(status)


app = Commands(
    name="bakeoff",
    cls=_Commands,
    help="""Head-to-head HTTP server benchmarks that know when it is a tie.

    bakeoff race "node a.js" "node b.js"      begin here
    """,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
)


def _print_version(wanted: bool) -> None:
    if wanted:
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
