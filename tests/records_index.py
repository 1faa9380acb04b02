"""Write records/README.md, the index of the records, anew: python -m tests.records_index."""

import json
import re
import shlex
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from textwrap import shorten
from typing import Any

ROOT = Path(__file__).parents[1]
INDEX = ROOT / "records" / "README.md"
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("engine/*.md"),
    *ROOT.glob("brick/**/*.md"),
    *ROOT.glob("catalogue/*/*.md"),
]
HEAD = """\
# Records

Written by `python -m tests.records_index` (`make schemas` calls it, too): don't edit it.

A record is the result of one measurement: JSON, or a run's folder. It is never edited, and never
renamed, for documents name it. A new one is called `<UTC time>-<question>.json`, as in
`2026-11-26T15-10-18Z-default-race.json`; the targets of the Makefile that measure name theirs so.

The newest is first. "–" stands where a record does not say.

| record | date, UTC | question | command | machine | documents that name it |
|---|---|---|---|---|---|
"""
NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d)-(\d\d)(?:-\d\dZ)?)?-(.+)")
NAMED = re.compile(r"(?:(?<=records/)\*|\b20\d\d-\d\d-\d\d)[\w*-]+")
"""How documents name records: several at once by `*`, with `.json` behind it or not."""
TYPED = re.compile(r"(?<=[:.] )(?:python -m|bakeoff) [^;]+$")
"""The command at the end of what a record says of itself."""
QUESTION_MAX = 120


def page() -> str:
    paths = sorted((path for path in INDEX.parent.iterdir() if path != INDEX), reverse=True)
    named = {document: set(NAMED.findall(document.read_text())) for document in sorted(DOCUMENTS)}
    return HEAD + "".join(f"| {' | '.join(row(path, named))} |\n" for path in paths)


def row(path: Path, named: dict[Path, set[str]]) -> Iterator[str]:
    """The cells of one record. `named`: what each document names, with `*` in it or not."""
    found = NAME.fullmatch(path.stem)
    assert found, f"{path.name} is not named <UTC time>-<question>.json"
    date, hour, minute, words = found.groups()
    record = json.loads((path / "verdict.json" if path.is_dir() else path).read_text())
    said = str(record.get("what") or record.get("about") or words.replace("-", " "))
    typed = TYPED.search(said)
    command = shlex.join(record.get("command_line", [])) or (typed[0] if typed else "")
    yield f"[{path.stem}]({path.name})"
    yield f"{date} {hour}:{minute}" if hour else date
    question = said[: typed.start()].rstrip(" :") if typed else said
    yield shorten(question, QUESTION_MAX, placeholder=" …").replace("|", "\\|")
    yield f"`{command}`" if command else "–"
    yield machine(record)
    yield (
        ", ".join(
            f"[{document.relative_to(ROOT)}](../{document.relative_to(ROOT)})"
            for document, names in named.items()
            if any(fnmatch(path.stem, name) for name in names)
        )
        or "–"
    )


def machine(record: dict[str, Any]) -> str:
    """The number of cores and the processor; benchmarks of the engine call them otherwise."""
    facts = record.get("machine") or {}
    facts = facts.get("before", facts)
    cpus, model = facts.get("cpus", facts.get("cores")), facts.get("cpu_model", facts.get("cpu"))
    return f"{cpus} × {model}" if model else "–"


if __name__ == "__main__":
    INDEX.write_text(page())
