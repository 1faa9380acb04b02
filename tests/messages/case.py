"""A message's case: what a user does, in which situation; and a section of the page, of several."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Scene:
    """What a situation is made with; it is undone when its case has ended.

    `stands_for` has what is typed in place of a word that the page shows, such as a port.
    """

    folder: Path
    patch: pytest.MonkeyPatch
    until_end: ExitStack
    stands_for: dict[str, str] = field(default_factory=dict)
    until_asked: list[Callable[[], object]] = field(default_factory=list)
    """What happens between the time when the explorer lists the runs and that when it is asked."""

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)
        return path


Situation = Callable[[Scene], object]


@dataclass(frozen=True, eq=False)
class Case:
    """One message.

    `typed` are the words after `bakeoff`, or Python where it begins with `>>>`. `given` says what
    a reader can't see in it; `situations` make that so. `files` are there beside those of the
    section, and `shows` picks what is shown where more is printed than the message: lines that it
    is found in.
    """

    typed: str
    given: str
    situations: tuple[Situation, ...]
    files: Mapping[str, str | bytes]
    shows: str


def case(
    typed: str,
    given: str = "",
    *situations: Situation | None,
    files: Mapping[str, str | bytes] | None = None,
    shows: str = "",
) -> Case:
    return Case(typed, given, tuple(filter(None, situations)), files or {}, shows)


def cases(typed: str, *rows: tuple[Any, ...]) -> Iterator[Case]:
    """The same words with what is given in each row, and what makes that so."""
    for row in rows:
        yield case(typed, *row)


@dataclass(frozen=True)
class Section:
    """The messages of what a user was doing, with what is there, and `shows`, for all of them."""

    title: str
    cases: tuple[Case, ...]
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    shows: str = ""


def typed(lines: str, given: str = "", *situations: Situation) -> Iterator[Case]:
    for line in lines.strip().splitlines():
        yield case(line.strip(), given, *situations)


def changed(file: str, content: str, changes: str, typed: str) -> Iterator[Case]:
    """A case for each line of `changes`, OLD ~> NEW: the file has NEW in place of OLD."""
    for line in changes.strip().splitlines():
        old, _, new = (part.strip().replace("\\n", "\n") for part in line.partition("~>"))
        assert old in content, f"{file} has no {old}"
        text = content.replace(old, new, 1)
        said = f"has `{new}` in place of `{old}`" if new else f"lacks `{old}`"
        given = f"{file} {said}".replace("\n", "\\n")
        yield case(typed, given, files={file: text})
