"""contender.toml: how a server is built and started, and its workloads."""

import re
import shlex
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PositiveFloat, model_validator

from bakeoff.model.base import Contract
from bakeoff.model.protocol import Protocol
from bakeoff.model.workload import Workload

PLACEHOLDERS = frozenset(
    {"port", "host", "workers", "out", "here", "cpus", "protocol", "cert", "key"}
)
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_SHELL_BUILTINS = frozenset(
    {"cd", "exec", "export", "eval", "source", ".", "set", "trap", "ulimit", "umask", "unset"}
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SINGLE_QUOTED = re.compile(r"'[^']*'")
_SHELL_SYNTAX = re.compile(r"\$[A-Za-z_({]|`|\n|(?:^|\s)~/")
"""Characters that double quotes don't protect."""


def _placeholders_known(text: str) -> str:
    for name in _PLACEHOLDER.findall(text):
        if name not in PLACEHOLDERS:
            known = ", ".join(f"{{{each}}}" for each in sorted(PLACEHOLDERS))
            raise ValueError(f"has {{{name}}}, which is not a placeholder; there are {known}")
    return text


def _splits_into_words(text: str) -> str:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"can't be split into words ({error}): {text}") from None
    if not words:
        raise ValueError("is empty; it takes a program and its arguments")
    return text


Filled = Annotated[str, AfterValidator(_placeholders_known)]
Command = Annotated[Filled, AfterValidator(_splits_into_words)]
"""A command as typed in a shell: split as a shell splits words, but run without a shell."""

Commands = Annotated[
    tuple[Command, ...],
    BeforeValidator(lambda given: (given,) if isinstance(given, str) else given),
]
"""One command, or a list of them that run in order."""


def fill(text: str, values: dict[str, str]) -> str:
    """`text` with each {placeholder} replaced by its value; other braces stay as they are."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def argument_list(command: str, values: dict[str, str], *, shell: bool = False) -> list[str]:
    """The argument list of `command`: split first, then filled, so a value's spaces stay inside.

    `shell`: the argument list is that of the shell that runs it.
    """
    if shell:
        return ["/bin/sh", "-c", _filled_for_sh(command, values)]
    return [fill(word, values) for word in shlex.split(command)]


def _filled_for_sh(script: str, values: dict[str, str]) -> str:
    """`script` with each placeholder's value quoted for its place, within quotes or not."""
    within = ""

    def filled(match: re.Match[str]) -> str:
        nonlocal within
        found, value = match[0], values.get(match[1] or "")
        # Within single quotes a backslash protects nothing.
        if found in ("'", '"') or (found, within) == ("\\'", "'"):
            within = "" if within == found[-1] else within or found
        if value is None:
            return found
        if within == "'":
            return value.replace("'", "'\\''")
        return re.sub(r'([\\"$`])', r"\\\1", value) if within else shlex.quote(value)

    return re.sub(rf"""{_PLACEHOLDER.pattern}|\\[\\'"]|['"]""", filled, script)


def needs_shell(command: str) -> bool:
    """Whether `command` has shell syntax.

    That is an operator, a substitution, a variable or a pattern outside of quotes, an assignment
    before the program, or a program that is built into the shell.
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    tokens = list(words)
    if any(token and not token.strip(words.punctuation_chars) for token in tokens):
        return True
    first = tokens[0] if tokens else ""
    if first in _SHELL_BUILTINS or _ASSIGNMENT.match(first):
        return True
    return _SHELL_SYNTAX.search(_SINGLE_QUOTED.sub("", command)) is not None


class Requirement(Contract):
    """A tool that is needed to build or run the server: `[requires.NAME]`."""

    check: Command
    """A command that succeeds if the tool is installed; its output is kept."""
    apt: tuple[str, ...] = ()
    """The Debian packages that contain it."""


class BuildSection(Contract):
    """How the contender is built, in its folder: `[build]`."""

    command: Commands
    """One command, or a list of them that run in order, without a shell."""
    env: dict[str, Filled] = {}
    """Environment variables of the commands."""
    sources: tuple[str, ...] = ()
    """Files and folders outside of the contender's folder that the build reads, relative to it.
    When one of them changes, the contender is built again."""


class RunSection(Contract):
    """How the contender is started, in its folder: `[run]`."""

    command: Command
    """The command that starts the server, which listens on 127.0.0.1 at `{port}`."""
    shell: bool = False
    """Whether sh runs the command; its placeholders are quoted for it, within quotes, too."""
    env: dict[str, Filled] = {}
    """Environment variables of the server."""
    ready_timeout_s: PositiveFloat = 60.0
    """Seconds from its start within which the server answers its first request."""


class VersionSection(Contract):
    """The version that is raced: `[version]`."""

    command: Command
    """A command that prints the version."""


class Contender(Contract):
    """A server: what it needs, how it is built and started, what it serves."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    """The folder's name, by which the contender is raced."""
    title: str
    """The name as people write it."""
    language: str
    """Its programming language."""
    kind: Literal["library", "framework", "server", "reference"]
    """Its kind."""
    homepage: str = ""
    """Its page on the web."""
    note: str = ""
    """A note for readers of a result."""
    pipelines: bool = False
    """Whether it answers requests that were sent ahead of its answers, all of them and in order."""
    protocols: Annotated[tuple[Protocol, ...], Field(min_length=1)] = ("h1",)
    """Its protocols; PROTOCOL in its environment selects one."""
    requires: dict[str, Requirement] = {}
    """The tools that it needs."""
    build: BuildSection | None = None
    """How it is built; without it, nothing is built."""
    run: RunSection
    """How it is started."""
    version: VersionSection | None = None
    """How its version is found."""
    serves: dict[str, Annotated[str, Field(pattern=r"^/")]]
    """The workloads that it answers, each with the path: `hello = "/"`."""

    @model_validator(mode="after")
    def _serves_something(self) -> Self:
        if not self.serves:
            raise ValueError('[serves] names no workload; it takes one at least: hello = "/"')
        return self

    def path_for(self, workload: Workload) -> str:
        """The path of a workload's first request; empty: it doesn't serve the workload. It serves a
        mix if it serves the workload of each request's name at the request's path."""
        if not workload.is_mix:
            return self.serves.get(workload.name, "")
        parts = ((name, request.path) for name, request in workload.by_name.items())
        whole = all(self.serves.get(name) == path for name, path in parts)
        return workload.first.path if whole else ""
