"""The two files that `bakeoff init` writes: contender.toml and bakeoff.toml."""

import json
import re

from bakeoff.plan.ci import DURATION_S, USUAL_GATE
from bakeoff.plan.hints import Start


def contender_toml(name: str, start: Start) -> str:
    """contender.toml of a server that is started so. `name` is its folder's."""
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "server"
    lines = [
        f"name = {_quoted(plain)}",
        f"title = {_quoted(name)}",
        f"language = {_quoted(start.language)}",
        'kind = "server"',
        "",
    ]
    for tool, check in start.tools:
        lines += [f"[requires.{tool}]", f"check = {_quoted(check)}", ""]
    if start.build:
        commands = ", ".join(map(_quoted, start.build))
        lines += ["[build]  # run in this folder, without a shell; {out} is a folder for results"]
        lines += [f"command = [{commands}]", ""]
    lines += [
        "[run]  # {port}, {host} and {workers} are filled in; PORT and HOST are in the environment",
        f"command = {_quoted(start.command)}",
        "",
        "[serves]",
        'get = "/"  # the path that is asked for; any answer will do',
    ]
    return "\n".join(lines) + "\n"


def bakeoff_toml() -> str:
    """bakeoff.toml beside a contender.toml."""
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
