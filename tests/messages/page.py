"""docs/MESSAGES.md and the list of the places that it reaches: made of sections, and read again."""

import difflib
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from tests.messages.case import Case, Section
from tests.messages.running import GET, PYTHON, Said, run

PAGE = Path(__file__).parents[2] / "docs" / "MESSAGES.md"
REACHED = Path(__file__).parent / "reached.txt"
HEAD = """# Messages

Every message that bakeoff ends with, with the input that provokes it. `python -m tests.messages`
writes this page by running each input; tests compare it with what the inputs give now.

A line that begins with `#` is the situation, one with `$` what is typed there, one with `>>>`
Python, and one with `GET` an address of the explorer. Under it are the message as it is printed,
and the exit status. `FOLDER` is where the command is typed; `BIN`, `HOME`, `TEMPORARY`, `COMMIT`,
`PID`, `PORT`, `TIME` and `VERSION` stand for what differs from machine to machine.
"""
REACHED_HEAD = (
    "# Where the messages of docs/MESSAGES.md are made. Written by python -m tests.messages.\n"
)
SECTIONS = {
    name: import_module(f"tests.messages.{name}").SECTION
    for name in (
        *("contenders", "setup", "race", "requests", "workloads", "imports", "urls", "answers"),
        *("servers", "capacity", "replay", "ci", "runs", "history", "board", "cluster", "machine"),
    )
}
"""By the names of their modules, in the order of the page."""


@dataclass(frozen=True)
class Made:
    """What a section puts onto the page, and into the list."""

    text: str
    reached: str
    faults: tuple[str, ...]


def made(section: Section) -> Made:
    """Run all cases of a section; those that don't end with a message are faults."""
    said: dict[Case, Said] = {}
    faults = []
    for case in section.cases:
        try:
            said[case] = run(case, section)
        except (Exception, pytest.fail.Exception) as error:
            faults.append(f"{case.typed} ({case.given}): {type(error).__name__}: {error}")
    shown = "\n\n".join(_shown(case, section, each) for case, each in said.items())
    sites = sorted(frozenset[str]().union(*(each.sites for each in said.values())))
    return Made(
        f"## {section.title}\n\n```console\n{shown}\n```\n",
        "\n".join([f"## {section.title}", *sites]) + "\n",
        tuple(faults),
    )


def _shown(case: Case, section: Section, said: Said) -> str:
    given = [f"# {line}" for line in (case.given or _contents(case, section)).splitlines()]
    if case.typed.startswith(PYTHON):
        return "\n".join([*given, case.typed, said.text])
    if case.typed.startswith(GET):
        return "\n".join([*given, case.typed, f"{said.status} {said.text}"])
    typed = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in case.typed)
    return "\n".join([*given, f"$ bakeoff {typed}", said.text, f"exit status {said.status}"])


def _contents(case: Case, section: Section) -> str:
    """What is in the files that are typed, as far as that is short."""
    files = {**section.files, **case.files}
    lines = []
    for word in case.typed.split():
        content = files.get(word.removeprefix("./"))
        text = content if isinstance(content, str) else repr(content)[2:-1] if content else None
        if text is not None and "\n" not in (line := text.strip()) and len(line) <= 80:
            lines.append(f"{word} has `{line}`" if line else f"{word} is empty")
    return "\n".join(lines)


def write(names: Collection[str]) -> None:
    """Write these sections of the page and of the list anew, and end with what has no message."""
    anew = {SECTIONS[name].title: made(SECTIONS[name]) for name in names}
    for file, head, part in ((PAGE, HEAD, "text"), (REACHED, REACHED_HEAD, "reached")):
        kept = {title: text.rstrip("\n") + "\n" for title, text in _parts(file.read_text())}
        kept |= {title: getattr(each, part) for title, each in anew.items()}
        file.write_text("\n".join([head, *(kept[each.title] for each in SECTIONS.values())]))
    if faults := [fault for each in anew.values() for fault in each.faults]:
        sys.exit("\n".join(faults))


def check(section: Section) -> None:
    """The section of the committed page, and of the list, are what its cases give now."""
    now = made(section)
    assert not now.faults, "\n".join(now.faults)
    for file, text in ((PAGE, now.text), (REACHED, now.reached)):
        committed = dict(_parts(file.read_text())).get(section.title, "")
        difference = difflib.unified_diff(
            committed.splitlines(), text.splitlines(), "committed", "now", lineterm=""
        )
        if committed.strip() != text.strip():
            pytest.fail(
                f"{file.name} is not what its inputs give now; `python -m tests.messages` "
                "writes it\n" + "\n".join(difference),
                pytrace=False,
            )


def _parts(text: str) -> Iterator[tuple[str, str]]:
    for part in ("\n" + text).split("\n## ")[1:]:
        yield part.partition("\n")[0], f"## {part}"


def reached() -> frozenset[str]:
    return frozenset(
        line for line in REACHED.read_text().splitlines() if line and not line.startswith("#")
    )
