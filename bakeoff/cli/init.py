"""`bakeoff init`: describe one's own server, as far as its files say how it is started."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bakeoff.cli.output import out, say, write_files
from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadUsage
from bakeoff.plan import CONTENDER_FILE, PROJECT_FILE
from bakeoff.plan.hints import Hint, look, without_shell
from bakeoff.plan.templates import bakeoff_toml, catalogue_toml, contender_toml

LOOKED_FOR = (
    "Procfile, package.json, Dockerfile, pyproject.toml, requirements.txt, go.mod, Cargo.toml"
)


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The server's folder.")] = Path(),
    command: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Start the server with this command. (default: the one in the server's files)",
        ),
    ] = None,
    catalogue: Annotated[
        bool,
        typer.Option(
            "--catalogue",
            help="Write contender.toml alone, with all that bakeoff's own catalogue wants of it.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")] = False,
) -> None:
    """Describe your own server, for `bakeoff race` and `bakeoff ci`.

    It writes contender.toml and bakeoff.toml. How the server is built and started
    is taken from its Procfile, package.json, Dockerfile, pyproject.toml, go.mod
    or Cargo.toml. It prints where each line was found, and which are guesses.

    bakeoff init
    bakeoff init ./server --command 'node app.js'
    bakeoff init --catalogue catalogue/contenders/my-server
    """
    if not folder.is_dir():
        raise BadUsage(f"{folder}: there is no such folder")
    start = look(folder)
    if command:
        hint = Hint(f"starts with `{command}`", "--command")
        start = replace(start, command=without_shell(command), hints=(*start.hints, hint))
    if not start.command:
        raise BadUsage(
            f"{folder}: nothing says how the server is started; looked for {LOOKED_FOR}. "
            "Give the command: bakeoff init --command 'node app.js'"
        )
    write = catalogue_toml if catalogue else contender_toml
    files = {folder / CONTENDER_FILE: write(folder.resolve().name, start).encode()}
    if not catalogue:
        files[folder / PROJECT_FILE] = bakeoff_toml().encode()
    write_files(files, force)
    # Our files keep the contract, whatever the project's files had in them.
    Contender.read_toml(folder / CONTENDER_FILE)
    for file in files:
        say(f"wrote {file}", out)
    for hint in start.hints:
        say(f"  {'guessed' if hint.guessed else 'found'}: {hint.text} ({hint.file})", out)
    say(f"  built with: {'; '.join(start.build) or 'nothing to build'}", out)
    say(f"  started with: {start.command}", out)
    where = shlex.quote(str(folder))
    if catalogue:
        say("  guessed: it answers hello, empty and json; its version is that of its tool", out)
        say(f"\nFill in the rest, and check it:  bakeoff contenders --audit {where}", out)
        return
    say("  guessed: requests are for / (change [serves] for another path)", out)
    say(f"\nCheck it:  bakeoff race {where}", out)
    say("Then commit both files, keep .out/ and runs/ out of git, and run:  bakeoff ci", out)
