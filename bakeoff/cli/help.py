"""The help of commands: one screen for -h, all for --help, in our form and of any width."""

import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import typer
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from bakeoff.cli.output import out
from bakeoff.model.errors import STATUSES, BadUsage, near, nearest, plain_fault

SETTINGS = {"help_option_names": ["-h", "--help"]}
BRIEF = (
    *("slo", "connections", "duration", "budget", "per_contender", "time_limit", "per_run"),
    *("base", "head", "contender", "effect", "power", "tools", "rounds", "everything"),
    *("within", "gates", "workload", "request", "rate", "protocol", "json"),
)
"""Options that matter: of a command with many, -h shows the first ten of these."""
BRIEF_OPTIONS, BRIEF_EXAMPLES = 10, 6
MEASURES = ("race", "why", "ci", "capacity", "day", "draws", "replay", "crosscheck", "resume")
ENVIRONMENT: dict[str, tuple[str, tuple[str, ...]]] = {
    "BAKEOFF_HISTORY": (
        "Keep the history in this database (postgresql://…); empty: keep none. (default: "
        "$XDG_DATA_HOME/bakeoff/history.sqlite)",
        (*MEASURES, "history", "explore", "simulate"),
    ),
    "XDG_CACHE_HOME": (
        "Build an installed catalogue, and what `bakeoff ci` checks out, in bakeoff/ there.",
        (*MEASURES, "setup", "contenders", "doctor"),
    ),
    "XDG_STATE_HOME": (
        "List in bakeoff/ there what runs now, so that it can be ended whatever happens.",
        MEASURES,
    ),
    "GITHUB_STEP_SUMMARY": ("Append the verdict to this file. (default: --summary)", ("ci",)),
    "GITHUB_BASE_REF": ("Compare with this branch, if bakeoff.toml names none.", ("ci",)),
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": ("The same, in GitLab.", ("ci",)),
    "NO_COLOR": ("Print without colours, if it is set.", ()),
}
"""Name → what it does, and the commands that heed it; none: all."""
WIDTH_MAX, NARROW, COLUMN, COLUMN_COMMANDS = 100, 64, 30, 14


_BRIEFLY = "bakeoff.briefly"
Function = TypeVar("Function", bound=Callable[..., Any])


class Command(TyperCommand):
    """A command with our help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[_BRIEFLY] = "--help" not in args
        return super().parse_args(ctx, args)

    def get_help(self, ctx: Any) -> str:
        return page(self, ctx)


class Group(TyperGroup):
    """Several commands with our help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = args or (["-h"] if self.no_args_is_help else [])
        ctx.meta[_BRIEFLY] = "--help" not in words
        for option in self.get_params(ctx):
            if getattr(option, "is_flag", False) and option.default is None:
                option.default = False  # Else typer imports pydantic to make a flag of nothing.
        return super().parse_args(ctx, words)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands:
            path = ctx.command_path.removeprefix("bakeoff").strip()
            hint = nearest(args[0], self.commands, "there are")
            raise BadUsage(f"{path}{': ' if path else ''}unknown command {args[0]}{hint}")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: Any) -> str:
        return page(self, ctx)


class Commands(typer.Typer):
    """Commands of a command."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            **{"cls": Group, "context_settings": SETTINGS, "add_completion": False, **settings}
        )

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Function], Function]:
        return super().command(name, **{"cls": Command, **settings})


def heads(command: Any) -> Iterator[tuple[Any, str, str]]:
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            yield parameter, head(parameter), parameter.help or ""
    yield None, "-h, --help", "Show one screen of help, or all of it."


def head(parameter: Any) -> str:
    """`-c, --connections NUMBER,…`: of several names the first letter and the first word."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    words = [name for name in parameter.opts if name.startswith("--")][:1]
    letters = [name for name in parameter.opts[:1] if not name.startswith("--")]
    names = ", ".join([*letters, *words, *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {parameter.metavar}"


def usage(command: Any, path: str) -> str:
    """`bakeoff race [OPTIONS] [CONTENDER]...`"""
    pieces = [path]
    if isinstance(command, TyperGroup):
        return f"{path} {command.subcommand_metavar}"
    if any(each.param_type_name == "option" for each in command.params):
        pieces.append("[OPTIONS]")
    for operand in command.params:
        if operand.param_type_name == "argument":
            name = str(operand.metavar).strip("[].…")
            many = "..." if operand.nargs == -1 else ""
            if not path.endswith(f" {name}"):
                pieces.append(f"{name}{many}" if operand.required else f"[{name}]{many}")
    return " ".join(pieces)


def page(command: Any, context: Any) -> str:
    brief, is_group = context.meta.get(_BRIEFLY, False), isinstance(command, TyperGroup)
    path, width = context.command_path, min(shutil.get_terminal_size().columns, WIDTH_MAX)
    text = Text(f"Usage: {usage(command, path)}\n")
    for line in _about(command.help or "", path, width, brief=brief):
        text.append(f"{line}\n")
    dense = brief and is_group
    text.append("\n" if dense else "")
    for heading, rows in _sections(command, path, brief=brief):
        text.append("" if dense else "\n")
        text.append(f"{heading}:\n", style="bold")
        text.append(_rows(rows, width, COLUMN_COMMANDS if is_group else COLUMN))
    if dense:
        text.append(f"{path} COMMAND -h has one screen of help, --help all of it.\n")
    elif brief:
        text.append(f"\n{path} --help has all options, variables and exit statuses.\n")
    with out.capture() as captured:
        out.print(text, soft_wrap=True, end="")
    # typer prints past the stream's own handling of signs that its encoding lacks.
    encoding, errors = sys.stdout.encoding or "utf-8", sys.stdout.errors or "strict"
    return captured.get().rstrip("\n").encode(encoding, errors).decode(encoding)


def _about(help_: str, path: str, width: int, *, brief: bool) -> Iterator[str]:
    """The paragraphs; examples stay lines, and are cut to a few for one screen."""
    for n, paragraph in enumerate(re.split(r"\n\s*\n", textwrap.dedent(help_).strip())):
        lines = [line.strip() for line in paragraph.splitlines()]
        if examples := lines[0].startswith(path.split(" ")[0] + " "):
            lines = lines[:BRIEF_EXAMPLES] if brief else lines
        else:
            lines = textwrap.wrap(" ".join(lines), width)
        if examples or n == 0 or not brief:
            yield ""
            yield from (f"  {line}" if examples else line for line in lines)


def _sections(
    command: Any, path: str, *, brief: bool
) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
    if isinstance(command, TyperGroup):
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, each in command.commands.items():
            if not each.hidden:
                panel = getattr(each, "rich_help_panel", None)
                line = (each.help or "").strip().partition("\n")[0]
                panels.setdefault(panel or "Commands", []).append((name, line))
        yield from panels.items()
        if brief:
            return
    every = list(heads(command))
    operands = [each for each in every if getattr(each[0], "param_type_name", "") == "argument"]
    options = [each for each in every if each not in operands]
    if brief and len(options) > BRIEF_OPTIONS + 1:
        named = {getattr(each[0], "name", ""): each for each in options}
        matter = [named[name] for name in BRIEF if name in named][:BRIEF_OPTIONS]
        options = [*matter, options[-1]]
    if operands:
        said = _clause if brief else str
        yield "Operands", [(head, said(text)) for _, head, text in operands]
    if brief:
        yield "Options", [(head, _clause(text)) for _, head, text in options]
        return
    by_panel: dict[str, list[tuple[str, str]]] = {}
    for parameter, head, text in options:
        panel = getattr(parameter, "rich_help_panel", None) or "Options"
        by_panel.setdefault(panel, []).append((head, text))
    yield from by_panel.items()
    yield "Environment", list(environment(path))
    yield "Exit status", list(statuses())


def statuses() -> Iterator[tuple[str, str]]:
    for status, text in STATUSES.items():
        yield str(int(status)), f"{text[:1].upper()}{text[1:]}."


def environment(path: str) -> Iterator[tuple[str, str]]:
    """The variables that a command heeds; of `bakeoff` itself all."""
    _, _, name = path.partition(" ")
    for variable, (text, commands) in ENVIRONMENT.items():
        if not (name and commands) or name.split(" ")[0] in commands:
            yield variable, text


def _clause(text: str) -> str:
    """What it does in a line, and its default where that is short."""
    what = re.split(r"[;:.,]? \(|[;:] |\. ", text)[0].rstrip(".")
    usual = re.search(r"\(default: ([^;,)]*)[;,)]", text)
    brief = f"{what}. (default: {usual[1]})" if usual else f"{what}."
    return brief if len(brief) <= WIDTH_MAX - COLUMN else f"{what}."


def _rows(rows: Sequence[tuple[str, str]], width: int, column: int) -> str:
    """Names on the left and texts beside them; below them where they are long or all is narrow."""
    lines = []
    column = column if width >= NARROW else 6
    for head, text in rows:
        beside = len(head) + 4 <= column
        wrapped = textwrap.wrap(text, width - column) or [""]
        first = wrapped.pop(0) if beside else ""
        lines.append(f"  {head:{column - 2}}{first}".rstrip())
        lines += [f"{'':{column}}{line}" for line in wrapped]
    return "".join(f"{line}\n" for line in lines)


def fault(error: Any) -> str:
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
        known = [
            option
            for declared in command.params
            for option in (*declared.opts, *declared.secondary_opts)
            if option.startswith("--")
        ]
        meant = near(typed, [*known, "--help"]) or f"{path} --help lists its options"
        return f"{name}: unknown option {typed}; {meant}"
    if parameter is None:
        words = error.message.partition("(s) (")[2].rstrip(")")
        return f"{name}: {words} is too much; {usual}" if words else f"{name}: {error.message}"
    if error.__cause__ is None:
        return f"{name}: {head(parameter)} is missing; {usual}"
    long = next((each for each in parameter.opts if each.startswith("--")), parameter.metavar)
    return f"{long}: {plain_fault(error.__cause__.errors()[0])}"
