"""The manual page, from the same commands and options as --help.

python -m bakeoff.cli.manual FILE
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperGroup

from bakeoff import __version__
from bakeoff.cli.app import app
from bakeoff.cli.help import ENVIRONMENT, heads, statuses, usage

FILES = {
    "./runs/": "A folder for each run; runs/latest points to the newest.",
    "$XDG_CACHE_HOME/bakeoff/": "What was built of an installed catalogue. It can be removed.",
}


def manual() -> str:
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group, info_name="bakeoff")
    yield f'.TH BAKEOFF 1 "" "bakeoff {__version__}" "User Commands"'
    about = (group.help or "").rstrip(".")
    yield from (".SH NAME", f"bakeoff \\- {_escaped(about[:1].lower() + about[1:])}")
    yield from (".SH SYNOPSIS", ".B bakeoff", "COMMAND [OPTIONS] [OPERANDS]", ".SH COMMANDS")
    yield from _commands(group, context)
    variables = {name: text for name, (text, _) in ENVIRONMENT.items()}
    yield from (".SH EXIT STATUS", *_entries(dict(statuses())))
    yield from (".SH ENVIRONMENT", *_entries(variables), ".SH FILES", *_entries(FILES))


def _commands(group: TyperGroup, context: typer.Context) -> Iterator[str]:
    for name in group.commands:
        _, command, _ = group.resolve_command(context, [name])
        assert command
        inner = typer.Context(command, info_name=name, parent=context)
        yield from (
            f".SS {_escaped(usage(command, inner.command_path))}",
            *_prose(command.help or ""),
        )
        yield from _entries({head: text for _, head, text in heads(command)})
        if isinstance(command, TyperGroup):
            yield from _commands(command, inner)


def _prose(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        yield ".PP"
        commands = paragraph.lstrip().startswith("bakeoff ")
        yield from (
            (".nf", *map(_escaped, paragraph.splitlines()), ".fi")
            if commands
            else (_escaped(" ".join(paragraph.split())),)
        )


def _entries(entries: dict[str, str]) -> Iterator[str]:
    for head, text in entries.items():
        yield from (".TP", f".B {_escaped(head)}", _escaped(text))


def _escaped(text: str) -> str:
    """Text without meaning for roff: a hyphen is one that can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(manual(), encoding="utf-8")
