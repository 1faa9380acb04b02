"""Reference pages: of the schemas, of every command's --help, and of the notebook."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.cli.verbatim import PERSONALITIES
from bakeoff.schemas import schemas

Schema = Mapping[str, Any]
COLUMNS = 100
"""Of a help text: the engine wraps its own there."""
FILES = {
    "contender": "contender.toml",
    "project": "bakeoff.toml",
    "workload": "Workload files",
}
"""Name of a schema → title of its page."""


def _commands() -> dict[str, tuple[str, TyperCommand]]:
    """Every command with its heading, in the order of the help."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group, info_name="bakeoff")
    return {
        name: (named.rich_help_panel, group.resolve_command(context, [name])[1])
        for name, named in group.commands.items()
        if not named.hidden
    }


def of_files() -> dict[str, str]:
    """Name of a schema → its page."""
    every = schemas()
    options = {each.name: getattr(each, "help", "") or "" for each in _commands()["ci"][1].params}
    return {
        name: of_schema(
            title, json.loads(every[f"{name}.schema.json"]), options if name == "project" else {}
        )
        for name, title in FILES.items()
    }


def of_schema(title: str, schema: Schema, meanings: Mapping[str, str]) -> str:
    """A file's keys, table by table; `meanings` are those of keys that have none in the schema."""
    parts = [f"# {title}\n\n{schema['description']}\n\n{_keys(schema, meanings)}"]
    parts += [
        f"## {_called(name)}\n\n{section['description']}\n\n{_keys(section, meanings)}"
        for name, section in schema.get("$defs", {}).items()
        if "properties" in section
    ]
    return "\n\n".join(parts) + "\n"


def _called(section: str) -> str:
    """A table of the file, in a heading and its anchor."""
    return section.removesuffix("Section").lower()


def _keys(section: Schema, meanings: Mapping[str, str]) -> str:
    rows = ["| key | takes | default | meaning |", "|---|---|---|---|"]
    for key, value in section["properties"].items():
        default = "required" if key in section.get("required", ()) else _default(value)
        meaning = value.get("description") or meanings.get(key, "")
        cells = (f"`{key}`", takes(value), default, " ".join(meaning.split()))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _default(value: Schema) -> str:
    default = value.get("default")
    says_something = default not in (None, "", []) and not isinstance(default, dict)
    return f"`{json.dumps(default)}`" if says_something else ""


def takes(value: Schema) -> str:
    """What a key takes, in words."""
    match value:
        case {"$ref": ref}:
            name = ref.rpartition("/")[2]
            return "any JSON" if name == "JsonValue" else f"[{_called(name)}](#{_called(name)})"
        case {"anyOf": kinds}:
            return " or ".join(takes(kind) for kind in kinds if kind != {"type": "null"})
        case {"enum": choices}:
            return " or ".join(f"`{choice}`" for choice in choices)
        case {"prefixItems": items}:
            return f"a list of {len(items)}: {takes(items[0])}"
        case {"type": "array"}:
            return f"a list: {takes(value['items'])}"
        case {"additionalProperties": items} if items:
            return f"a table of names, each with {takes(items)}"
        case {"patternProperties": items}:
            return f"a table of names, each with {takes(next(iter(items.values())))}"
        case {"type": "string"}:
            return f"text like `{value['pattern']}`" if "pattern" in value else "text"
        case {"type": "boolean"}:
            return "`true` or `false`"
        case {"type": "integer" | "number" as kind}:
            low = value.get("minimum", value.get("exclusiveMinimum"))
            bounds = [
                f"{'above' if 'exclusiveMinimum' in value else 'from'} {low}"
                if low is not None
                else "",
                f"to {value['maximum']}" if "maximum" in value else "",
            ]
            what = "a whole number" if kind == "integer" else "a number"
            return " ".join([what, *filter(None, bounds)])
    raise ValueError(f"no words for {value}")


def of_commands() -> dict[str, str]:
    """Name of a page → the page: a command with what its --help prints; `commands` has all."""
    pages = {"commands": f"# The commands\n\n{_fenced(help_of([]))}"}
    for panel, commands in groupby(_commands().items(), lambda item: item[1][0]):
        names = []
        for name, (_, command) in commands:
            names.append(name)
            inner = command.commands if isinstance(command, TyperGroup) else {}
            each = [[name], *([name, word] for word in inner if not inner[word].hidden)]
            pages[f"commands/{name}"] = "\n\n".join(
                f"{'#' * min(len(words), 2)} bakeoff {' '.join(words)}\n\n{_fenced(help_of(words))}"
                for words in each
            )
        entries = [f"{name} <commands/{name}>" for name in names]
        pages["commands"] += f"\n\n## {panel}\n\n{toctree(entries)}"
    return pages


def _fenced(text: str) -> str:
    return f"```text\n{text}\n```"


def help_of(words: list[str]) -> str:
    """What `bakeoff WORDS --help` prints in a terminal of COLUMNS, without colour."""
    env = {"COLUMNS": str(COLUMNS), "NO_COLOR": "1", "TERM": "dumb"}
    if words and words[0] in ("load", *PERSONALITIES):
        # They become the engine.
        command = [sys.executable, "-m", "bakeoff", *words, "--help"]
        done = subprocess.run(
            command, env=os.environ | env, capture_output=True, text=True, check=False
        )
        printed = done.stdout or done.stderr
    else:
        printed = CliRunner().invoke(app, [*words, "--help"], env=env).stdout
    return "\n".join(map(str.rstrip, printed.splitlines())).strip("\n")


def toctree(entries: Iterable[str], caption: str = "") -> str:
    """Sphinx's list of the pages below a page; with a caption, for the navigation alone."""
    options = f":hidden:\n:caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n{options}\n{chr(10).join(entries)}\n```"


def of_notebook(path: Path) -> str:
    """A notebook as Markdown: its text, and its code."""
    cells = json.loads(path.read_text())["cells"]
    return "\n\n".join(
        source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
        for cell in cells
        for source in ["".join(cell["source"])]
    )
