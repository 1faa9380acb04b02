"""What is wrong with the words of a command line, in our form: typer's errors, said as ours."""

import difflib
from typing import Any

from bakeoff.cli.help import head, usage
from bakeoff.model.errors import plain_fault


def fault(error: Any) -> str:
    """One sentence: what is wrong, where, and what would be right."""
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    typed = getattr(error, "option_name", "")
    if context is None and typed:
        takes = "it takes a value" if "requires" in error.message else "it takes no value"
        return f"{typed}: {takes}; `-h` after the command shows its options"
    if context is None:
        return str(error.message)
    command, path = context.command, context.command_path
    name = path.removeprefix("bakeoff ")
    usual = f"usage: {usage(command, path)}"
    if hasattr(error, "possibilities") and name == "bakeoff":
        return f"unknown option {typed} before a command; a command's options follow its name"
    if hasattr(error, "possibilities"):
        return f"{name}: unknown option {typed}; {_nearest(typed, command, path)}"
    if parameter is None:
        words = error.message.partition("(s) (")[2].rstrip(")")
        return f"{name}: {words} is too much; {usual}" if words else f"{name}: {error.message}"
    if error.__cause__ is None:
        return f"{name}: {head(parameter)} is missing; {usual}"
    long = next((each for each in parameter.opts if each.startswith("--")), parameter.metavar)
    return f"{long}: {plain_fault(error.__cause__.errors()[0])}"


def _nearest(typed: str, command: Any, path: str) -> str:
    known = [
        name
        for each in command.params
        for name in (*each.opts, *each.secondary_opts)
        if name.startswith("--")
    ]
    near = difflib.get_close_matches(typed, [*known, "--help"], n=2, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else f"{path} --help lists its options"
