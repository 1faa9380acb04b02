"""The files that `bakeoff init` writes: contender.toml and bakeoff.toml."""

import json
import re
import shlex

from bakeoff.plan.ci import DURATION_S, USUAL_GATE
from bakeoff.plan.hints import Start

_APT = {
    "node": ("nodejs", "npm"),
    "go": ("golang-go",),
    "cargo": ("cargo",),
    "python3": ("python3", "python3-venv"),
}
"""Tool → the Debian packages that contain it."""
_TERMS = """\
# The settings that are the same for all (catalogue/contenders/README.md), and how it comes to each:
#   access log      off
#   keep-alive      300 s, for the first request as for the next; requests per connection are
#                   unlimited
#   backlog         4096
#   TCP_NODELAY     on
#   workers         {workers} processes or threads
"""
_SERVES = {"hello": "/", "empty": "/empty", "json": "/fillbuffer"}
"""The workloads that each contender of the catalogue serves at least."""


def contender_toml(name: str, start: Start) -> str:
    """contender.toml of a server that is started so. `name` is its folder's."""
    lines = [*_head(name, start), ""]
    for tool, check in start.tools:
        lines += [f"[requires.{tool}]", f"check = {_quoted(check)}", ""]
    lines += [
        *_build_and_run(start),
        "[serves]",
        'get = "/"  # the path that is asked for; any answer will do',
    ]
    return "\n".join(lines) + "\n"


def catalogue_toml(name: str, start: Start) -> str:
    lines = [
        *_head(name, start),
        'homepage = ""',
        'note = ""  # what readers of a result should know of it',
        "pipelines = false  # true: it answers requests that were sent ahead of its answers",
        'protocols = ["h1"]  # what PROTOCOL may ask for: h1, h1-tls, h2c, h2, h3',
        "",
        _TERMS,
    ]
    for tool, check in start.tools:
        apt = ", ".join(map(_quoted, _APT[tool]))
        lines += [f"[requires.{tool}]", f"check = {_quoted(check)}", f"apt = [{apt}]", ""]
    lines += [
        *_build_and_run(start),
        "[version]  # it prints the server's version, here a guess",
        f"command = {_quoted(_version(start))}",
        "",
        "[serves]  # workload = path, as catalogue/contenders/README.md has them",
        *(f"{workload} = {_quoted(path)}" for workload, path in _SERVES.items()),
    ]
    return "\n".join(lines) + "\n"


def _head(name: str, start: Start) -> list[str]:
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "server"
    return [
        f"name = {_quoted(plain)}",
        f"title = {_quoted(name)}",
        f"language = {_quoted(start.language)}",
        'kind = "server"',
    ]


def _build_and_run(start: Start) -> list[str]:
    lines = []
    if start.build:
        commands = ", ".join(map(_quoted, start.build))
        lines += ["[build]  # run in this folder, without a shell; {out} is a folder for results"]
        lines += [f"command = [{commands}]", ""]
    return [
        *lines,
        "[run]  # {port}, {host} and {workers} are filled in; PORT and HOST are in the environment",
        f"command = {_quoted(start.command)}",
        "",
    ]


def _version(start: Start) -> str:
    """The command of a tool that it needs, else what most programs take."""
    for _, check in start.tools:
        return check
    return f"{shlex.split(start.command)[0]} --version"


def bakeoff_toml() -> str:
    return "\n".join(
        [
            "# What `bakeoff ci` races: this server at two revisions.",
            'contender = "."',
            "# The share that a change may cost. Several gates may be given.",
            f"gates = [{_quoted(USUAL_GATE)}]",
            f'duration = "{DURATION_S / 60:g}m"  # at most; the race ends once gates are decided',
            '# base = "main"  # the branch that a change is held against, if not the usual one',
            "",
        ]
    )


def _quoted(text: str) -> str:
    """A string of TOML, which has JSON's escapes."""
    return json.dumps(text, ensure_ascii=False)
