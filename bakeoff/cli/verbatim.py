"""Commands whose words the engine reads itself."""

import os
import subprocess
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand

from bakeoff.cli.help import Commands
from bakeoff.cli.output import out, say
from bakeoff.installation import engine_path

PERSONALITIES = {
    "ab": "Stand in for ApacheBench: its flags and output, our engine.",
    "wrk": "Stand in for wrk, its Lua scripts included.",
    "wrk2": "Stand in for wrk2: wrk at a constant rate.",
    "webbench": "Stand in for webbench.",
}
"""The programs that the engine stands in for, and what our help says of them."""
EXAMPLES = {
    "ab": "-n 10000 -c 64 -k http://127.0.0.1:8080/",
    "wrk": "-t2 -c64 -d10s http://127.0.0.1:8080/",
    "wrk2": "-t2 -c64 -d10s -R2000 http://127.0.0.1:8080/",
    "webbench": "-c 64 -t 10 http://127.0.0.1:8080/",
}
LOAD = "Load one URL with the engine."


class _Verbatim(TyperCommand):
    """Passes all arguments on as they are, `--` and `--help` included."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.args = list(args)
        return []


def add_verbatim(app: Commands, name: str, help_line: str) -> None:
    def become(context: typer.Context) -> None:
        engine = str(engine_path())
        if name in PERSONALITIES and context.args in (["--help"], ["-h"]):
            say("\n".join(_help(engine, name)), out)
            return
        # Its help and messages are of `bakeoff load`, too.
        os.execv(engine, ["bakeoff", name, *context.args])

    app.command(name, cls=_Verbatim, help=help_line, rich_help_panel="Load")(become)


def _help(engine: str, name: str) -> Iterator[str]:
    """Our help; what the program itself says to a wrong flag is its usage."""
    argv = [engine, name, *(["-h"] if name in ("ab", "webbench") else ["--help"])]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    _, *options = (ended.stdout or ended.stderr).strip().splitlines()
    yield from (f"Usage: bakeoff {name} [OPTIONS] URL", "", PERSONALITIES[name], "")
    yield f"  bakeoff {name} {EXAMPLES[name]}"
    yield f"  bakeoff setup --links DIR       make links, so that `{name}` itself is the engine"
    yield from ("", *options, "")
    yield f"Status and messages are {name}'s own; docs/personalities.md has what differs."
