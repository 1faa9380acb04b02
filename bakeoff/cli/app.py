"""The commands. A command's modules are imported when it is used: all of them take a second."""

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import bakeoff
from bakeoff.cli.output import out, say
from bakeoff.cli.verbatim import LOAD, PERSONALITIES, add_verbatim
from bakeoff.model.errors import STATUSES, MissingPiece

COMMANDS = {
    "race": (
        "measuring",
        "Race HTTP servers: which is faster, by how much, how sure, at what cost.",
    ),
    "replay": ("measuring", "Replay a published test: do its claims hold, here and today?"),
    "capacity": (
        "measuring",
        "Find the highest rate at which servers hold a service level objective.",
    ),
    "day": ("day", "A day in the life of servers: who starts first, who rests, who breaks first?"),
    "ci": ("ci", "Is this change slower than the base? Slower, not slower, or can't tell."),
    "workload": (
        "workload",
        "Make a workload of your own traffic, or show what one asks.",
    ),
    "init": ("init", "Describe your own server, for `bakeoff race` and `bakeoff ci`."),
    "resume": ("runs", "Go on with a run that was cut off, from its last finished block."),
    "report": ("runs", "Judge a run's samples again and write its reports; needs no server."),
    "compare": ("runs", "Compare two runs, the earlier first: what became faster, what slower?"),
    "explore": (
        "explore",
        "Look at runs in a browser: each run, a server's history, who is ahead of whom.",
    ),
    "publish": ("publish", "Add a run to a static site: the explorer's pages, for any web host."),
    "history": ("history", "What was measured, and how a contender came to be what it is."),
    "crosscheck": ("measuring", "Do load tools say of a server what our engine says?"),
    "draws": ("measuring", "What makes two runs of the same server differ?"),
    "simulate": (
        "simulate",
        "Race servers that don't exist: how sure is a verdict, and how long must a race be?",
    ),
    "contenders": (
        "contenders",
        "List the catalogue, with what is missing on this machine; or audit contenders.",
    ),
    "setup": ("setup", "Install what contenders need, where we may, and build them."),
    "cluster": (
        "cluster",
        "Race on several machines: servers on one, the generator on another, by Ray.",
    ),
    "doctor": (
        "contenders",
        "Say what stands in the way of a good measurement here, and what to install.",
    ),
}
"""Name → the module of `bakeoff.cli` that has it, and the first line of its help."""


EPILOG = "Exit status: " + "; ".join(f"{int(n)} {text}" for n, text in STATUSES.items()) + "."


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
        named = {name: _NamedCommand(name, help=line) for name, (_, line) in COMMANDS.items()}
        self.commands = {**named, **self.commands}

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
