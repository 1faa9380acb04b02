"""Commands whose words the engine reads itself."""

import os
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

PERSONALITIES = {
    "ab": "Stand in for ApacheBench: its flags and output, our engine.",
    "wrk": "Stand in for wrk, its Lua scripts included.",
    "wrk2": "Stand in for wrk2: wrk at a constant rate.",
    "webbench": "Stand in for webbench.",
}
"""The programs that the engine stands in for, and what our help says of them."""
LOAD = "Load one URL with the engine. `bakeoff load --help` shows its options."


class _Verbatim(TyperCommand):
    """Passes all arguments on as they are, `--` and `--help` included."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.args = list(args)
        return []


def add_verbatim(app: typer.Typer, name: str, help_line: str) -> None:
    """Add a command that becomes the engine's command `name`."""

    def become(context: typer.Context) -> None:
        from bakeoff.load import engine_path

        engine = engine_path()
        os.execv(engine, [Path(engine).name, name, *context.args])

    app.command(name, cls=_Verbatim, help=help_line, rich_help_panel="Load")(become)
